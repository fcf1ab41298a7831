//go:build ignore

// Command generate writes the bundled sample: two deploys of a gateway, and what 64 clients with four kinds of reconnect
// schedule make of them. Everything comes from one seed.
//
//	go run testdata/sample/generate.go > host/cmd/stormlint/sample.ndjson
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"
)

type line struct {
	at   time.Time
	text string
}

type client struct {
	ip, agent string
	delay     func(attempt int) time.Duration
	next      time.Time
	waited    time.Duration
	attempt   int
}

const (
	outage   = 6 * time.Second // after a deploy nobody is accepted
	capacity = 8               // handshakes a second after that
)

func main() {
	dice := rand.New(rand.NewPCG(20261130, 7))
	unit := dice.Float64
	full := func(base, most time.Duration) func(int) time.Duration {
		return func(n int) time.Duration {
			return time.Duration(unit() * float64(min(most, base<<min(n, 10))))
		}
	}
	var clients []*client
	add := func(count int, agent string, delay func(int) time.Duration) {
		for range count {
			n := len(clients)
			clients = append(clients, &client{ip: fmt.Sprintf("192.0.2.%d", 10+n), agent: agent, delay: delay})
		}
	}
	add(24, "chat-app/3.1.0", func(int) time.Duration { return time.Second })
	add(16, "chat-app/2.9.4", func(n int) time.Duration { return min(30*time.Second, 500*time.Millisecond<<min(n, 10)) })
	add(22, "chat-app/3.2.0", full(time.Second, 20*time.Second))
	add(2, "kiosk/0.3", func(int) time.Duration { return 50 * time.Millisecond })

	var lines []line
	say := func(at time.Time, c *client, format string, rest ...any) {
		lines = append(lines, line{at, fmt.Sprintf(`{"timestamp":%q,"client_ip":%q,%s,"user_agent":%q,"path":"/ws"}`,
			at.Format("2006-01-02T15:04:05.000Z"), c.ip, fmt.Sprintf(format, rest...), c.agent)})
	}
	start := time.Date(2026, 11, 30, 9, 40, 0, 0, time.UTC)
	since := map[*client]time.Time{}
	for _, c := range clients {
		since[c] = start.Add(time.Duration(unit() * float64(15*time.Minute))).Truncate(time.Millisecond)
		say(since[c], c, `"event_type":"connect"`)
	}
	for _, deploy := range []time.Time{start.Add(20 * time.Minute), start.Add(50 * time.Minute)} {
		for _, c := range clients {
			at := deploy.Add(time.Duration(unit() * float64(40*time.Millisecond))).Truncate(time.Millisecond)
			say(at, c, `"event_type":"disconnect","closed_by":"server","close_code":1012,"duration_ms":%d`, at.Sub(since[c]).Milliseconds())
			c.attempt = 0
			c.waited = c.delay(0).Truncate(time.Millisecond)
			c.next = at.Add(c.waited)
		}
		waiting := slices.Clone(clients)
		tokens, last := float64(capacity), deploy.Add(outage)
		for len(waiting) > 0 {
			c := slices.MinFunc(waiting, func(a, b *client) int { return cmp.Or(a.next.Compare(b.next), cmp.Compare(a.ip, b.ip)) })
			open := c.next.After(deploy.Add(outage))
			if open {
				tokens = min(capacity, tokens+c.next.Sub(last).Seconds()*capacity)
				last = c.next
			}
			if open && tokens >= 1 {
				tokens--
				since[c] = c.next
				say(c.next, c, `"event_type":"connect","retry_interval_ms":%d`, c.waited.Milliseconds())
				waiting = slices.DeleteFunc(waiting, func(o *client) bool { return o == c })
				continue
			}
			outcome := `"outcome":"upstream","status":502`
			if open {
				outcome = `"outcome":"limited","status":503`
			}
			say(c.next, c, `"event_type":"retry","retry_interval_ms":%d,%s`, c.waited.Milliseconds(), outcome)
			c.attempt++
			c.waited = c.delay(c.attempt).Truncate(time.Millisecond)
			c.next = c.next.Add(c.waited)
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, l := range lines {
		fmt.Fprintln(out, l.text)
	}
}
