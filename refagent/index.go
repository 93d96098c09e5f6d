package refagent

import "math/rand/v2"

// key is a task's place in a list: newest status first (spec 3.1.4), and among
// those of one millisecond the one that changed last.
type key struct {
	at  int64  // status timestamp, Unix milliseconds
	seq uint64 // of the status change, unique, from 1
}

func (k key) before(o key) bool {
	return k.at > o.at || k.at == o.at && k.seq > o.seq
}

// node is one entry of an index.
type node struct {
	row         *row
	key         key
	priority    uint64
	size        int
	left, right *node
}

func (n *node) len() int {
	if n == nil {
		return 0
	}
	return n.size
}

func (n *node) resize() { n.size = n.left.len() + 1 + n.right.len() }

// index is an ordered set of rows, a treap that counts: insert, remove, rank
// and the seek of walk take logarithmic time.
type index struct{ root *node }

// insert adds a node that is in no index, with its key set.
func (x *index) insert(n *node) {
	n.priority, n.size, n.left, n.right = rand.Uint64(), 1, nil, nil //nolint:gosec // balances a tree, guards nothing
	x.root = insert(x.root, n)
}

// remove takes out the node with that key.
func (x *index) remove(k key) { x.root = remove(x.root, k) }

func (x *index) len() int { return x.root.len() }

// rank is how many entries come before a key.
func (x *index) rank(k key) int {
	r := 0
	for n := x.root; n != nil; {
		if n.key.before(k) {
			r += n.left.len() + 1
			n = n.right
		} else {
			n = n.left
		}
	}
	return r
}

// walk goes through the entries behind a key, in order, while f says so.
func (x *index) walk(k key, f func(*node) bool) { walk(x.root, k, f) }

func insert(t, n *node) *node {
	switch {
	case t == nil:
		return n
	case n.priority > t.priority:
		n.left, n.right = split(t, n.key)
		n.resize()
		return n
	case n.key.before(t.key):
		t.left = insert(t.left, n)
	default:
		t.right = insert(t.right, n)
	}
	t.resize()
	return t
}

func remove(t *node, k key) *node {
	switch {
	case t == nil:
		return nil
	case t.key == k:
		return merge(t.left, t.right)
	case k.before(t.key):
		t.left = remove(t.left, k)
	default:
		t.right = remove(t.right, k)
	}
	t.resize()
	return t
}

// split parts a tree into what comes before a key and the rest.
func split(t *node, k key) (l, r *node) {
	if t == nil {
		return nil, nil
	}
	if t.key.before(k) {
		t.right, r = split(t.right, k)
		l = t
	} else {
		l, t.left = split(t.left, k)
		r = t
	}
	t.resize()
	return l, r
}

// merge joins two trees of which the first comes before the second.
func merge(l, r *node) *node {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case l.priority > r.priority:
		l.right = merge(l.right, r)
		l.resize()
		return l
	default:
		r.left = merge(l, r.left)
		r.resize()
		return r
	}
}

func walk(t *node, k key, f func(*node) bool) bool {
	if t == nil {
		return true
	}
	if k.before(t.key) && (!walk(t.left, k, f) || !f(t)) {
		return false
	}
	return walk(t.right, k, f)
}
