package rest

import (
	"net/url"
	"slices"
	"strings"
)

// match is a path that leads to an operation, taken apart. Its values are
// unescaped.
type match struct {
	route  *route
	tenant string
	params [maxParams]string
}

// find is the route that a method and an escaped path lead to. The route is
// nil if there is none; allow are the methods of routes at that path.
//
// A path without a tenant goes before one with. A slash at the end is an empty
// parameter where one can be, and else passed over.
func find(method, path string) (m match, allow []string) {
	var all [maxSegments]string
	n := 0
	for s := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if n == maxSegments {
			return m, nil
		}
		all[n] = s
		n++
	}
	segs := all[:n]
	verb := cutVerb(&segs[n-1])
	for {
		for _, tenant := range [...]int{0, 1} {
			if tenant == 1 && segs[0] == "" {
				continue
			}
			for _, rt := range routes {
				if !rt.fits(segs[tenant:], verb) {
					continue
				}
				if !slices.Contains(rt.methods, method) {
					allow = append(allow, rt.methods...)
					continue
				}
				if rt.read(&m, segs[:tenant], segs[tenant:]) {
					return m, nil
				}
			}
		}
		if last := len(segs) - 1; last > 0 && segs[last] == "" && verb == "" {
			segs = segs[:last]
			continue
		}
		slices.Sort(allow)
		return match{}, slices.Compact(allow)
	}
}

// cutVerb takes a known verb off a path's last segment.
func cutVerb(last *string) string {
	for _, v := range verbs {
		if rest, ok := strings.CutSuffix(*last, v); ok {
			*last = rest
			return v
		}
	}
	return ""
}

// fits reports whether escaped segments are those of the route. Literals are
// compared as they stand: an escaped one is a value.
func (rt *route) fits(segs []string, verb string) bool {
	if len(segs) != len(rt.segments) || verb != rt.verb {
		return false
	}
	for i, s := range rt.segments {
		if s != "" && string(s) != segs[i] {
			return false
		}
	}
	return true
}

// read takes the values out of segments that fit. It fails for escapes that
// are none.
func (rt *route) read(m *match, tenant, segs []string) bool {
	*m = match{route: rt}
	var err error
	for _, t := range tenant {
		if m.tenant, err = url.PathUnescape(t); err != nil {
			return false
		}
	}
	n := 0
	for i, s := range rt.segments {
		if s != "" {
			continue
		}
		if m.params[n], err = url.PathUnescape(segs[i]); err != nil {
			return false
		}
		n++
	}
	return true
}

// appendPath appends the escaped path of a request with these values.
func (rt *route) appendPath(dst []byte, tenant string, params [maxParams]string) []byte {
	if tenant != "" {
		dst = append(dst, '/')
		dst = appendTenant(dst, tenant)
	}
	n := 0
	for _, s := range rt.segments {
		dst = append(dst, '/')
		if s != "" {
			dst = append(dst, s...)
			continue
		}
		dst = appendSegment(dst, params[n])
		n++
	}
	return append(dst, rt.verb...)
}

// appendTenant escapes a tenant so that it is no literal of a route.
func appendTenant(dst []byte, tenant string) []byte {
	if firstLiterals[tenant] {
		dst = appendByte(dst, tenant[0])
		tenant = tenant[1:]
	}
	return appendSegment(dst, tenant)
}

// appendSegment escapes a value as one segment. Dots alone would be taken for
// steps in a path.
func appendSegment(dst []byte, s string) []byte {
	if s == "." || s == ".." {
		for i := range len(s) {
			dst = appendByte(dst, s[i])
		}
		return dst
	}
	return appendEscaped(dst, s)
}

// appendEscaped escapes all but what RFC 3986 calls unreserved.
func appendEscaped(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; unreserved(c) {
			dst = append(dst, c)
		} else {
			dst = appendByte(dst, c)
		}
	}
	return dst
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

func appendByte(dst []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(dst, '%', hex[c>>4], hex[c&15])
}
