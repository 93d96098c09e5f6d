package datamodel

import (
	"strings"
	"unicode/utf8"

	"github.com/a2awire/a2awire/internal/strictjson"
)

// checker is a verdict in the making, on the way through a message.
type checker = Verdict

// open steps into what is an object or array in text.
func (c *checker) open() error {
	if c.depth++; c.depth > strictjson.MaxDepth {
		return errDepth()
	}
	return nil
}

func (c *checker) text(s string) error {
	c.Bound += len(s)
	if !utf8.ValidString(s) {
		return errUTF8()
	}
	return nil
}

func checkArray[E any](c *checker, all []E, f func(E) error) error {
	if err := c.open(); err != nil {
		return err
	}
	c.Bound += perField * len(all)
	for i, x := range all {
		if err := f(x); err != nil {
			return atIndex(err, i)
		}
	}
	c.depth--
	return nil
}

func checkMap[V any](c *checker, all map[string]V, f func(V) error) error {
	if err := c.open(); err != nil {
		return err
	}
	c.Bound += 2 * perField * len(all)
	for k, v := range all {
		if err := c.text(k); err != nil {
			return at(err, strings.ToValidUTF8(k, "\uFFFD"))
		}
		if err := f(v); err != nil {
			return at(err, k)
		}
	}
	c.depth--
	return nil
}
