package analyze_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A world makes logs: clients with a rule for their waits against a server with a will of its own. All times in ms since
// the world's beginning.
type world struct {
	r     *rand.Rand
	from  time.Time
	lines []line
}

// line is one handshake and what became of it, as a gateway knows it.
type line struct {
	at, end         float64
	ip, agent, path string
	id              string // the identity, where clients log in
	status          int
	by              string // who ended the session: client, server, proxy_timeout, takeover
}

// person is a client.
type person struct {
	ip, agent, path, id string
	wait                func(r *rand.Rand, attempt int, status int) float64 // after the attempt-th failure, or 1 after a session; < 0 gives up
	late                float64                                             // how much later than the log it learns that the server ended a session
}

// answer is what the server does with a handshake.
type answer struct {
	status int
	life   float64 // of an accepted session
	took   float64 // of a refusal; 0 is some ms
	by     string
}

func newWorld(seed uint64, from string) *world {
	t, err := time.Parse(time.RFC3339, from)
	if err != nil {
		panic(err)
	}
	return &world{r: rand.New(rand.NewPCG(seed, 12)), from: t}
}

func (w *world) way() float64 { return 50 * math.Exp(0.5*w.r.NormFloat64()) }

// live runs one client from its first handshake on.
func (w *world) live(p person, from, to float64, serve func(at float64) answer) {
	attempt := 1
	for at := from; at < to; {
		a := serve(at)
		l := line{at: at, ip: p.ip, agent: p.agent, path: p.path, id: p.id, status: a.status, by: a.by}
		var wait float64
		if a.status == 101 {
			l.end = at + a.life
			if l.end >= to { // still open when the log ends: a gateway has not written it yet
				return
			}
			attempt = 1
			wait = p.wait(w.r, 1, 101)
			if a.by != "client" {
				wait += p.late
			}
		} else {
			took := a.took
			if took == 0 {
				took = 2 + 20*w.r.Float64()
			}
			l.end = at + took
			attempt++
			wait = p.wait(w.r, attempt, a.status)
		}
		w.lines = append(w.lines, l)
		if wait < 0 {
			return
		}
		at = l.end + wait + w.way()
	}
}

// Rules of waits, in ms.

func doubling(base, cap float64) func(*rand.Rand, int, int) float64 {
	return func(_ *rand.Rand, k, _ int) float64 { return math.Min(cap, base*math.Pow(2, float64(k-1))) }
}

func fullJitter(base, cap float64) func(*rand.Rand, int, int) float64 {
	return func(r *rand.Rand, k, _ int) float64 {
		return r.Float64() * math.Min(cap, base*math.Pow(2, float64(k-1)))
	}
}

func constant(ms float64) func(*rand.Rand, int, int) float64 {
	return func(*rand.Rand, int, int) float64 { return ms }
}

func exponentialTime(r *rand.Rand, mean float64) float64 { return mean * r.ExpFloat64() }

// server drops every session at the instants of drops, is away (502) in the stretches of down, and otherwise lets a session
// live as long as its user stays.
type server struct {
	drops []float64
	down  [][2]float64
	stay  func() float64
}

func (s *server) serve(at float64) answer {
	for _, d := range s.down {
		if at >= d[0] && at < d[1] {
			return answer{status: 502}
		}
	}
	a := answer{status: 101, life: s.stay(), by: "client"}
	for _, d := range s.drops {
		if d > at && d < at+a.life {
			a.life, a.by = d-at, "server"
		}
	}
	return a
}

// Forms of the log.

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

func (w *world) write(form string) []byte {
	type stamped struct {
		at   float64
		text string
	}
	var out []stamped
	at := func(ms float64) time.Time { return w.from.Add(time.Duration(ms * 1e6)) }
	for i, l := range w.lines {
		switch form {
		case "nginx": // $time_local is the end, in whole seconds
			out = append(out, stamped{l.end, fmt.Sprintf("%s - - [%s] \"GET %s HTTP/1.1\" %d %d \"-\" %q \"-\" rt=%.3f urt=%.3f ut=%d\n",
				l.ip, at(l.end).UTC().Format("02/Jan/2006:15:04:05 -0700"), l.path, l.status, 7*len(l.path), l.agent, (l.end-l.at)/1e3, (l.end-l.at)/1e3, l.status)})
		case "envoy":
			flags := "-"
			switch {
			case l.status == 101 && l.by == "client":
				flags = "DC"
			case l.status == 101 && l.by == "proxy_timeout":
				flags = "SI"
			case l.status == 101:
				flags = "UC"
			case l.status == 503:
				flags = "UF"
			case l.status == 429:
				flags = "RL"
			}
			out = append(out, stamped{l.end, fmt.Sprintf("[%s] \"GET %s HTTP/1.1\" %d %s 34 26 %.0f - %q %q \"%08x-0000-4000-8000-%012x\" \"ws.example.com\" \"198.51.100.20:9000\"\n",
				at(l.at).UTC().Format("2006-01-02T15:04:05.000Z"), l.path, l.status, flags, l.end-l.at, l.ip, l.agent, i, i)})
		case "haproxy":
			state := "----"
			switch {
			case l.status == 101 && l.by == "client":
				state = "CD--"
			case l.status == 101 && l.by == "server":
				state = "SD--"
			case l.status == 101 && l.by == "proxy_timeout":
				state = "sD--"
			}
			out = append(out, stamped{l.end, fmt.Sprintf("%s:%d [%s] fe be/s1 0/0/0/1/%.0f %d 202 - - %s 3/1/2/2/0 0/0 {%s|} \"GET %s HTTP/1.1\"\n",
				l.ip, 40000+i%20000, at(l.at).UTC().Format("02/Jan/2006:15:04:05.000"), l.end-l.at, l.status, state, l.agent, l.path)})
		case "caddy":
			out = append(out, stamped{l.end, fmt.Sprintf(`{"level":"info","ts":%.6f,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":%q,"remote_port":"50000","client_ip":%q,"proto":"HTTP/1.1","method":"GET","host":"ws.example.com","uri":%q,"headers":{"User-Agent":[%q],"Connection":["Upgrade"],"Upgrade":["websocket"],"Sec-Websocket-Version":["13"]}},"bytes_read":30,"user_id":"","duration":%.6f,"size":2,"status":%d,"resp_headers":{"Server":["Caddy"]}}`+"\n",
				float64(w.from.Unix())+l.end/1e3, l.ip, l.ip, l.path, l.agent, (l.end-l.at)/1e3, l.status)})
		case "base":
			more := ""
			if l.id != "" {
				more = fmt.Sprintf(`,"conn":%q`, l.id)
			}
			kind, outcome := "connect", "ok"
			if l.status != 101 {
				kind, outcome = "retry", "refused"
			}
			if l.status >= 502 {
				outcome = "upstream"
			}
			if l.status == 429 {
				outcome = "limited"
			}
			stamp := "2006-01-02T15:04:05.000Z"
			out = append(out, stamped{l.at, fmt.Sprintf(`{"timestamp":%q,"client_ip":%q,"event_type":%q,"outcome":%q,"status":%d,"user_agent":%q,"path":%q%s}`+"\n",
				at(l.at).UTC().Format(stamp), l.ip, kind, outcome, l.status, l.agent, l.path, more)})
			if l.status == 101 {
				out = append(out, stamped{l.end, fmt.Sprintf(`{"timestamp":%q,"client_ip":%q,"event_type":"disconnect","closed_by":%q,"duration_ms":%.0f,"user_agent":%q,"path":%q%s}`+"\n",
					at(l.end).UTC().Format(stamp), l.ip, l.by, l.end-l.at, l.agent, l.path, more)})
			}
		default:
			panic(form)
		}
	}
	slices.SortStableFunc(out, func(a, b stamped) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	var b strings.Builder
	for _, s := range out {
		b.WriteString(s.text)
	}
	return []byte(b.String())
}

const (
	seconds = 1000.0
	minutes = 60 * seconds
	hours   = 60 * minutes
)

func addressOf(i int) string { return fmt.Sprintf("203.0.%d.%d", 113+i/250, 1+i%250) }
