//go:build interop

package golang_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"
)

// line is what a step prints.
type line struct {
	Step   string   `json:"step"`
	OK     bool     `json:"ok"`
	Result any      `json:"result,omitempty"`
	Error  *failure `json:"error,omitempty"`
}

type failure struct {
	Name     string `json:"name"`
	Reason   string `json:"reason,omitempty"`
	Message  string `json:"message"`
	Metadata any    `json:"metadata,omitempty"`
}

// step prints what one step came to.
func step(name string, result any, err error) {
	if err != nil {
		result = nil
	}
	print(line{Step: name, OK: err == nil, Result: result, Error: describe(err)})
}

// streamed prints what a stream came to. Each is called with the events and how
// many there were; the stream is left when it says so.
func streamed(name string, events iter.Seq2[a2a.Event, error], each func(a2a.Event, int) (leave bool)) {
	var failed error
	out := []a2a.StreamResponse{}
	for ev, err := range events {
		if err != nil {
			failed = err
			break
		}
		out = append(out, a2a.StreamResponse{Event: ev})
		if each != nil && each(ev, len(out)) {
			break
		}
	}
	print(line{Step: name, OK: failed == nil, Result: out, Error: describe(failed)})
}

func print(l line) {
	text, err := json.Marshal(l)
	if err != nil {
		text, _ = json.Marshal(line{Step: l.Step, Error: &failure{Name: "result", Message: err.Error()}})
	}
	os.Stdout.Write(append(text, '\n'))
}

// describe is an error of the SDK: what its own table has for a reason, where
// it is one of its errors.
func describe(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Name: fmt.Sprintf("%T", err), Message: err.Error()}
	if reason := a2a.ErrorReason(err); reason != "INTERNAL_ERROR" || errors.Is(err, a2a.ErrInternalError) {
		f.Reason = reason
	}
	if e := (*a2a.Error)(nil); errors.As(err, &e) {
		for _, d := range e.TypedDetails {
			if d.TypeURL == errordetails.ErrorInfoType {
				f.Metadata = d.Value["metadata"]
			}
		}
	}
	return f
}

// sent is a Task or Message as the SendMessageResponse it came in.
func sent(r a2a.SendMessageResult, err error) (any, error) { return a2a.StreamResponse{Event: r}, err }
