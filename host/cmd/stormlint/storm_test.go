//go:build unix

package main

import (
	"bytes"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gobwas/ws"
)

// TestMain is a keeper's or a worker's process when the test starts itself again as such.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "keep" || os.Args[1] == "work") {
		os.Exit(run(os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// A storm that is asked to end says what ran, and exits as one that has not answered: whoever waits for the verdict must not take
// it for a good one. The programs, and the server, ask for the end themselves, once they are there.
func TestStormStopped(t *testing.T) {
	me := os.Getpid()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := ws.Upgrade(c); err == nil {
					syscall.Kill(me, syscall.SIGTERM)
					ws.ReadHeader(c) // until the other side ends
				}
			}()
		}
	}()
	uri := "ws://" + l.Addr().String()
	client, err := os.ReadFile("../../storm/examples/client.py")
	if err != nil {
		t.Fatal(err)
	}
	program := t.TempDir() + "/client.py"
	ends := "import os, signal\nos.kill(" + strconv.Itoa(me) + ", signal.SIGTERM)\n"
	if err := os.WriteFile(program, append([]byte(ends), client...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		has  string // of the report
		want string
	}{
		{[]string{"--uri", uri, "--clients", "1", "--burst-interval", "1h"}, "Stopped early (interrupted)", "stopped (interrupted) when 0 of 3 drops had begun"},
		{[]string{"--uri", uri, "--clients", "1", "--burst-interval", "1h", "-o", "json", "--expect", "out<1"}, `"stopped":"interrupted"`, "stopped (interrupted) when 0 of 3"},
		{[]string{"--uri", uri, "--clients", "1", "--burst-interval", "1h", "-o", "article"}, `"total_clients":1`, "stopped (interrupted)"},
		{[]string{"--clients", "1", "--burst-interval", "1h", "--max-duration", "300ms"}, "Stopped early (duration)", "stopped (duration) when 0 of 3"},
		{[]string{"--uri", "ws://127.0.0.1:1", "--clients", "1", "--burst-interval", "50ms", "--patience", "100ms", "--iterations", "1", "--expect", "out<1"}, "× refused", "no client ever had a connection: nothing was dropped, and nothing is judged; what came instead, mostly: refused"},
		{[]string{"--exec", "true"}, "", "client 0 ended before it had connected: exit status 0\n"},
		{[]string{"--exec", "python3 " + program + " {uri}", "--clients", "1", "--burst-interval", "1h"}, "Stopped early (interrupted)", "stopped (interrupted) when 0 of 3"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(nil, &stdout, &stderr, append([]string{"storm"}, c.args...))
		if code != exitBad || !strings.Contains(stdout.String(), c.has) || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%q: exit %d\n%.600s\n%s", c.args, code, stdout.String(), stderr.String())
		}
	}
}
