//go:build unix

package storm

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stormlint/stormlint/host/gateway"
)

// A gateway's process that is stopped, as by SIGSTOP, hangs neither a drop nor the end.
func TestStoppedGateway(t *testing.T) {
	t.Parallel()
	g, err := StartGateways(t.Context(), []string{os.Args[0], "work"}, 2, gateway.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	stopped := g.list[0]
	stopped.silence = 50 * time.Millisecond
	stopped.process.Process.Signal(syscall.SIGSTOP)
	if n := g.Drop(); n != 0 {
		t.Errorf("%d dropped", n)
	}
	if err := g.Close(); err == nil || !strings.Contains(err.Error(), "has said nothing for 50 ms") {
		t.Errorf("%v", err)
	}
}
