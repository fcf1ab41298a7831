package storm

import (
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
)

// Options describe a storm. Zero values are the documented defaults.
type Options struct {
	URI        string         // ws:// or wss://
	Clients    int            // 1 to MaxClients
	Policy     backoff.Policy // the zero policy is immediate:10ms, the anti-pattern
	Interval   time.Duration  // from full recovery, or the start, to the next burst; 0: 1 s
	Bursts     int            // 0: 1
	Timeout    time.Duration  // of one handshake; 0: 5 s
	Patience   time.Duration  // how long a burst may take to recover before the next; 0: 60 s
	Duration   time.Duration  // of everything; 0: 10 minutes
	Rate       float64        // attempts a second that are let through; 0: 20,000
	Ramp       float64        // first connects a second; 0: 2,000
	Seed       uint64         // of the waits
	First      int            // number of the first client, for one of several processes
	Workers    []string       // where the clients of each worker process connect; nil: all run in this process, at URI
	Self       []string       // the command of a process that calls Work; needed for Workers
	OwnTarget  string         // the host outside loopback that the caller answers for
	Drop       func() int     `json:"-"` // ends every session from the server's side; nil: the clients' sockets are closed
	Log        io.Writer      `json:"-"` // events in stormlint's own form, one a line; with Workers an *os.File opened for appending; nil: none
	Progress   func(Snapshot) `json:"-"` // called twice a second; nil: never
	skipVerify bool           // tests only: a certificate of their own
	dialed     bool           // tests only: lines of Go's net package where others would do
}

// MaxClients is the largest storm.
const MaxClients = 100_000

func (o *Options) validate() error {
	bad := func(field, value, expected string) error { return fault.Value("storm", field, value, expected) }
	target, err := url.Parse(o.URI)
	if err != nil || target.Host == "" || (target.Scheme != "ws" && target.Scheme != "wss") {
		return bad("uri", strconv.Quote(o.URI), "ws:// or wss:// and a host")
	}
	if host := target.Hostname(); !loopback(host) && (o.OwnTarget == "" || !strings.EqualFold(host, o.OwnTarget)) {
		return &fault.Error{Code: fault.BadUsage, Package: "storm", Field: "uri", Value: host,
			Expected: "a loopback address; for a server that is yours repeat its name: --i-own-this-target " + host}
	}
	if o.Clients < 1 || o.Clients > MaxClients {
		return bad("clients", strconv.Itoa(o.Clients), "1 to "+figure.Count(MaxClients))
	}
	for _, d := range []struct {
		field string
		value *time.Duration
		usual time.Duration
	}{
		{"burst interval", &o.Interval, time.Second}, {"timeout", &o.Timeout, 5 * time.Second},
		{"patience", &o.Patience, time.Minute}, {"duration", &o.Duration, 10 * time.Minute},
	} {
		if err := orUsual(d.field, d.value, d.usual); err != nil {
			return err
		}
	}
	for _, r := range []struct {
		field string
		value *float64
		usual float64
	}{{"rate", &o.Rate, 20_000}, {"ramp", &o.Ramp, 2_000}} {
		if !(*r.value >= 0 && *r.value <= 1e6) {
			return bad(r.field, strconv.FormatFloat(*r.value, 'g', -1, 64), "above 0, to 1,000,000 a second")
		}
		if *r.value == 0 {
			*r.value = r.usual
		}
	}
	if err := orOnce(&o.Bursts, 1); err != nil {
		return err
	}
	if o.Policy.Growth == "" {
		o.Policy, _ = backoff.Parse("immediate:10ms")
	}
	return nil
}

// orUsual fills in the default of a duration that is not given.
func orUsual(field string, d *time.Duration, usual time.Duration) error {
	if *d < 0 {
		return fault.Value("storm", field, d.String(), "a positive duration")
	}
	if *d == 0 {
		*d = usual
	}
	return nil
}

// orOnce fills in how many bursts there are.
func orOnce(n *int, usual int) error {
	if *n < 0 || *n > 1000 {
		return fault.Value("storm", "iterations", strconv.Itoa(*n), "1 to 1,000")
	}
	if *n == 0 {
		*n = usual
	}
	return nil
}

// loopback reports whether the host can only be this machine: no name but localhost is trusted, since names can change.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
