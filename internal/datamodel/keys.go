package datamodel

import "bytes"

// keys is a set of the names in one object. Few are compared one by one, many
// hashed. The names must not change.
type keys struct {
	few  [8][]byte
	n    int
	many map[string]struct{}
}

// add adds a name, and reports whether it was not there.
func (k *keys) add(name []byte) bool {
	if k.many == nil {
		for _, f := range k.few[:k.n] {
			if bytes.Equal(f, name) {
				return false
			}
		}
		if k.n < len(k.few) {
			k.few[k.n] = name
			k.n++
			return true
		}
		k.many = make(map[string]struct{}, 2*len(k.few))
		for _, f := range k.few {
			k.many[string(f)] = struct{}{}
		}
	}
	if _, ok := k.many[string(name)]; ok {
		return false
	}
	k.many[string(name)] = struct{}{}
	return true
}
