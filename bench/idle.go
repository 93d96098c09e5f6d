//go:build unix

package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"syscall"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/ws"
)

// idle measures what connections cost that nobody uses: memory of both ends,
// heap and stacks, after each has carried one call.
func idle(want int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	n := min(want, int(limit.Cur)/2-100)
	ctx := context.Background()
	b := ws.Binding{Options: ws.Options{MaxConnections: n}}
	s, err := b.Serve(ctx, &pb.AgentInterface{Url: "ws://127.0.0.1:0"}, newStub(0))
	if err != nil {
		return err
	}
	defer s.Close()
	before := inUse()
	clients := make([]binding.Client, n)
	var wg sync.WaitGroup
	errs := make(chan error, n)
	gate := make(chan struct{}, 64)
	for i := range clients {
		gate <- struct{}{}
		wg.Go(func() {
			defer func() { <-gate }()
			c, err := ws.Dial(ctx, s.Interface().GetUrl(), &b.Options)
			if err == nil {
				clients[i] = c
				_, err = c.SendMessage(ctx, nil, request())
			}
			if err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return err
	}
	each := float64(inUse()-before) / float64(n) / 1024
	fmt.Printf("\n%d idle WebSocket connections, each used once: %.1f KiB each, both ends together\n", n, each)
	for _, c := range clients {
		wg.Go(func() { _ = c.Close() })
	}
	wg.Wait()
	return nil
}

func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
