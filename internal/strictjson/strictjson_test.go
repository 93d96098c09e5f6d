package strictjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/internal/strictjson"
)

func skip(in string) error {
	s := strictjson.Scanner{In: []byte(in)}
	if _, err := s.Skip(); err != nil {
		return err
	}
	return s.End()
}

func TestSkip(t *testing.T) {
	for _, in := range []string{`{}`, `[]`, `0`, `-0.5e+10`, `"a\u00e9\ud83d\ude00\n"`, ` { "a" : [ 1 , true , null , { } ] } `, `"é"`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64)} {
		require.NoError(t, skip(in), in)
	}
	for in, problem := range map[string]string{
		``: "unexpected end", `{`: "unexpected end", `[1,]`: "unexpected ']'", `{"a":1,}`: "unexpected '}'", `{"a" 1}`: "unexpected '1'",
		`01`: "text after", `1.`: "unexpected", `+1`: "unexpected '+'", `.5`: "unexpected '.'", `1e`: "unexpected", `NaN`: "unexpected 'N'", `nul`: "unexpected 'n'",
		`"a`: "unexpected end", "\"\x01\"": "control character", `"\x"`: "invalid escape", `"\ud800"`: "invalid escape", `"\ud800\u0041"`: "invalid escape",
		`"\u12"`: "invalid escape", "\"\xff\"": "not valid UTF-8", "\"\\n\xff\"": "not valid UTF-8", `{"a":1,"a":2}`: `duplicate member "a"`, `{"a":1,"\u0061":2}`: `duplicate member "a"`,
		`{"a":{"b":1,"b":1}}`: `duplicate member "b"`, `{} {}`: "text after", strings.Repeat("[", 65): "deeper than 64", "\ufeff{}": "unexpected",
	} {
		require.ErrorContains(t, skip(in), problem, "%q", in)
	}
	var many strings.Builder
	for i := range 50 {
		fmt.Fprintf(&many, `"k%d":1,`, i)
	}
	require.NoError(t, skip(`{`+many.String()+`"last":1}`))
	require.ErrorContains(t, skip(`{`+many.String()+`"k0":1}`), `"k0"`)
	require.ErrorContains(t, skip(`{`+many.String()+`"k49":1}`), `"k49"`)
}

func TestSpan(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"}\\\"]","b":[{}]} rest`: `{"a":"}\\\"]","b":[{}]}`,
		` [1,[2]] ,`:                   `[1,[2]]`,
		`"x" y`:                        `"x"`,
		`12,`:                          `12`,
	} {
		s := strictjson.Scanner{In: []byte(in)}
		got, err := s.Span()
		require.NoError(t, err, in)
		assert.Equal(t, want, string(got))
	}
	for _, in := range []string{`{"a"`, `{"a":"`, `[`, ``} {
		s := strictjson.Scanner{In: []byte(in)}
		_, err := s.Span()
		require.Error(t, err, in)
	}
}

func TestNumbersAndLiterals(t *testing.T) {
	for in, ok := range map[string]bool{"0": true, "-1": true, "1.5e-7": true, "1E+2": true, "": false, "-": false, "01": false, "1.": false, "0x1": false, "1 ": false} {
		assert.Equal(t, ok, strictjson.IsNumber([]byte(in)), in)
	}
	s := strictjson.Scanner{In: []byte(` true`)}
	assert.False(t, s.Literal("false"))
	assert.True(t, s.Literal("true"))
}

func TestAppendString(t *testing.T) {
	for _, in := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f", "é\u2028😀<&>"} {
		out := strictjson.AppendString(nil, in)
		var back string
		require.NoError(t, json.Unmarshal(out, &back))
		assert.Equal(t, in, back)
		s := strictjson.Scanner{In: out}
		again, err := s.Str()
		require.NoError(t, err)
		assert.Equal(t, in, string(again))
	}
	assert.Equal(t, `"é\u0001<"`, string(strictjson.AppendString(nil, "é\x01<")), "escaped as little as JSON allows")
}

// What this package takes, encoding/json takes as well.
func FuzzSkip(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\u00e9",null]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		s := strictjson.Scanner{In: in}
		text, err := s.Skip()
		if err == nil && s.End() == nil {
			if !json.Valid(in) || !utf8.Valid(in) {
				t.Fatalf("took %q", in)
			}
			s := strictjson.Scanner{In: in}
			span, err := s.Span()
			if err != nil || string(span) != string(text) {
				t.Fatalf("span %q of %q, %v", span, text, err)
			}
		}
	})
}
