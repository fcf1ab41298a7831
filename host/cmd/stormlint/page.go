package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/page"
)

type pageVerb struct {
	Listen string `placeholder:"ADDR" default:"127.0.0.1:9090" help:"Serve here (${default}); port 0 takes a free one."`
	Public bool   `help:"Serve to other machines too: the page itself then crosses the network without TLS; logs still do not."`
}

// Help is printed below the flags.
func (pageVerb) Help() string {
	return `Serves the log checker: open the address in a browser and drop a log on it. It is read there, by this machine; nothing is
sent anywhere. Any static host serves the same files, js/dist/page.

  stormlint page
  stormlint page --listen 127.0.0.1:0`
}

// Run serves until it is interrupted.
func (v *pageVerb) Run(e *env) error {
	host, _, err := net.SplitHostPort(v.Listen)
	if err != nil {
		return fault.Value("page", "listen", v.Listen, "HOST:PORT, such as 127.0.0.1:9090")
	}
	if !v.Public && !own(host) {
		return fault.Value("page", "listen", v.Listen, "an address of this machine alone: localhost, or one of 127.0.0.0/8 or [::1] written in full, such as 127.0.0.1:9090; or --public besides")
	}
	handler, err := page.Handler()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", v.Listen)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(e.stdout, "http://%s/\n", l.Addr())
	if err := e.stdout.Flush(); err != nil {
		l.Close()
		return err
	}
	stop := context.AfterFunc(e.ctx, func() {
		end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		server.Shutdown(end)
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// own reports whether a host names this machine's loopback, which no other machine reaches.
func own(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
