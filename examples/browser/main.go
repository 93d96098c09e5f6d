// Command browser serves a page that holds a conversation with an agent over
// the WebSocket binding, and the reference agent that it talks to, on one
// loopback address.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/a2awire/a2awire/refagent"
	"github.com/a2awire/a2awire/ws"
)

//go:embed page
var files embed.FS

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "`address` to listen at; port 0 takes a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *addr, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

// drain is how long streams in flight may take when the server is told to stop.
const drain = 2 * time.Second

// run serves until the context ends, and writes the page's URL when it can be opened.
func run(ctx context.Context, addr string, out io.Writer) (err error) {
	agent := refagent.New(nil)
	defer func() { err = errors.Join(err, agent.Close()) }()
	sockets := ws.NewHandler(agent, nil)
	defer func() { err = errors.Join(err, sockets.Close()) }()
	mux := http.NewServeMux()
	mux.Handle("/", pageHandler())
	mux.Handle("/ws", sockets)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}

	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	_, err = fmt.Fprintf(out, "http://%s/\n", l.Addr())
	if err == nil {
		select {
		case err = <-served:
			return err
		case <-ctx.Done():
		}
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	_ = sockets.Shutdown(late) // Close ends what has not ended in time
	err = errors.Join(err, server.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// pageHandler serves the page, which loads nothing from elsewhere and connects
// to nobody else.
func pageHandler() http.Handler {
	page, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the name is not valid
	}
	server := http.FileServerFS(page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src data:; frame-ancestors 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		server.ServeHTTP(w, r)
	})
}
