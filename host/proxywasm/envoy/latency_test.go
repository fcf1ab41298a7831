//go:build envoy

package envoy

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const nothing = "      \n"

// BenchmarkLatency compares handshakes through Envoy without the filter, and with it: in shadow as it comes, enforcing,
// refusing. All are interleaved in blocks, each block's median is compared with that of the block without the filter, and
// the median of these ratios is what holds on a busy machine.
func BenchmarkLatency(b *testing.B) {
	const blocks, each = 60, 40
	kinds := []struct{ name, configuration string }{
		{"no filter", nothing},
		{"shadow", `{"key": "ip", "share": "a"}`},
		{"shadow, one client in a hundred logged", `{"key": "ip", "log": 0.01, "share": "b"}`},
		{"enforcing, both limits", `{"mode": "enforce", "key": "ip", "rate": 100000, "burst": 100000, "fleet_rate": 200000, "fleet_burst": 100000, "share": "c"}`},
		{"fleet limit of a worker, nothing watched", `{"mode": "enforce", "key": "none", "scope": "worker", "fleet_rate": 200000, "log": 0, "watch": false}`},
	}
	var configurations []string
	for _, k := range kinds {
		configurations = append(configurations, k.configuration)
	}
	p := configure(b, build(b, ""), answering(b), configurations...).run(2)
	warm(b, p, 6000)
	warm(b, p, 3000)
	took, ratios, cpu := make([][]time.Duration, len(kinds)), make([][]float64, len(kinds)), make([]int64, len(kinds))
	for block := range blocks {
		base := time.Duration(0)
		for at := range kinds {
			k := (at + block) % len(kinds)
			if at == 0 { // the base first, then the others in turn
				k = 0
			} else if k == 0 {
				k = block % len(kinds)
			}
			var list []time.Duration
			before := p.processor("wrk:")
			for i := range each {
				list = append(list, handshake(b, p.doors[k].address(), "127.0.30."+strconv.Itoa(1+i)))
			}
			cpu[k] += p.processor("wrk:") - before
			slices.Sort(list)
			if took[k] = append(took[k], list...); k == 0 {
				base = list[each/2]
			}
			ratios[k] = append(ratios[k], float64(list[each/2])/float64(base))
		}
	}
	b.Logf("%-44s %9s %9s %7s %14s", "handshakes through Envoy, µs", "median", "p99", "ratio", "worker's CPU")
	for k := range kinds {
		slices.Sort(took[k])
		slices.Sort(ratios[k])
		n := len(took[k])
		b.Logf("%-44s %9.0f %9.0f %7.3f %14.0f", kinds[k].name, micro(took[k][n/2]), micro(took[k][n*99/100]), ratios[k][len(ratios[k])/2], float64(cpu[k])/float64(n)/1e3)
	}
	b.ReportMetric(ratios[1][len(ratios[1])/2], "ratio")
}

// warm lets V8 compile what is called often, which it does while it runs.
func warm(b *testing.B, p *proxy, handshakes int) {
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := g; i < handshakes; i += 4 {
				if _, err := ask(p.doors[i/4%len(p.doors)].address(), "127.0.31."+strconv.Itoa(1+i%200)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	p.wait("the compiler rests", 2*time.Minute, func() bool {
		before := p.processor("")
		time.Sleep(500 * time.Millisecond)
		return p.processor("")-before < int64(50*time.Millisecond)
	})
}

func micro(d time.Duration) float64 { return float64(d) / 1e3 }

// answering is a server that answers every handshake, and does as little else as it can.
func answering(t testing.TB) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				if _, ok := head(r); !ok {
					return
				}
				c.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"))
				r.ReadByte() // until the other side ends it
			}()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// head reads the lines up to the empty one.
func head(r *bufio.Reader) (lines []string, ok bool) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return lines, false
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return lines, true
		}
		lines = append(lines, line)
	}
}

// answer is what a client hears.
type answer struct {
	status string
	after  time.Duration // to wait as told; 0 for nothing told
}

// ask makes a handshake, and ends it.
func ask(address, from string) (a answer, err error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
	c, err := dialer.Dial("tcp", address)
	if err != nil {
		return a, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err = c.Write([]byte("GET /ws HTTP/1.1\r\nHost: example.org\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nUser-Agent: app/1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")); err != nil {
		return a, err
	}
	lines, ok := head(bufio.NewReader(c))
	if !ok || len(lines) == 0 || len(lines[0]) < 12 {
		return a, net.ErrClosed
	}
	a.status = lines[0][9:12]
	for _, l := range lines[1:] {
		name, value, _ := strings.Cut(l, ": ")
		n, _ := strconv.Atoi(value)
		switch strings.ToLower(name) {
		case "retry-after-ms":
			a.after = time.Duration(n) * time.Millisecond
		case "retry-after":
			if a.after == 0 {
				a.after = time.Duration(n) * time.Second
			}
		}
	}
	return a, nil
}

func handshake(t testing.TB, address, from string) time.Duration {
	began := time.Now()
	a, err := ask(address, from)
	took := time.Since(began)
	if err != nil || a.status != "101" {
		t.Fatalf("%+v, %v", a, err)
	}
	return took
}

// processor is what those of Envoy's threads have used whose names begin so, in ns.
func (p *proxy) processor(threads string) (sum int64) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(p.pid) + "/task/*/schedstat")
	for _, f := range files {
		if name, _ := os.ReadFile(filepath.Dir(f) + "/comm"); !strings.HasPrefix(string(name), threads) {
			continue
		}
		text, _ := os.ReadFile(f)
		n, _, _ := strings.Cut(string(text), " ")
		v, _ := strconv.ParseInt(n, 10, 64)
		sum += v
	}
	return sum
}
