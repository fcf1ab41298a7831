//go:build envoy

package envoy

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// BenchmarkStorm is a picture: 500 clients of `stormlint storm`, cut off together, come back through Envoy to a `stormlint
// gateway` that does a hundred handshakes a second and loses a tenth of one for each that it rejects; with the filter in
// shadow, and enforcing. The minute's line says what the filter saw.
func BenchmarkStorm(b *testing.B) {
	backend := free(b)
	limits := `"key": "none", "fleet_rate": 100, "fleet_burst": 10, "log": 0`
	p := configure(b, build(b, ""), backend, `{"mode": "shadow", "share": "shadow", `+limits+`}`, `{"mode": "enforce", "share": "enforce", `+limits+`}`).run(2)
	for k, mode := range []string{"shadow", "enforcing"} {
		gateway := exec.Command(*linter, "gateway", "--listen", "127.0.0.1:"+backend, "--capacity", "100", "--reject-cost", "0.1")
		var said bytes.Buffer
		gateway.Stderr, gateway.Stdout = &said, &said
		if err := gateway.Start(); err != nil {
			b.Fatal(err)
		}
		p.wait("the gateway listens", 10*time.Second, func() bool {
			c, err := net.Dial("tcp", "127.0.0.1:"+backend)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
		out, err := exec.Command(*linter, "storm", "--uri", "ws://"+p.doors[k].address()+"/", "--clients", "500", "--iterations", "1", "--policy", "full:1s:10s").CombinedOutput()
		gateway.Process.Signal(os.Interrupt)
		gateway.Wait()
		if err != nil {
			b.Errorf("%v", err)
		}
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		b.Logf("the filter: %s\n%s\nthe gateway: %s\n", mode, out, lines[len(lines)-1])
	}
}
