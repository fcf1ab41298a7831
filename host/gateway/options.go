package gateway

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/fault"
)

// Options describe a gateway. The zero value is a server without limits that echoes.
type Options struct {
	Capacity     float64         // handshakes a second; 0: no limit
	Backlog      int             // handshakes that may wait; 0: half a second of work, at least 1
	RejectCost   float64         // of one rejection, in handshakes, 0 to 1
	ConnectDelay time.Duration   // added to every handshake
	FDLimit      int             // sockets at once; 0: no limit
	Outages      []Outage        // in any order, not overlapping
	DropAt       []time.Duration // since the start: every session ends at once
	DrainOver    time.Duration   // Close ends the sessions evenly over this; 0: at once
	Reject       Rejection       // how a rejection is told
	RetryAfter   time.Duration   // the hint in a rejection; 0: none
	AccessLog    io.Writer       `json:"-"` // nil: none
	LogFormat    LogFormat       // of AccessLog
	Watch        func(Sighting)  `json:"-"` // told of every handshake and every session's end, by many goroutines at once; nil: nobody
	each         bool            // tests only: a goroutine for every socket, where a poller would do
}

// Sighting is one handshake, or the end of one session, as the gateway saw it.
type Sighting struct {
	Sight Sight
	Path  string    // of the request, without its query
	Peer  string    // address and port
	Begin time.Time // when the socket was accepted; of an end: when the session began
	End   time.Time // when it was answered; of an end: when the session ended
}

// Sight is what was seen.
type Sight uint8

// The sights.
const (
	Opened   Sight = iota // a handshake that gave a session
	Rejected              // a handshake that was told to come back later
	Broken                // a request whose client was gone before the answer
	Closed                // the end of a session
)

// Outage is a time in which the gateway serves nobody.
type Outage struct {
	At, For time.Duration // since the start
	Hang    bool          // accept and stay silent until the end, instead of refusing
}

// Rejection is how an overloaded gateway says no.
type Rejection uint8

// The rejections.
const (
	Unavailable     Rejection = iota // 503
	TooManyRequests                  // 429
	TryAgainLater                    // accept, then close with 1013
)

// LogFormat is a form of access log.
type LogFormat uint8

// The forms of access log.
const (
	OwnJSON LogFormat = iota // stormlint's own events, one a line
	Nginx                    // combined with $request_time and $msec: written at the close
	Envoy                    // Envoy's default text: written at the close, times of the start
)

// ParseRejection reads 503, 429 or 1013.
func ParseRejection(word string) (Rejection, error) {
	for i, w := range []string{"503", "429", "1013"} {
		if w == word {
			return Rejection(i), nil
		}
	}
	return 0, fault.Value("gateway", "reject", strconv.Quote(word), "503, 429 or 1013")
}

// ParseLogFormat reads json, nginx or envoy.
func ParseLogFormat(word string) (LogFormat, error) {
	for i, w := range []string{"json", "nginx", "envoy"} {
		if w == word {
			return LogFormat(i), nil
		}
	}
	return 0, fault.Value("gateway", "access log's format", strconv.Quote(word), "json, nginx or envoy")
}

// ParseOutage reads "T+D", such as 5s+30s, with ",hang" behind it for an outage that accepts and stays silent.
func ParseOutage(text string) (Outage, error) {
	var o Outage
	times, word, hang := strings.Cut(text, ",")
	at, length, ok := strings.Cut(times, "+")
	var err1, err2 error
	o.At, err1 = time.ParseDuration(at)
	o.For, err2 = time.ParseDuration(length)
	if !ok || err1 != nil || err2 != nil || o.At < 0 || o.For <= 0 || (hang && word != "hang") {
		return Outage{}, fault.Value("gateway", "outage", strconv.Quote(text), "START+LENGTH such as 5s+30s, or 5s+30s,hang")
	}
	o.Hang = hang
	return o, nil
}

func (o *Options) validate() error {
	bad := func(field, value, expected string) error { return fault.Value("gateway", field, value, expected) }
	switch {
	case !(o.Capacity >= 0 && o.Capacity <= 1e6):
		return bad("capacity", strconv.FormatFloat(o.Capacity, 'g', -1, 64), "0 (no limit) to 1,000,000 handshakes a second")
	case o.Backlog < 0:
		return bad("backlog", strconv.Itoa(o.Backlog), "at least 0")
	case !(o.RejectCost >= 0 && o.RejectCost <= 1):
		return bad("reject cost", strconv.FormatFloat(o.RejectCost, 'g', -1, 64), "0 to 1 handshake")
	case o.ConnectDelay < 0:
		return bad("connect delay", o.ConnectDelay.String(), "at least 0")
	case o.FDLimit < 0:
		return bad("fd limit", strconv.Itoa(o.FDLimit), "at least 0")
	case o.DrainOver < 0:
		return bad("drain", o.DrainOver.String(), "at least 0")
	case o.RetryAfter < 0:
		return bad("retry after", o.RetryAfter.String(), "at least 0")
	case o.Reject > TryAgainLater:
		return bad("reject", strconv.Itoa(int(o.Reject)), "503, 429 or 1013")
	}
	for i, a := range o.Outages {
		if a.At < 0 || a.For <= 0 {
			return bad("outage", a.At.String()+"+"+a.For.String(), "a start of at least 0 and a positive length")
		}
		for _, b := range o.Outages[:i] {
			if a.At < b.At+b.For && b.At < a.At+a.For {
				return bad("outage", a.At.String()+"+"+a.For.String(), "outages that do not overlap")
			}
		}
	}
	for _, t := range o.DropAt {
		if t < 0 {
			return bad("drop at", t.String(), "at least 0")
		}
	}
	return nil
}

// backlog is the stated backlog, or half a second of work; without a capacity nothing waits, but for an outage that hangs.
func (o *Options) backlog() int {
	switch {
	case o.Backlog > 0:
		return o.Backlog
	case o.Capacity == 0:
		return math.MaxInt
	}
	return max(1, int(o.Capacity/2))
}
