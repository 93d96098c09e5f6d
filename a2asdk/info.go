package a2asdk

import (
	"errors"
	"maps"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/a2awire/a2awire/binding"
)

// infoOf is a detail that is an ErrorInfo, nil of any other.
func infoOf(d *anypb.Any) *errdetails.ErrorInfo {
	info := new(errdetails.ErrorInfo)
	if !d.MessageIs(info) || d.UnmarshalTo(info) != nil {
		return nil
	}
	return info
}

// selfMade reports whether an ErrorInfo is the one that the SDK made for its
// error: of the A2A domain, for the reason that the error has here or for the
// SDK's name of a sentinel within. Of several sentinels the SDK names any.
func selfMade(info *errdetails.ErrorInfo, e *binding.Error, decides error, from *a2a.Error) bool {
	switch {
	case info.GetDomain() != binding.Domain:
		return false
	case info.GetReason() == e.Info().GetReason():
		return true
	case first(from) != decides: //nolint:errorlint // the very one that first found
		return false
	}
	for _, s := range sentinels {
		if info.GetReason() == a2a.ErrorReason(s.err) && errors.Is(from, s.err) {
			return true
		}
	}
	return false
}

// agree reports whether two maps have the same for each key of both.
func agree(a, b map[string]string) bool {
	for k, v := range b {
		if old, ok := a[k]; ok && old != v {
			return false
		}
	}
	return true
}

// withEntries is an error with more metadata in its ErrorInfo, which stays
// where it is among the details.
func withEntries(e *binding.Error, entries map[string]string) *binding.Error {
	if len(entries) == 0 {
		return e
	}
	out := *e
	out.Details = nil
	for i, d := range e.Details {
		if info := infoOf(d); info.GetDomain() == binding.Domain {
			if info.Metadata == nil {
				info.Metadata = map[string]string{}
			}
			maps.Copy(info.Metadata, entries)
			out = *out.With(info)
			out.Details = append(out.Details, e.Details[i+1:]...)
			return &out
		}
		out.Details = append(out.Details, d)
	}
	return e
}
