// Package refagent is the reference agent: the semantics of A2A v1.0 in
// memory, driven by the first words of a message, so that every binding and
// every client can be tried against it.
//
// # What drives it
//
// The first text part of a message that starts a task is a command; the
// card's skills list them all. What is not a command, or not with these
// arguments, is echoed. A message whose messageId begins with one of the
// prefixes of the A2A TCK does what the TCK expects of that prefix, whatever
// its text. A message to a task that waits for input gives the artifact
// "got: <text>" and completes it, unless its messageId has a TCK prefix, which
// then decides. A message to a task that works and does not wait is kept in
// its history, and the task goes on (spec 3.3.3).
//
// # What it keeps
//
// A task is a log of events and what they add up to. Streams and webhooks read
// the log by index at their own pace: nobody who is slow holds anybody up, and
// nothing is buffered for them. Appending an event costs the event, not the
// task. A status message that a later status replaces moves to the history.
//
// Everything is bounded by [Options]. A task at its limit of events or bytes
// fails, and refuses messages with ResourceExhausted. Where there are as many
// tasks as there may be, the one that ended first makes room for a new one
// (and is not found from then on); if none has ended, the new one is refused
// with ResourceExhausted. A task's contextId lives as long as its tasks.
//
// # What it does not do
//
// It authenticates nobody: a tenant sees the tasks of that tenant alone, and
// whoever names the tenant is in it. It does not detect repeated messageIds
// (spec 3.3.1 allows that), and does not tailor its artifacts to
// acceptedOutputModes.
package refagent
