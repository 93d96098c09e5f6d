package ws

import (
	"context"
	"net/http"
	"time"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/rpc"
	"github.com/a2awire/a2awire/internal/strictjson"
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
		s.expiry = time.AfterFunc(time.Until(expires), func() { s.expire(term) })
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
	s.expiry = time.AfterFunc(reauthenticationTime, func() { s.end(statusAuth, "the authentication has expired") })
	ready := s.sock != nil
	s.mu.Unlock()
	if ready {
		ctx, cancel := context.WithTimeout(context.Background(), reauthenticationTime)
		defer cancel()
		if s.out.begin(ctx) == nil {
			s.out.buf = append(s.out.buf, `{"jsonrpc":"2.0","control":"`+reauthenticate+`","params":{"graceMs":5000}}`...)
			s.out.commit()
		}
	}
}

// authenticate is the method that renews an authentication. The principal must
// stay the same: what is in flight is its.
func (s *session) authenticate(r rpc.Request) {
	var m [2][]byte
	err := rpc.ReadObject(r.Params, []string{"scheme", "credentials"}, m[:])
	scheme, credentials := text(m[0]), text(m[1])
	switch {
	case err != nil || scheme == "" || credentials == "":
		s.answer(r.ID, binding.Errorf(binding.InvalidParams, "params must have scheme and credentials, both strings"))
		return
	case s.h.o.Authenticate == nil:
		s.answer(r.ID, binding.ErrMethodNotFound)
		return
	}
	sv, err := s.begin(string(r.ID), nil)
	if err != nil {
		s.answer(r.ID, err)
		return
	}
	go func() {
		defer s.calls.End(sv.call)
		err := s.reauthenticated(sv.call, scheme+" "+credentials)
		s.finish(string(r.ID), sv)
		if err != nil {
			s.answer(r.ID, err)
		} else if s.out.begin(context.Background()) == nil {
			s.out.buf = appendSignal(s.out.buf, r.ID, `"result":{}`)
			s.out.commit()
		}
	}()
}

func (s *session) reauthenticated(ctx context.Context, authorization string) error {
	req := (&http.Request{Method: http.MethodGet, RemoteAddr: s.peer, Header: http.Header{"Authorization": {authorization}}}).WithContext(ctx)
	who, err := s.h.o.Authenticate(ctx, req)
	switch {
	case err != nil:
		return err
	case who == nil || who.Name != s.name:
		return binding.Errorf(binding.PermissionDenied, "a connection keeps its principal; open another for another")
	}
	s.mu.Lock()
	s.credential, s.own = binding.Credential(authorization), who.Params.Clone()
	s.mu.Unlock()
	s.renew(who.Expires)
	return nil
}

func text(raw []byte) string {
	s := strictjson.Scanner{In: raw}
	b, err := s.Str()
	if err != nil {
		return ""
	}
	return string(b)
}
