package mqtt

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"
)

// journal remembers requests, so that one that comes twice is executed once.
// Entries are kept for [memory]; beyond the bounds the oldest lose their
// replies first, and then are forgotten.
type journal struct {
	maxEntries, maxBytes int

	mu      sync.Mutex
	entries map[requestKey]*entry
	order   *list.List // of *entry, the oldest first
	held    *list.List // of those that hold a reply, the first answered first
	bytes   int
}

// requestKey names a request: where its reply goes, and its a2a-request-id.
// The topic, not what the requester says of itself: a reply that is sent again
// goes to who asked first, or to nobody.
type requestKey struct{ response, id string }

// maxKeyBytes bounds an id in the journal, which keeps many: a longer one, as
// nobody needs it, is known by its hash.
const maxKeyBytes = 128

func keyOf(response, id string) requestKey {
	if len(id) > maxKeyBytes {
		sum := sha256.Sum256([]byte(id))
		id = "sha256:" + hex.EncodeToString(sum[:])
	}
	return requestKey{response, id}
}

// entry is a request that was seen.
type entry struct {
	key  requestKey
	call *call // nil when it is done
	// reply is that of a call that is done, nil when it is not kept.
	reply *message
	held  *list.Element // of the list of those that hold a reply
	at    time.Time
}

// The bounds of a server's journal.
const (
	journalEntries = 1 << 17
	journalBytes   = 64 << 20
)

func newJournal() *journal {
	return &journal{maxEntries: journalEntries, maxBytes: journalBytes, entries: map[requestKey]*entry{}, order: list.New(), held: list.New()}
}

// begin notes a request. seen is false when it is new; then it belongs to c.
// Else it is what became of it: the call in flight, or the reply.
func (j *journal) begin(key requestKey, c *call) (inFlight *call, reply *message, seen bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.forget()
	if e, ok := j.entries[key]; ok {
		return e.call, e.reply, true
	}
	e := &entry{key: key, call: c, at: time.Now()}
	j.entries[key] = e
	j.order.PushBack(e)
	return nil, nil, false
}

// done notes what a request was answered with; nil is an answer that cannot be
// given again.
func (j *journal) done(key requestKey, reply *message) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.entries[key]
	if !ok {
		return
	}
	e.call, e.at = nil, time.Now()
	j.thin(e) // it may have been answered before
	if reply != nil && len(reply.payload) <= j.maxBytes/16 {
		e.reply, e.held = reply, j.held.PushBack(e)
		j.bytes += len(reply.payload)
	}
	for j.bytes > j.maxBytes {
		j.thin(j.held.Front().Value.(*entry))
	}
}

// thin drops the reply of an entry.
func (j *journal) thin(e *entry) {
	if e.reply != nil {
		j.bytes -= len(e.reply.payload)
		j.held.Remove(e.held)
		e.reply, e.held = nil, nil
	}
}

// forget drops what is old, and what is too much. Calls in flight stay.
func (j *journal) forget() {
	for el := j.order.Front(); el != nil; {
		e, next := el.Value.(*entry), el.Next()
		old := time.Since(e.at) > memory
		switch {
		case e.call != nil && !old:
			if len(j.entries) < j.maxEntries {
				return
			}
		case e.call != nil:
			e.at = time.Now() // it has not ended yet
			j.order.MoveToBack(el)
		case old, len(j.entries) >= j.maxEntries:
			j.thin(e)
			j.order.Remove(el)
			delete(j.entries, e.key)
		default:
			return
		}
		el = next
	}
}
