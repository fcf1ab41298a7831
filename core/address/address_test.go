package address

import (
	"fmt"
	"net/netip"
	"testing"
)

var peers = []struct {
	in    string
	ports Ports
	want  string // "" for no address
	port  uint16
}{
	{"192.0.2.7", 0, "192.0.2.7", 0},
	{" 192.0.2.7\t", 0, "192.0.2.7", 0},
	{"192.0.2.7:50312", 0, "192.0.2.7", 50312},
	{"192.0.2.7:0", 0, "192.0.2.7", 0},
	{"2001:DB8::7", 0, "2001:db8::7", 0},
	{"[2001:db8::7]", 0, "2001:db8::7", 0},
	{"[2001:db8::7]:50312", 0, "2001:db8::7", 50312},
	{"2001:db8::1:8080", PortMaybe, "2001:db8::1:8080", 0},
	{"2001:db8::1:8080", PortAlways, "2001:db8::1", 8080},
	{"2001:db8:0:0:0:0:0:1:8080", PortMaybe, "2001:db8::1", 8080},
	{"::ffff:192.0.2.7", 0, "192.0.2.7", 0},
	{"::ffff:192.0.2.7:81", 0, "192.0.2.7", 81},
	{"::ffff:c000:207", 0, "192.0.2.7", 0},
	{"fe80::1%eth0", 0, "fe80::1", 0},
	{"[fe80::1%eth0]:9", 0, "fe80::1", 9},
	{"0:0:0:0:0:0:0:1", 0, "::1", 0},
	{"[0:0:0:0:0:0:0:1]", 0, "::1", 0},
	{"('192.0.2.7', 5)", 0, "192.0.2.7", 5},
	{"('::1', 5, 0, 0)", 0, "::1", 5},
	{`"192.0.2.7:6"`, 0, "192.0.2.7", 6},
	{"1:0:0:2:0:0:0:3", 0, "1:0:0:2::3", 0},
	{"1:2:3:0:5:6:7:8", 0, "1:2:3:0:5:6:7:8", 0},
	{"", 0, "", 0},
	{"-", 0, "", 0},
	{"unix:", 0, "", 0},
	{"unix:/run/x.sock", 0, "", 0},
	{"unknown", 0, "", 0},
	{"localhost", 0, "", 0},
	{"192.0.2.x", 0, "", 0},
	{"192.0.2.07", 0, "", 0},
	{"192.0.2.256", 0, "", 0},
	{"192.0.2", 0, "", 0},
	{"192.0.2.7:65536", 0, "", 0},
	{"192.0.2.7:", 0, "", 0},
	{"192.0.2.7:http", 0, "", 0},
	{"192.0.2.7", PortAlways, "192.0.2.7", 0},
	{"[192.0.2.7]:5", 0, "", 0},
	{"[2001:db8::7", 0, "", 0},
	{"[2001:db8::7]50", 0, "", 0},
	{"1::2::3", 0, "", 0},
	{"1:2:3:4:5:6:7::8", 0, "", 0},
	{"fe80::1%", 0, "", 0},
	{"192.0.2.7, 192.0.2.8", 0, "", 0},
	{"d3b07384d113edec49eaa6238ad5ff00", 0, "", 0},
}

func TestParsePeer(t *testing.T) {
	for _, c := range peers {
		p, ok := ParsePeer([]byte(c.in), c.ports)
		if ok != (c.want != "") || ok && (p.Addr.String() != c.want || p.Port != c.port) {
			t.Errorf("ParsePeer(%q, %d) = %v %d, %v; want %q %d", c.in, c.ports, p.Addr, p.Port, ok, c.want, c.port)
		}
	}
}

// agree holds Parse, String and Class against net/netip for one text.
func agree(t *testing.T, text string) {
	t.Helper()
	a, ok := Parse([]byte(text))
	want, err := netip.ParseAddr(text)
	if ok != (err == nil) {
		t.Fatalf("Parse(%q) = %v, %v; netip: %v", text, a, ok, err)
	}
	if !ok {
		return
	}
	want = want.WithZone("").Unmap()
	if a.String() != want.String() || a != Addr(want.As16()) || a.Is4() != want.Is4() {
		t.Fatalf("Parse(%q) = %v; netip: %v", text, a, want)
	}
	c := a.Class()
	if (c == Loopback) != want.IsLoopback() || (c == LinkLocal) != want.IsLinkLocalUnicast() || (c == Private) != want.IsPrivate() {
		t.Fatalf("class of %q is %d", text, c)
	}
	if back, ok := Parse(a.Append(nil)); !ok || back != a {
		t.Fatalf("%q printed as %v reads as %v", text, a, back)
	}
}

func TestParseEqualsNetip(t *testing.T) {
	for _, c := range peers {
		agree(t, c.in)
	}
	// Every pattern of zero groups, printed and read back.
	for zeros := range 256 {
		var a Addr
		for i := range 8 {
			if zeros>>i&1 == 0 {
				a[2*i+1] = byte(i + 1)
			}
		}
		agree(t, a.String())
		if want := netip.AddrFrom16(a).Unmap().String(); a.String() != want {
			t.Errorf("%x prints as %v, netip: %v", a[:], a, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range peers {
		f.Add(c.in)
	}
	f.Add("::1.2.3.4")
	f.Add("1:2:3:4:5:6:1.2.3.4")
	f.Add("::ffff:0:1.2.3.4%z%z")
	f.Fuzz(func(t *testing.T, text string) {
		agree(t, text)
		for _, ports := range []Ports{PortMaybe, PortAlways} {
			if p, ok := ParsePeer([]byte(text), ports); !ok && p != (Peer{}) {
				t.Fatalf("ParsePeer(%q) refuses and returns %v", text, p)
			}
		}
		p, ok := ParsePrefix([]byte(text))
		want, err := netip.ParsePrefix(text)
		if err == nil && !want.Addr().Is4In6() {
			if !ok || p.String() != trimSingle(want.Masked()) {
				t.Fatalf("ParsePrefix(%q) = %v, %v; netip: %v", text, p, ok, want)
			}
		}
	})
}

func trimSingle(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}

func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		net, in string
		want    bool
	}{
		{"10.0.0.0/8", "10.255.0.1", true},
		{"10.0.0.0/8", "11.0.0.1", false},
		{"10.0.0.0/8", "::ffff:10.1.2.3", true},
		{"192.0.2.7", "192.0.2.7", true},
		{"192.0.2.7", "192.0.2.8", false},
		{"0.0.0.0/0", "8.8.8.8", true},
		{"0.0.0.0/0", "2001:db8::1", false},
		{"::/0", "2001:db8::1", true},
		{"2001:db8::/33", "2001:db8:7fff::1", true},
		{"2001:db8::/33", "2001:db8:8000::1", false},
	} {
		p, ok := ParsePrefix([]byte(c.net))
		a, _ := Parse([]byte(c.in))
		if !ok || p.Contains(a) != c.want {
			t.Errorf("%s contains %s: %v, want %v", c.net, c.in, !c.want, c.want)
		}
	}
	for _, bad := range []string{"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "2001:db8::/129", "x/8"} {
		if _, err := ParseProxies([]string{bad}); err == nil {
			t.Errorf("ParseProxies(%q) has no error", bad)
		}
	}
}

func TestClient(t *testing.T) {
	ours, err := ParseProxies([]string{"10.0.0.0/8, 2001:db8:aaaa::/48"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ peer, list, want string }{
		{"203.0.113.1", "198.51.100.9", "203.0.113.1"},                  // a stranger's list is not believed
		{"10.0.0.1", "198.51.100.9", "198.51.100.9"},                    // one proxy
		{"10.0.0.1", "6.6.6.6, 198.51.100.9", "198.51.100.9"},           // the leftmost may be forged
		{"10.0.0.1", "6.6.6.6, 198.51.100.9, 10.0.0.2", "198.51.100.9"}, // two proxies
		{"10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"},                   // a client of our own network
		{"10.0.0.1", "198.51.100.9, unknown", "10.0.0.1"},               // an unreadable entry ends the walk
		{"10.0.0.1", "", "10.0.0.1"},                                    // no list
		{"", "6.6.6.6, 198.51.100.9", "198.51.100.9"},                   // a log without the peer
		{"10.0.0.1", "for=6.6.6.6, For=\"[2001:db8::7]:99\";proto=https", "2001:db8::7"},
		{"2001:db8:aaaa::1", "198.51.100.9:4711", "198.51.100.9"},
	} {
		peer, _ := Parse([]byte(c.peer))
		if got := ours.Client(peer, []byte(c.list)); got.String() != c.want {
			t.Errorf("peer %s, list %q: client %v, want %s", c.peer, c.list, got, c.want)
		}
		if got := Proxies(nil).Client(peer, []byte(c.list)); got != peer {
			t.Errorf("without proxies the client is %v", got)
		}
	}
	for n, want := range []string{"", "c", "b", "a", ""} {
		if got := string(Hop([]byte("a, b,c"), n)); got != want {
			t.Errorf("hop %d is %q, want %q", n, got, want)
		}
	}
}

func TestNet64(t *testing.T) {
	for in, want := range map[string]string{"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "192.0.2.7": "192.0.2.7"} {
		a, _ := Parse([]byte(in))
		if got := a.Net64().String(); got != want {
			t.Errorf("Net64(%s) = %s", in, got)
		}
	}
}

func ExampleProxies_Client() {
	ours, _ := ParseProxies([]string{"10.0.0.0/8"})
	peer, _ := ParsePeer([]byte("10.0.0.1:443"), PortMaybe)
	fmt.Println(ours.Client(peer.Addr, []byte("6.6.6.6, 198.51.100.9, 10.0.0.2")))
	// Output: 198.51.100.9
}
