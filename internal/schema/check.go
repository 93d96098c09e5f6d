package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema are compiled definitions. It may be used by several at the same time.
type Schema struct{ defs map[string]*jsonschema.Schema }

// Compile compiles definitions.
func (d Defs) Compile() (*Schema, error) {
	const url = "a2a.json"
	text, err := json.Marshal(object{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": d})
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	s := &Schema{map[string]*jsonschema.Schema{}}
	for name := range d {
		if s.defs[name], err = c.Compile(url + "#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Check holds a JSON text against a definition.
func (s *Schema) Check(def string, text []byte) error {
	d := s.defs[def]
	if d == nil {
		return fmt.Errorf("there is no definition %s", def)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = d.Validate(v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", def, err, clip(text))
	}
	return nil
}

func clip(text []byte) []byte { return text[:min(len(text), 1<<10)] }
