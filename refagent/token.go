package refagent

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
)

// A page token is the key of a page's last entry and a sum over it and the
// query, so that what is not a token of this list is noticed.

func newToken(k key, query string) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(k.at))
	b = binary.BigEndian.AppendUint64(b, k.seq)
	return base64.RawURLEncoding.EncodeToString(append(b, sum(b, query)...))
}

func parseToken(s, query string) (key, bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != 24 || string(sum(b[:16], query)) != string(b[16:]) {
		return key{}, false
	}
	return key{int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:])}, true
}

func sum(b []byte, query string) []byte {
	h := fnv.New64a()
	_, _ = h.Write(b) // a hash takes anything
	_, _ = h.Write([]byte(query))
	return h.Sum(nil)
}
