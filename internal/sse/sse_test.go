package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readAll(r io.Reader, limit int) (events []string, err error) {
	s := NewReader(r, limit)
	for {
		data, err := s.Next()
		if err != nil {
			return events, err
		}
		events = append(events, string(data))
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for name, c := range map[string]struct {
		in   string
		want []string
		err  error
	}{
		"one":                  {"data: a\n\n", []string{"a"}, io.EOF},
		"no space":             {"data:a\n\n", []string{"a"}, io.EOF},
		"two spaces":           {"data:  a\n\n", []string{" a"}, io.EOF},
		"several lines":        {"id: 41\nevent: message\nretry: 3000\ndata: {\"a\":\ndata: 1}\n\n", []string{"{\"a\":\n1}"}, io.EOF},
		"comments and no data": {": ping\n\n:\n\nevent: ping\n\ndata: a\n\n:x\n\n", []string{"a"}, io.EOF},
		"empty data":           {"data\n\ndata:\n\ndata: a\n\n", []string{"a"}, io.EOF},
		"CRLF":                 {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}, io.EOF},
		"CR":                   {"data: a\r\rdata: b\r\r", []string{"a", "b"}, io.EOF},
		"mixed":                {"data: a\r\n\ndata: b\n\r\n", []string{"a", "b"}, io.EOF},
		"BOM":                  {"\xef\xbb\xbfdata: a\n\n", []string{"a"}, io.EOF},
		"long line":            {"data: " + long + "\n\ndata: b\n\n", []string{long, "b"}, io.EOF},
		"cut in an event":      {"data: a\n\ndata: b\n", []string{"a"}, io.ErrUnexpectedEOF},
		"cut in a line":        {"data: a\n\ndata: b", []string{"a"}, io.ErrUnexpectedEOF},
		"nothing":              {"", nil, io.EOF},
		"over the limit":       {"data: a\n\ndata: " + strings.Repeat("x", 200_000) + "\n\n", []string{"a"}, ErrTooLarge},
		"over in many lines":   {"data: a\n\n" + strings.Repeat("data: "+long[:1000]+"\n", 200) + "\n", []string{"a"}, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":        strings.NewReader(c.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
				"with EOF":     iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, err := readAll(r, 100_000)
				assert.Equal(t, c.want, got, how)
				assert.ErrorIs(t, err, c.err, how)
			}
		})
	}
}

func TestReaderGivesTheTransportsError(t *testing.T) {
	lost := errors.New("lost")
	got, err := readAll(io.MultiReader(strings.NewReader("data: a\n\n"), iotest.ErrReader(lost)), 100)
	assert.Equal(t, []string{"a"}, got)
	assert.ErrorIs(t, err, lost)
}

func TestAppendEvent(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:            "data: {\"a\":1}\n\n",
		"{\n \"a\":1\r\n}\r": "data: {\ndata:  \"a\":1\ndata: }\ndata: \n\n",
	} {
		out := AppendEvent(nil, []byte(in))
		assert.Equal(t, want, string(out))
		got, err := NewReader(bytes.NewReader(out), 100).Next()
		require.NoError(t, err)
		assert.Equal(t, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(in), string(got))
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\n:x\ndata:b\rdata: c\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err1 := readAll(bytes.NewReader(in), 1000)
		pieces, err2 := readAll(iotest.OneByteReader(bytes.NewReader(in)), 1000)
		if !errors.Is(err1, ErrTooLarge) && !errors.Is(err2, ErrTooLarge) {
			assert.Equal(t, whole, pieces)
			assert.Equal(t, err1, err2)
		}
	})
}
