// Package leg is what the tests against software of others share: starting it,
// reading what it prints, and judging that. It is built with the tag interop.
package leg
