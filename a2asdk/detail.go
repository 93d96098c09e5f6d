package a2asdk

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"google.golang.org/protobuf/types/known/anypb"

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

// withDetails is an error with the details of the SDK's errors around what
// decides, but for those that it has already. The entries of the ErrorInfo that
// the SDK made go into the error's own; every other detail crosses as it is.
func withDetails(e *binding.Error, decides error, sdk []*a2a.Error) *binding.Error {
	e = binding.Flatten(e)
	entries := map[string]string{}
	for _, from := range sdk {
		for _, d := range detailsOf(from) {
			detail := anyOf(d)
			if detail == nil {
				continue
			}
			more := *e
			more.Details = append(slices.Clone(e.Details), detail)
			if repeats(toDetails(&more)) {
				continue
			}
			if info := infoOf(detail); info != nil && selfMade(info, e, decides, from) && agree(entries, info.GetMetadata()) {
				maps.Copy(entries, info.GetMetadata())
			} else {
				e = &more
			}
		}
	}
	return withEntries(e, entries)
}

// detailsOf are the details of one of the SDK's errors. Its Details come first.
func detailsOf(from *a2a.Error) (out []*errordetails.Typed) {
	if len(from.Details) > 0 && !repeated(from) {
		out = append(out, errordetails.NewFromStruct(from.Details))
	}
	for _, d := range from.TypedDetails {
		if d != nil {
			out = append(out, d)
		}
	}
	return out
}

// anyOf is a detail of the SDK as this library has it, nil for what is no JSON.
func anyOf(d *errordetails.Typed) *anypb.Any {
	b, err := json.Marshal(jsonOf(d))
	if err != nil {
		return nil
	}
	details := errmap.ReadJSONRPC([]byte(`{"code":-32603,"data":[` + string(b) + `]}`)).Details
	if len(details) == 0 {
		return nil
	}
	return details[0]
}

// repeats reports whether the last of some details is among those before it.
func repeats(all []*errordetails.Typed) bool {
	n := len(all) - 1
	return n > 0 && slices.ContainsFunc(all[:n], func(d *errordetails.Typed) bool { return reflect.DeepEqual(d, all[n]) })
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
