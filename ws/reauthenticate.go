package ws

import (
	"context"
	"strings"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/mux"
	"github.com/a2awire/a2awire/internal/strictjson"
)

// control deals with a frame that is about the connection. Kinds that are not
// known are passed over.
func (l *link) control(kind string) {
	if kind != reauthenticate || l.c.o.Reauthenticate == nil {
		return
	}
	l.mu.Lock()
	already := l.renews
	l.renews = true
	l.mu.Unlock()
	if already {
		return
	}
	l.c.closing.Add(1)
	go func() {
		defer l.c.closing.Done()
		defer l.renewed()
		ctx, cancel := context.WithTimeout(l.c.life, reauthenticationTime)
		defer cancel()
		if err := l.reauthenticate(ctx); err != nil {
			l.c.o.Logger.Error("authentication was not renewed", "error", err)
		}
	}()
}

func (l *link) renewed() {
	l.mu.Lock()
	l.renews = false
	l.mu.Unlock()
}

// reauthenticate sends a new credential and waits for the verdict.
func (l *link) reauthenticate(ctx context.Context) error {
	cred, err := l.c.o.Reauthenticate(ctx)
	if err != nil {
		return err
	}
	scheme, credentials, _ := strings.Cut(cred.Reveal(), " ")
	w, err := l.enlist(binding.OpDeleteTaskPushNotificationConfig, 1) // whose answer is empty, as this one's
	if err != nil {
		return err
	}
	if err := l.out.begin(ctx); err != nil {
		l.forget(w)
		return err
	}
	l.out.buf = append(l.out.buf, `{"jsonrpc":"2.0","id":`...)
	l.out.buf = appendID(l.out.buf, w.id)
	l.out.buf = append(l.out.buf, `,"method":"`+methodAuthenticate+`","params":{"scheme":`...)
	l.out.buf = strictjson.AppendString(l.out.buf, scheme)
	l.out.buf = append(l.out.buf, `,"credentials":`...)
	l.out.buf = strictjson.AppendString(l.out.buf, credentials)
	l.out.buf = append(l.out.buf, `}}`...)
	l.out.commit()
	a, _, ok, err := w.queue.Take(ctx)
	if !ok {
		l.forget(w)
		return err
	}
	return a.err
}

// enlist registers a call.
func (l *link) enlist(op *binding.Op, items int) (*waiter, error) {
	w := &waiter{op: op, queue: mux.NewQueue[arrival](items, WindowBytes)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil, l.err
	}
	l.next++
	w.id = l.next
	l.waiting[w.id] = w
	return w, nil
}
