// Package schema is the JSON Schema of the A2A data model, made from the
// descriptors of the specification's protobuf file, and of the envelopes that
// wires put around it. It says what this library writes, which is less than
// what it reads: names and not numbers of enumerations, no null, no unknown
// member. Tests hold every JSON text that crosses a wire against it.
package schema
