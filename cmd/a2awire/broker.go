package main

import (
	"context"
	"errors"
	"sync"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// cardWait is how long a broker may take to tell of the next agent. It has
// what it keeps at hand.
const cardWait = 2 * time.Second

// followCard hands over the card of the agent at a broker's address, now and
// whenever it changes. It returns when the first is there, or cannot be; stop
// ends it.
func followCard(ctx context.Context, e catalogue.Entry, at string, o binding.Options, set func(*pb.AgentCard)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	first := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		defer once.Do(func() { close(first) })
		for found, err := range e.Broker.Cards(ctx, at, o) {
			if err != nil {
				return
			}
			if found.Card != nil {
				set(found.Card)
			}
			once.Do(func() { close(first) })
		}
	})
	late := time.NewTimer(cardWait)
	defer late.Stop()
	select {
	case <-first:
	case <-late.C:
	}
	return func() { cancel(); wg.Wait() }
}

// brokerCards prints the cards at a broker, or the one of an address: those
// that the broker keeps, or with watch what comes after them, too.
func (a *app) brokerCards(ctx context.Context, e catalogue.Entry, at string, o binding.Options, watch bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(cardWait, func() {
		if !watch {
			cancel()
		}
	})
	defer quiet.Stop()
	seen := 0
	for found, err := range e.Broker.Cards(ctx, at, o) {
		if err != nil {
			if errors.Is(err, context.Canceled) && ctx.Err() != nil {
				break
			}
			return err
		}
		quiet.Reset(cardWait)
		seen++
		if err := a.brokerCard(found); err != nil {
			return err
		}
		if !watch && found.Address == at {
			return nil
		}
	}
	if seen == 0 && !watch {
		return binding.Errorf(binding.Unavailable, "no agent has a card at %s", at)
	}
	return nil
}

func (a *app) brokerCard(found catalogue.Card) error {
	state := a.out.paint(green, "online")
	switch {
	case found.Card == nil:
		state = a.out.paint(red, "gone")
	case !found.Online:
		state = a.out.paint(red, "offline")
	}
	if a.json {
		if found.Card == nil {
			return nil
		}
		return a.out.message(found.Card)
	}
	a.out.line("%s  %s", found.Address, state)
	if found.Card != nil {
		a.out.card(found.Card)
	}
	return nil
}
