package guard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
)

func TestKeys(t *testing.T) {
	behind := []string{"10.0.0.0/8", "fd00::/8"}
	big := strings.Repeat("6.6.6.6, ", 120_000) + "198.51.100.9"
	for _, c := range []struct {
		name   string
		o      Options
		r      *http.Request
		want   string
		prefix bool
	}{
		{"peer", Options{}, knock("203.0.113.9:50000"), "203.0.113.9", false},
		{"a stranger's list is not believed", Options{}, knock("203.0.113.9:1", "X-Forwarded-For", "1.1.1.1"), "203.0.113.9", false},
		{"one proxy", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", "198.51.100.9"), "198.51.100.9", false},
		{"forged in front", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", "127.0.0.1, 10.9.9.9, 198.51.100.9, 10.0.0.2"), "198.51.100.9", false},
		{"two headers", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", "1.1.1.1", "X-Forwarded-For", "198.51.100.9"), "198.51.100.9", false},
		{"a megabyte", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", big), "198.51.100.9", false},
		{"a megabyte without an address", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", strings.Repeat("x", 1<<20)), "10.0.0.1", false},
		{"rubbish", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", ",,;=\x00\xff"), "10.0.0.1", false},
		{"empty", Options{TrustedProxies: behind}, knock("10.0.0.1:1", "X-Forwarded-For", ""), "10.0.0.1", false},
		{"another header", Options{TrustedProxies: behind, Forwarded: "forwarded"}, knock("10.0.0.1:1", "Forwarded", `for="[2001:db8:1:2:3::9]:7";proto=https`, "X-Forwarded-For", "1.1.1.1"), "2001:db8:1:2::", false},
		{"a customer's /64", Options{}, knock("[2001:db8:1:2:ffff::1]:443"), "2001:db8:1:2::", false},
		{"v4 in v6", Options{}, knock("[::ffff:203.0.113.9]:443"), "203.0.113.9", false},
		{"a zone", Options{}, knock("[fe80::1%eth0]:443"), "fe80::", false},
		{"no address", Options{}, knock("@"), "peer @", false},
		{"a header", Options{Key: "header:x-device"}, knock("203.0.113.9:1", "X-Device", "secret"), "header 2bb80d537b1da3e38bd30361", false},
		{"a header of a megabyte", Options{Key: "header:X-Device"}, knock("203.0.113.9:1", "X-Device", strings.Repeat("s", 1<<20)), "header ", true},
		{"without the header", Options{Key: "header:X-Device"}, knock("203.0.113.9:1"), "203.0.113.9", false},
		{"an empty header", Options{Key: "header:X-Device"}, knock("203.0.113.9:1", "X-Device", ""), "203.0.113.9", false},
		{"none", Options{Key: "none"}, knock("203.0.113.9:1"), "203.0.113.9", false},
	} {
		s, err := c.o.compile()
		if err != nil {
			t.Fatal(c.name, err)
		}
		before := c.r.Header.Clone()
		got := s.identify(c.r)
		if got.key != c.want && !(c.prefix && strings.HasPrefix(got.key, c.want)) || len(got.key) > 64 {
			t.Errorf("%s: key %q, want %q", c.name, got.key, c.want)
		}
		if fmt.Sprint(before) != fmt.Sprint(c.r.Header) {
			t.Errorf("%s: the request's headers were changed", c.name)
		}
	}
}

func TestAllow(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "ip", Allow: []string{"10.1.2.3"}, Client: bucket.Limit{Rate: 1, Burst: 1}, Fleet: bucket.Limit{Rate: 1, Burst: 1}})
	for range 50 {
		if w := g.do(knock("10.1.2.3:80")); w.Code != http.StatusTeapot {
			t.Fatal("a health check was refused")
		}
	}
	if w := g.do(knock("10.1.2.4:80")); w.Code != http.StatusTeapot {
		t.Error("health checks used up the fleet's tokens")
	}
}

// TestUndeclaredProxy: all clients come through one address that nobody declared, each forwarded as another: a limit for
// "each client" would be one for all, so it is suspended and said. The fleet's limit holds.
func TestUndeclaredProxy(t *testing.T) {
	run := func(o Options, request func(i int) *http.Request) (g *told, codes map[int]int) {
		o.Mode, o.Hold = Enforce, -1
		g, codes = tell(t, o), map[int]int{}
		for i := range 1000 {
			g.now = int64(i) * 10 * int64(time.Millisecond)
			codes[g.do(request(i)).Code]++
		}
		return
	}
	many := func(i int) *http.Request {
		return knock("192.0.2.1:1", "X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/250, i%250))
	}
	g, codes := run(Options{Key: "ip"}, many)
	if codes[http.StatusTooManyRequests] > 15 || !strings.Contains(g.log.String(), "proxy that was not declared") || strings.Count(g.log.String(), "proxy that was not declared") != 1 {
		t.Errorf("an undeclared proxy: %v\n%s", codes, g.log.String())
	}
	if l := g.suspects.keys(); len(l) != 1 || l[0] != "192.0.2.1" {
		t.Errorf("suspended: %v", l)
	}
	if _, codes = run(Options{Key: "ip", Fleet: bucket.Limit{Rate: 10, Burst: 1}}, many); codes[http.StatusTeapot] > 102 {
		t.Errorf("the fleet's limit did not hold for an undeclared proxy: %v", codes)
	}
	for name, c := range map[string]struct {
		o Options
		f func(int) *http.Request
	}{
		"a single hammering client": {Options{Key: "ip"}, func(int) *http.Request { return knock("192.0.2.1:1") }},
		"with one forwarded address": {Options{Key: "ip"}, func(int) *http.Request {
			return knock("192.0.2.1:1", "X-Forwarded-For", "6.6.6.6")
		}},
		"declared direct": {Options{Key: "direct"}, many},
		"key from a header": {Options{Key: "header:X-Device"}, func(i int) *http.Request {
			r := many(i)
			r.Header.Set("X-Device", "one")
			return r
		}},
		"declared": {Options{Key: "ip", TrustedProxies: []string{"192.0.2.1"}}, func(i int) *http.Request {
			return knock("192.0.2.1:1", "X-Forwarded-For", fmt.Sprintf("7.7.7.%d, 6.6.6.6", i%250))
		}},
		"too small a share": {Options{Key: "ip"}, func(i int) *http.Request {
			if i%8 == 0 {
				return many(i)
			}
			return knock(fmt.Sprintf("203.%d.%d.7:1", i/250, i%7))
		}},
	} {
		g, codes := run(c.o, c.f)
		if len(g.suspects.keys()) > 0 || strings.Contains(g.log.String(), "not declared") {
			t.Errorf("%s: suspended, %v", name, codes)
		}
		if name != "too small a share" && codes[http.StatusTooManyRequests] < 950 {
			t.Errorf("%s: %v", name, codes)
		}
	}
}

func TestSuspicionFades(t *testing.T) {
	g := tell(t, Options{Mode: Enforce, Key: "ip"})
	for i := range 40 {
		g.do(knock("192.0.2.1:1", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i)))
	}
	if len(g.suspects.keys()) != 1 {
		t.Fatal("not suspended")
	}
	for range 3 {
		g.now += int64(time.Minute)
		g.do(knock("192.0.2.1:1"))
	}
	if l := g.suspects.keys(); len(l) != 0 {
		t.Error("still suspended after minutes without forwarded addresses:", l)
	}
}

func TestHandshake(t *testing.T) {
	r := httptest.NewRequest("CONNECT", "/ws", nil)
	r.Header[":protocol"] = []string{"websocket"}
	if !handshake(r) {
		t.Error("extended CONNECT is not seen")
	}
	for _, c := range []struct {
		method, connection, upgrade string
		want                        bool
	}{{"GET", "upgrade", "websocket", true}, {"GET", "Upgrade, keep-alive", "h2c, WebSocket", true}, {"GET", "keep-alive", "websocket", false},
		{"POST", "upgrade", "websocket", false}, {"GET", "upgrade", "h2c", false}, {"GET", "", "", false}, {"CONNECT", "upgrade", "websocket", false}} {
		r := httptest.NewRequest(c.method, "/ws", nil)
		r.Header.Set("Connection", c.connection)
		r.Header.Set("Upgrade", c.upgrade)
		if handshake(r) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add("10.0.0.1:1", "1.1.1.1, 198.51.100.9", "x", "ip")
	f.Add("[2001:db8::1%z]:99", `for="[::1]:9";by=_x`, "", "header:X-Device")
	f.Add("@", ",,,", "\x00", "none")
	f.Add("", strings.Repeat(",", 5000), strings.Repeat("é", 100), "direct")
	f.Fuzz(func(t *testing.T, remote, list, device, rule string) {
		o := Options{Key: rule, TrustedProxies: []string{"10.0.0.0/8"}}
		s, err := o.compile()
		if err != nil {
			if o.TrustedProxies = nil; rule != "direct" {
				return
			}
			if s, err = o.compile(); err != nil {
				t.Fatal(err)
			}
		}
		r := &http.Request{Method: "GET", RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {list}, "X-Device": {device}}}
		c := s.identify(r)
		if len(c.key) > 64 || c.key == "" {
			t.Fatalf("key %q", c.key)
		}
		for _, b := range []byte(c.key) {
			if b < ' ' || b > '~' {
				t.Fatalf("key %q", c.key)
			}
		}
		if again := s.identify(r); again.key != c.key {
			t.Fatal("two keys for one request")
		}
	})
}
