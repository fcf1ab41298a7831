//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A small input that never comes: whoever waits for it is asked to end, and ends with exit 2.
func TestStoppedWhileWaiting(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	silent, held := io.Pipe() // nobody writes into it
	defer held.Close()
	caught := make(chan os.Signal, 1) // where nobody listens yet, or no longer, the test lives on
	signal.Notify(caught, syscall.SIGTERM)
	defer signal.Stop(caught)
	asks := time.NewTicker(20 * time.Millisecond)
	defer asks.Stop()
	for _, args := range [][]string{
		{"lint", "--delays", "-"},
		{"lint", "--delays", pipe},
		{"simulate", "--policy", "full", "--from", pipe},
		{"recommend", "--from", "-"},
		{"guard", "--limits", pipe, "--listen", "127.0.0.1:0", "--to", "127.0.0.1:1"},
	} {
		var stdout, stderr bytes.Buffer
		code := make(chan int, 1)
		go func() { code <- run(silent, &stdout, &stderr, args) }()
		got := -1
		for got < 0 {
			select {
			case got = <-code:
			case <-asks.C:
				syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
			}
		}
		if got != exitBad || stdout.Len() > 0 || !strings.Contains(stderr.String(), "stopped") {
			t.Errorf("%q: exit %d\n%s\n%s", args, got, stdout.String(), stderr.String())
		}
	}
}
