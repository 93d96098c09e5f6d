package main

import (
	"context"
	"encoding/json"
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
	failed := func(err error) {
		if ctx.Err() == nil {
			o.Logger.Error("the agent's card is not followed", "address", at, "error", err)
		}
	}
	cards, err := e.Broker.Cards(ctx, at, o)
	if err != nil {
		failed(err)
		return cancel
	}
	first := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		defer once.Do(func() { close(first) })
		for found, err := range cards {
			if err != nil {
				failed(err)
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
	case <-ctx.Done():
	}
	return func() { cancel(); wg.Wait() }
}

// brokerCards prints the cards at a broker, or the one of an address: those
// that the broker keeps, or with watch what comes after them, too.
func (a *app) brokerCards(ctx context.Context, e catalogue.Entry, at string, o binding.Options, watch bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cards, err := e.Broker.Cards(ctx, at, o)
	if err != nil {
		return err
	}
	quiet := time.AfterFunc(cardWait, func() {
		if !watch {
			cancel()
		}
	})
	defer quiet.Stop()
	seen := 0
	for found, err := range cards {
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
	state, color := "online", green
	switch {
	case found.Card == nil:
		state, color = "gone", red
	case !found.Online:
		state, color = "offline", red
	}
	if a.json {
		line := struct {
			Address string          `json:"address"`
			Status  string          `json:"status"`
			Card    json.RawMessage `json:"card,omitempty"`
		}{Address: found.Address, Status: state}
		if found.Card != nil {
			var err error
			if line.Card, err = binding.MessagePayload(found.Card).JSON(); err != nil {
				return err
			}
		}
		return a.out.value(line)
	}
	a.out.line("%s  %s", found.Address, a.out.paint(color, state))
	if found.Card != nil {
		a.out.card(found.Card)
	}
	return nil
}
