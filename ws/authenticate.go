package ws

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/rpc"
)

// renew sets when the authentication ends. The timer is the connection's own:
// a peer that only listens expires too.
func (s *session) renew(expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.expiry != nil {
		s.expiry.Stop()
		s.expiry = nil
	}
	s.expired = false
	s.term++
	if term := s.term; !expires.IsZero() && !s.over {
		s.expiry = time.AfterFunc(time.Until(expires), s.timer(term, func() { s.expire(term) }))
	}
}

// timer is what a timer of a term does, unless the term or the session is over.
// run waits for it.
func (s *session) timer(term int, do func()) func() {
	return func() {
		s.mu.Lock()
		if s.over || s.term != term {
			s.mu.Unlock()
			return
		}
		s.timers.Add(1)
		s.mu.Unlock()
		defer s.timers.Done()
		do()
	}
}

// expire asks for a new authentication, and closes the connection if none comes.
func (s *session) expire(term int) {
	s.mu.Lock()
	if s.over || s.term != term {
		s.mu.Unlock()
		return
	}
	s.expired = true
	s.expiry = time.AfterFunc(reauthenticationTime, s.timer(term, func() { s.end(statusAuth, "the authentication has expired") }))
	s.mu.Unlock()
	if s.out.now() == nil {
		s.out.buf = append(s.out.buf, `{"jsonrpc":"2.0","control":"`+reauthenticate+`","params":{"graceMs":5000}}`...)
		s.out.commit()
	}
}

// authenticate is the method that renews an authentication. The principal must
// stay the same: what is in flight is its. An error is the call's answer.
func (s *session) authenticate(r rpc.Request) error {
	if s.h.o.Authenticate == nil {
		return binding.ErrMethodNotFound
	}
	var m [2][]byte
	err := rpc.ReadObject(r.Params, []string{"scheme", "credentials"}, m[:])
	scheme, credentials := rpc.Text(m[0]), rpc.Text(m[1])
	if err != nil || scheme == "" || credentials == "" {
		return binding.Errorf(binding.InvalidParams, "params must have scheme and credentials, both strings")
	}
	sv := new(served)
	if err := s.begin(string(r.ID), sv); err != nil {
		return err
	}
	go func() {
		defer s.calls.End(sv.call)
		err := s.reauthenticated(sv.call, scheme+" "+credentials)
		if !s.beginLast(r.ID, sv) {
			return
		}
		if err != nil {
			s.out.buf = rpc.AppendErrorTo(s.out.buf, r.ID, err)
		} else {
			s.out.buf = appendSignal(s.out.buf, r.ID, `"result":{}`)
		}
		s.commit(nil)
	}()
	return nil
}

func (s *session) reauthenticated(ctx context.Context, authorization string) (err error) {
	defer func() {
		if v := recover(); v != nil { // net/http does so for the handshake
			s.h.o.Logger.Error("authentication panicked", "panic", v, "stack", string(debug.Stack()))
			err = binding.ErrInternal
		}
	}()
	at := s.url
	req := (&http.Request{
		Method: http.MethodGet, URL: &at, Host: s.host, RemoteAddr: s.peer, Header: http.Header{"Authorization": {authorization}},
	}).WithContext(ctx)
	who, err := s.h.o.Authenticate(ctx, req)
	if err != nil {
		return err
	}
	if who == nil {
		who = &Identity{}
	}
	if who.Name != s.name {
		return binding.Errorf(binding.PermissionDenied, "a connection keeps its principal; open another for another")
	}
	s.mu.Lock()
	s.credential, s.own = binding.Credential(authorization), who.Params.Clone()
	s.mu.Unlock()
	s.renew(who.Expires)
	return nil
}
