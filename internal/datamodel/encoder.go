package datamodel

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// encoder writes text.
type encoder struct {
	bounded bool // depth is
	missing bool
	depth   int
}

// open steps into an object or array.
func (e *encoder) open() error {
	if e.depth++; e.bounded && e.depth > strictjson.MaxDepth {
		return errDepth()
	}
	return nil
}

func appendText(dst []byte, s string) ([]byte, error) {
	n, ascii := verbatim([]byte(s))
	switch {
	case !ascii && !utf8.ValidString(s):
		return dst, errUTF8()
	case n < len(s):
		return strictjson.AppendString(dst, s), nil
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"'), nil
}

func appendArray[E any](e *encoder, dst []byte, all []E, f func([]byte, E) ([]byte, error)) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	var err error
	for i, x := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = f(dst, x); err != nil {
			return dst, atIndex(err, i)
		}
	}
	e.depth--
	return append(dst, ']'), nil
}

func appendMap[V any](e *encoder, dst []byte, all map[string]V, f func([]byte, V) ([]byte, error)) ([]byte, error) {
	if err := e.open(); err != nil {
		return dst, err
	}
	var few [8]string
	keys := few[:0]
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	var err error
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendText(dst, k); err != nil {
			return dst, at(err, strings.ToValidUTF8(k, "\uFFFD"))
		}
		dst = append(dst, ':')
		if dst, err = f(dst, all[k]); err != nil {
			return dst, at(err, k)
		}
	}
	e.depth--
	return append(dst, '}'), nil
}
