package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// told is a log in the making: events of any order, written in the order of their times.
type told struct {
	r     *rand.Rand
	lines []line
}

type line struct {
	at   int64
	text []byte
}

// day is when the stories of the tests begin.
var day = civil.Days(2026, 11, 30)*civil.Day + 9*civil.Hour

func newStory(seed uint64) *told { return &told{r: rand.New(rand.NewPCG(seed, 77))} }

// event adds one; more is pairs of keys and values (string, int or float64).
func (s *told) event(at int64, client, kind string, more ...any) {
	b := jsonwrite.Object(nil)
	b = jsonwrite.Time(jsonwrite.Key(b, "timestamp"), at, civil.Millisecond)
	b = jsonwrite.String(jsonwrite.Key(b, "client_ip"), client)
	b = jsonwrite.String(jsonwrite.Key(b, "event_type"), kind)
	for i := 0; i+1 < len(more); i += 2 {
		b = jsonwrite.Key(b, more[i].(string))
		switch v := more[i+1].(type) {
		case string:
			b = jsonwrite.String(b, v)
		case int:
			b = jsonwrite.Int(b, int64(v))
		}
	}
	s.lines = append(s.lines, line{at, jsonwrite.End(b, '}')})
}

// text is the log, its lines in the order of time.
func (s *told) text() string {
	slices.SortStableFunc(s.lines, func(a, b line) int {
		return int(min(max(a.at-b.at, -1), 1))
	})
	var b []byte
	for _, l := range s.lines {
		b = append(append(b, l.text...), '\n')
	}
	return string(b)
}

func (s *told) uniform(from, to float64) int64 { return int64((from + s.r.Float64()*(to-from)) * 1e9) }
func (s *told) exponential(mean float64) int64 { return int64(-math.Log(1-s.r.Float64()) * mean * 1e9) }

// rtt is the way to a client and back.
func (s *told) rtt() int64 { return s.uniform(0.02, 0.09) }

// reconnect lets a client come back after a session that ended at one instant: refused until another, with its policy.
// It gives the time at which it is in.
func (s *told) reconnect(client, agent string, policy backoff.Policy, dropped, up int64, refusal ...any) int64 {
	at := dropped
	state := backoff.State{Attempt: 1}
	for {
		wait, ok := policy.Delay(state, s.r.Uint64())
		if !ok {
			return at
		}
		at += int64(wait) + s.rtt()
		if at >= up {
			s.event(at, client, "connect", "user_agent", agent, "path", "/ws")
			return at
		}
		s.event(at, client, "retry", append([]any{"user_agent", agent, "path", "/ws"}, refusal...)...)
		state = backoff.State{Attempt: state.Attempt + 1, Previous: wait, Outcome: backoff.Refused}
	}
}

var unavailable = []any{"outcome", "upstream", "status", 503}

// outage is a fleet with one policy that is cut off together and comes back when the server is up again.
func (s *told) outage(n int, network, agent, spec string, long float64) {
	policy, err := backoff.Parse(spec)
	if err != nil {
		panic(err)
	}
	cut := day + 20*civil.Minute
	for i := range n {
		client := fmt.Sprintf(network, i/250, i%250+1)
		began := day + s.uniform(0, 900)
		s.event(began, client, "connect", "user_agent", agent, "path", "/ws")
		dropped := cut + s.uniform(0, 0.05)
		s.event(dropped, client, "disconnect", "user_agent", agent, "closed_by", "server", "close_code", 1006)
		s.reconnect(client, agent, policy, dropped, cut+int64(long*1e9), unavailable...)
	}
}

// quiet is the ordinary coming and going of users for a stretch.
func (s *told) quiet(n int, network string, from int64, hours float64) {
	end := from + int64(hours*3600e9)
	for i := range n {
		client := fmt.Sprintf(network, i/250, i%250+1)
		for at := from + s.exponential(1800); at < end; {
			s.event(at, client, "connect", "user_agent", "app/3.1", "path", "/ws")
			at += s.exponential(1200) + 30*civil.Second
			if at >= end {
				break
			}
			s.event(at, client, "disconnect", "user_agent", "app/3.1", "closed_by", "client", "close_code", 1000)
			at += s.exponential(1800)
		}
	}
}

// stories are logs with the answer that is right, written before they were first read. want lists findings as "severity
// rule", about clients (summed up), groups or the fleet; no other finding may be above most.
var stories = []struct {
	name string
	tell func(s *told)
	o    Options
	want []string
	not  []string
	most string
	low  bool // no client is above LOW
}{
	{
		name: "an outage of a minute, doubling without jitter",
		tell: func(s *told) { s.outage(80, "10.1.%d.%d", "socket-sdk/1.4.0", "exp:1s:30s", 60) },
		want: []string{"high herd", "medium mass-drop", "high growth-locked"},
		most: "medium",
	},
	{
		name: "an outage of a minute, fixed waits",
		tell: func(s *told) { s.outage(80, "10.1.%d.%d", "iot/2", "fixed:5s", 60) },
		want: []string{"high herd", "medium mass-drop", "high fixed-locked"},
		most: "medium",
	},
	{
		name: "an outage of a minute, full jitter: no client is to blame",
		tell: func(s *told) { s.outage(80, "10.1.%d.%d", "good/1", "full:1s:30s", 60) },
		want: []string{"medium mass-drop"},
		not:  []string{"hammering", "growth-locked", "fixed-locked", "weak-jitter"},
		most: "high", // the first wave is narrow, and a herd
		low:  true,
	},
	{
		name: "a bad version among good ones",
		tell: func(s *told) {
			s.outage(60, "10.1.%d.%d", "sdk/2.0.0", "full:2s:60s", 90)
			s.outage(20, "10.2.%d.%d", "sdk/1.9.0", "fixed:2s", 90)
		},
		want: []string{"high fixed-locked", "medium mass-drop"},
		most: "high",
	},
	{
		name: "one client hammers without a pause",
		tell: func(s *told) {
			s.quiet(40, "10.3.%d.%d", day, 1)
			at := day + 30*civil.Minute
			for range 300 {
				at += 40*civil.Millisecond + s.uniform(0, 0.01)
				s.event(at, "10.9.9.9", "retry", "outcome", "refused", "status", 429, "user_agent", "bot/1")
			}
		},
		want: []string{"critical hammering", "medium hint-ignored"},
		most: "high",
	},
	{
		name: "a wrong password, every 30 s for ever",
		tell: func(s *told) {
			s.quiet(40, "10.3.%d.%d", day, 2)
			for i := range 200 {
				s.event(day+int64(i)*30*civil.Second+s.uniform(0, 0.2), "10.9.9.9", "retry", "outcome", "refused", "status", 401, "user_agent", "helper/0.1")
			}
		},
		want: []string{"medium refused-forever"},
		most: "high",
	},
	{
		name: "accepted and closed, over and over",
		tell: func(s *told) {
			s.quiet(40, "10.3.%d.%d", day, 1)
			at := day + 10*civil.Minute
			for range 60 {
				s.event(at, "10.9.9.9", "connect", "user_agent", "flap/1")
				at += 80 * civil.Millisecond
				s.event(at, "10.9.9.9", "disconnect", "closed_by", "server", "close_code", 1011, "user_agent", "flap/1")
				at += 190*civil.Millisecond + s.uniform(0, 0.02)
			}
		},
		want: []string{"high flapping"},
		most: "high",
	},
	{
		name: "two devices with one identity",
		tell: func(s *told) {
			s.quiet(40, "10.3.%d.%d", day, 1)
			at := day
			for i := range 40 {
				ip := fmt.Sprint("10.9.9.", i%2+1)
				s.event(at, ip, "connect", "conn", "device-7")
				if i > 0 {
					s.event(at+2*civil.Millisecond, fmt.Sprint("10.9.9.", (i+1)%2+1), "disconnect", "conn", "device-7", "closed_by", "takeover")
				}
				at += 10*civil.Second + s.uniform(0, 0.3)
			}
		},
		o:    Options{Key: ByConn},
		want: []string{"high identity-duel"},
		most: "medium",
	},
	{
		name: "health: an hourly timeout of the proxy",
		tell: func(s *told) {
			for i := range 50 {
				client := fmt.Sprint("10.4.0.", i+1)
				for at := day + s.uniform(0, 3600); at < day+12*civil.Hour; {
					s.event(at, client, "connect", "user_agent", "app/3.1")
					at += civil.Hour + s.uniform(0, 0.5)
					s.event(at, client, "disconnect", "closed_by", "proxy_timeout", "user_agent", "app/3.1")
					at += civil.Second + s.rtt()
				}
			}
		},
		want: []string{"info regular-cycle"},
		most: "low",
		low:  true,
	},
	{
		name: "health: probes",
		tell: func(s *told) {
			s.quiet(30, "10.3.%d.%d", day, 3)
			for i := range 400 {
				at := day + int64(i)*10*civil.Second
				s.event(at, "10.8.0.1", "connect", "user_agent", "kube-probe/1.29")
				s.event(at+3*civil.Millisecond, "10.8.0.1", "disconnect", "user_agent", "kube-probe/1.29")
				at += 5*civil.Second + s.uniform(0, 0.1)
				s.event(at, "10.8.0.2", "connect")
				s.event(at+9*civil.Millisecond, "10.8.0.2", "disconnect", "closed_by", "client")
			}
		},
		want: []string{"info probe"},
		most: "low",
		low:  true,
	},
	{
		name: "health: an office behind one address",
		tell: func(s *told) {
			for range 60 {
				for at := day + s.exponential(1800); at < day+5*civil.Hour; {
					s.event(at, "198.51.100.1", "connect", "user_agent", "Mozilla/5.0 (X11) Chrome/142.0 Safari/537.36")
					at += s.exponential(2400) + 20*civil.Second
					s.event(at, "198.51.100.1", "disconnect", "closed_by", "client", "close_code", 1001, "user_agent", "Mozilla/5.0 (X11) Chrome/142.0 Safari/537.36")
					at += s.exponential(3600)
				}
			}
		},
		most: "low",
		low:  true,
	},
	{
		name: "health: one slow client",
		tell: func(s *told) {
			s.quiet(60, "10.3.%d.%d", day, 4)
			at := day
			for range 200 {
				at += 60*civil.Second + s.rtt()
				s.event(at, "10.9.9.9", "connect", "user_agent", "meter/1")
				at += s.uniform(6, 14)
				s.event(at, "10.9.9.9", "disconnect", "closed_by", "client", "user_agent", "meter/1")
			}
		},
		most: "low",
		low:  true,
	},
	{
		name: "devices that are all due in the same half minute of ten",
		tell: func(s *told) {
			for i := range 150 {
				client := fmt.Sprintf("10.%d.%d.%d", 20+i/60000, i/250%250, i%250+1)
				phase := s.uniform(0, 28)
				for cycle := range 9 {
					at := day + int64(cycle)*10*civil.Minute + phase + s.uniform(0, 1)
					s.event(at, client, "connect", "user_agent", "device/5")
				}
			}
		},
		want: []string{"medium phase-lock"},
		most: "high",
	},
	{
		name: "an idle timeout takes many at once",
		tell: func(s *told) {
			for i := range 120 {
				client := fmt.Sprint("10.6.0.", i+1)
				at := day + s.uniform(0, 0.8)
				s.event(at, client, "connect", "user_agent", "app/3.1")
				at += civil.Minute
				s.event(at, client, "disconnect", "closed_by", "proxy_timeout", "user_agent", "app/3.1")
				s.event(at+s.uniform(1, 20), client, "connect", "user_agent", "app/3.1")
			}
			s.quiet(50, "10.7.%d.%d", day, 1)
		},
		want: []string{"info mass-drop"},
		most: "medium",
	},
	{
		name: "some never return",
		tell: func(s *told) {
			policy, _ := backoff.Parse("full:5s:60s")
			for i := range 100 {
				client := fmt.Sprint("10.6.0.", i+1)
				s.event(day+s.uniform(0, 600), client, "connect", "user_agent", "app/3.1")
				cut := day + 15*civil.Minute + s.uniform(0, 0.4)
				s.event(cut, client, "disconnect", "closed_by", "server", "user_agent", "app/3.1")
				if i >= 40 {
					s.reconnect(client, "app/3.1", policy, cut, cut)
				}
			}
			s.quiet(50, "10.7.%d.%d", day, 1)
		},
		want: []string{"low never-returns"},
		most: "medium",
	},
}

func TestStories(t *testing.T) {
	for i, c := range stories {
		s := newStory(uint64(i))
		c.tell(s)
		_, r := analyze(t, c.o, s.text())
		got := map[string]string{}
		for _, f := range r.Findings {
			if got[f.Rule] == "" { // the gravest comes first
				got[f.Rule] = f.Severity.String()
			}
		}
		bad := false
		if above := r.Totals.Levels[1] + r.Totals.Levels[2] + r.Totals.Levels[3]; c.low && above > 0 {
			t.Errorf("%s: %d clients are above LOW", c.name, above)
			bad = true
		}
		for _, w := range c.want {
			var severity, rule string
			fmt.Sscan(w, &severity, &rule)
			if got[rule] != severity {
				t.Errorf("%s: %s is %q, want %s", c.name, rule, got[rule], severity)
				bad = true
			}
			delete(got, rule)
		}
		for _, rule := range c.not {
			if got[rule] != "" {
				t.Errorf("%s: %s", c.name, rule)
				bad = true
			}
		}
		for rule, severity := range got {
			if sequence(severity) > sequence(c.most) {
				t.Errorf("%s: %s %s", c.name, severity, rule)
				bad = true
			}
		}
		if bad {
			for _, f := range r.Findings {
				t.Logf("  %s %s %s: %s", f.Severity, f.Rule, f.Subject, f.Message)
			}
		}
	}
}

func sequence(severity string) int {
	return slices.Index([]string{"info", "low", "medium", "high", "critical"}, severity)
}
