package ws_test

import (
	"net/http"
	"sync/atomic"
)

// turns is a handler that another can take the place of.
type turns struct{ now atomic.Pointer[http.Handler] }

func (s *turns) next(h http.Handler) { s.now.Store(&h) }

func (s *turns) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*s.now.Load()).ServeHTTP(w, r) }
