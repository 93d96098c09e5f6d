package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
)

// slowBroker takes its time to connect, and then has one card.
func slowBroker(takes time.Duration, err error) catalogue.Entry {
	return catalogue.Entry{Broker: &catalogue.Broker{Cards: func(ctx context.Context, url string, _ binding.Options) (iter.Seq2[catalogue.Card, error], error) {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return func(yield func(catalogue.Card, error) bool) {
			if err != nil {
				yield(catalogue.Card{}, err)
				return
			}
			if yield(catalogue.Card{Address: url + "/a/b/c", Card: &pb.AgentCard{Name: "Slow"}, Online: true}, nil) {
				<-ctx.Done()
				yield(catalogue.Card{}, binding.Flatten(ctx.Err()))
			}
		}, nil
	}}}
}

// The time that a broker has to tell of a card begins when it is connected to.
func TestCardsOfASlowBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		a := &app{out: newPrinter(&out), errOut: io.Discard, json: true}
		require.NoError(t, a.brokerCards(t.Context(), slowBroker(2*cardWait, nil), "mqtt://b", binding.Options{}, false))
		var line struct {
			Address, Status string
			Card            struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &line))
		assert.Equal(t, []string{"mqtt://b/a/b/c", "online", "Slow"}, []string{line.Address, line.Status, line.Card.Name})

		got := ""
		stop := followCard(t.Context(), slowBroker(2*cardWait, nil), "mqtt://b", binding.Options{}, func(c *pb.AgentCard) { got = c.GetName() })
		assert.Equal(t, "Slow", got)
		stop()
	})
}

// Why a card is not followed is told, but to who has left.
func TestCardThatCannotBeFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o := binding.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		set := func(*pb.AgentCard) {}
		followCard(t.Context(), slowBroker(0, errors.New("it burns")), "mqtt://b", o, set)()
		assert.Contains(t, log.String(), "it burns")
		log.Reset()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		followCard(ctx, slowBroker(time.Hour, nil), "mqtt://b", o, set)()
		assert.Equal(t, time.Second, time.Since(start))
		assert.Empty(t, log.String())
	})
}
