// Package bridge relays between any two bindings: [Relay] is an agent that
// another one answers for, and [Bridge] serves it, with a card of its own.
//
// What passes is the payload's own bytes where both wires carry JSON, checked
// against the data model on the way. The bridge knows no wire.
package bridge
