package a2asdk

import (
	"encoding/json"
	"reflect"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

// toDetails are the details of an error as the SDK has them: the members of
// their ProtoJSON, and of a Struct its fields.
func toDetails(e *binding.Error) []*errordetails.Typed {
	var object struct {
		Data []*errordetails.Typed `json:"data"`
	}
	if json.Unmarshal(errmap.AppendJSONRPC(nil, e), &object) != nil {
		return nil
	}
	for _, d := range object.Data {
		if fields, ok := d.Value["value"].(map[string]any); ok && d.TypeURL == errordetails.StructType && len(d.Value) == 1 {
			d.Value = fields
		}
	}
	return object.Data
}

// withDetails is the error with the details of one of the SDK's, which may be
// nil. Its ErrorInfo has the code for a reason, as the SDK's servers have it.
func withDetails(e *binding.Error, from *a2a.Error) *binding.Error {
	if from == nil {
		return e
	}
	info := &errdetails.ErrorInfo{Reason: string(e.Code), Domain: binding.Domain}
	var others []*errordetails.Typed
	if len(from.Details) > 0 && !repeated(from) {
		others = append(others, errordetails.NewFromStruct(from.Details))
	}
	for _, d := range from.TypedDetails {
		switch {
		case d == nil:
		case ownInfo(d):
			info.Metadata = texts(d.Value["metadata"])
		default:
			others = append(others, d)
		}
	}
	e = e.With(info)
	for _, d := range others {
		if b, err := json.Marshal(jsonOf(d)); err == nil {
			e.Details = append(e.Details, errmap.ReadJSONRPC([]byte(`{"code":-32603,"data":[`+string(b)+`]}`)).Details...)
		}
	}
	return e
}

// jsonOf is the ProtoJSON of a detail, as an Any.
func jsonOf(d *errordetails.Typed) map[string]any {
	out := make(map[string]any, len(d.Value)+1)
	if d.TypeURL == errordetails.StructType {
		out["value"] = d.Value
	} else {
		for k, v := range d.Value {
			out[k] = v
		}
	}
	out["@type"] = d.TypeURL
	return out
}

// repeated reports whether Details are among the TypedDetails, too: so they
// are in an error that the SDK's clients have read.
func repeated(e *a2a.Error) bool {
	for _, d := range e.TypedDetails {
		if d != nil && reflect.DeepEqual(d.Value, e.Details) {
			return true
		}
	}
	return false
}

func ownInfo(d *errordetails.Typed) bool {
	domain, _ := d.Value["domain"].(string)
	return d.TypeURL == errordetails.ErrorInfoType && (domain == "" || domain == binding.Domain)
}

// texts are the entries of a map that are text.
func texts(v any) map[string]string {
	switch m := v.(type) {
	case map[string]string:
		return m
	case map[string]any:
		out := make(map[string]string, len(m))
		for k, v := range m {
			if s, ok := v.(string); ok {
				out[k] = s
			}
		}
		return out
	}
	return nil
}

// clientError is an error of toError as the SDK's own clients have it: the
// first detail that is no ErrorInfo stands in Details, too.
func clientError(err error) error {
	e, ok := err.(*a2a.Error) //nolint:errorlint // made by toError
	if !ok || e == nil {
		return err
	}
	for _, d := range e.TypedDetails {
		if d.TypeURL != errordetails.ErrorInfoType {
			return e.WithDetails(d.Value)
		}
	}
	return e
}
