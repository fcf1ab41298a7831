package analyze_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stormlint/stormlint/core/analyze"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/report"
)

var whole = flag.Bool("accuracy", false, "run all of the 1,000 healthy days (./build.sh bench accuracy)")

// healthyDay is a day on which nobody is at fault: people who come and go with the time of day, phones on bad links, an
// office behind one address, a health check, a proxy that ends silent sockets after an hour, one very slow client, and a
// refusal now and then, after which every client backs off as it should.
func healthyDay(seed uint64) *world {
	w := newWorld(seed, "2026-11-30T00:00:00Z")
	const day = 24 * hours
	swing := func() float64 { // an instant of the day: twice as many at noon as at midnight
		for {
			at := day * w.r.Float64()
			if w.r.Float64()*1.5 < 1-0.5*math.Cos(2*math.Pi*at/day) {
				return at
			}
		}
	}
	serve := func(life func() float64, by string) func(float64) answer {
		return func(float64) answer {
			if w.r.IntN(60) == 0 {
				return answer{status: 502}
			}
			return answer{status: 101, life: life(), by: by}
		}
	}
	rules := []func(*rand.Rand, int, int) float64{
		fullJitter(1000, 30_000), fullJitter(5000, 60_000),
		func(r *rand.Rand, k, _ int) float64 { // gRPC's
			return math.Min(120_000, 1000*math.Pow(1.6, float64(k-1))) * (0.8 + 0.4*r.Float64())
		},
		func(r *rand.Rand, k, _ int) float64 {
			return math.Min(30_000, 1000*math.Pow(2, float64(k-1))) * (0.5 + 0.5*r.Float64())
		},
	}
	stay := func(mean float64) func() float64 {
		return func() float64 { return 20*seconds + exponentialTime(w.r, mean) }
	}
	person := func(i int, agent string) person {
		return person{ip: addressOf(i), agent: agent, path: "/ws", wait: rules[i%len(rules)]}
	}
	for i := range 40 { // people: a few visits each, and away in between
		for range 1 + w.r.IntN(3) {
			from := swing()
			w.live(person(i, chrome), from, math.Min(day, from+hours+exponentialTime(w.r, hours)), serve(stay(25*minutes), "client"))
		}
	}
	for i := range 8 { // phones
		from := swing()
		w.live(person(100+i, "ios-app/12.1"), from, math.Min(day, from+2*hours), serve(stay(4*minutes), "client"))
	}
	for range 25 { // the office
		from := 8*hours + 2*hours*w.r.Float64()
		p := person(w.r.IntN(4), chrome)
		p.ip = "192.0.2.1"
		w.live(p, from, from+8*hours*w.r.Float64(), serve(stay(40*minutes), "client"))
	}
	for i := range 6 { // quiet dashboards behind a proxy with a limit of an hour
		w.live(person(200+i, "dashboard/2.0"), 2*hours*w.r.Float64(), day, serve(func() float64 { return hours + 40*w.r.Float64() }, "proxy_timeout"))
	}
	for at := 5000.0; at < day; at += 60 * seconds { // the health check
		w.lines = append(w.lines, line{at: at + 30*w.r.Float64(), end: at + 60, ip: "10.1.0.1", agent: "kube-probe/1.33", path: "/ws", status: 101, by: "client"})
	}
	w.live(slowPerson("198.51.100.9", constant(15*minutes)), hours, day, serve(stay(50*minutes), "client"))
	return w
}

func slowPerson(ip string, wait func(*rand.Rand, int, int) float64) person {
	return person{ip: ip, agent: "kiosk/0.3", path: "/ws", wait: wait}
}

func TestHealthyDays(t *testing.T) {
	days := 24
	switch {
	case *whole:
		days = 1000
	case testing.Short(): // in WebAssembly, where a day takes ten times as long
		days = 8
	}
	forms := []string{"nginx", "envoy", "haproxy", "base"}
	var high, medium, records int64
	for day := range days {
		r := read(t, healthyDay(uint64(day)+1).write(forms[day%len(forms)]), analyze.Options{Top: -1})
		records += r.Input.Records
		worst := finding.Info
		for _, f := range r.Findings {
			worst = max(worst, f.Severity)
			if f.Severity >= finding.Medium {
				t.Logf("day %d (%s): %v %s %s: %s", day+1, forms[day%len(forms)], f.Severity, f.Rule, f.Subject, f.Message)
			}
		}
		for i := range r.Clients {
			for _, f := range r.Clients[i].Findings {
				worst = max(worst, f.Severity)
			}
		}
		switch {
		case worst >= finding.High:
			high++
		case worst == finding.Medium:
			medium++
		}
	}
	t.Logf("%d healthy days (seeds 1 to %d), %d records: %d with a finding that is high or critical, %d with a medium one", days, days, records, high, medium)
	if high > int64(days)/1000 || medium > int64(days)/50 {
		t.Errorf("false alarms on healthy days: %d high, %d medium", high, medium)
	}
}

// A client that does everything right makes 7.6 attempts on average in an outage of 60 s; that is no offence, alone or in
// a crowd, in whatever log.
func TestCorrectClientInAnOutage(t *testing.T) {
	for _, form := range []string{"base", "envoy", "nginx"} {
		w := newWorld(77, "2026-11-30T10:00:00Z")
		s := server{drops: []float64{10 * minutes}, down: [][2]float64{{10 * minutes, 11 * minutes}}, stay: func() float64 { return exponentialTime(w.r, hours) }}
		for i := range 300 {
			w.live(person{ip: addressOf(i), path: "/ws", agent: "app/3.0", wait: fullJitter(1000, 30_000)}, 8*minutes*w.r.Float64(), 30*minutes, s.serve)
		}
		r := read(t, w.write(form), analyze.Options{Top: -1})
		attempts := 0
		for i := range r.Clients {
			c := &r.Clients[i]
			attempts += int(c.Refused)
			if c.Risk > 0 {
				t.Errorf("%s: %s is %s with %d attempts: %+v", form, c.Name, report.Levels[c.Risk], c.Attempts, c.Findings)
			}
		}
		t.Logf("%s: %d clients, %.1f refused attempts each", form, len(r.Clients), float64(attempts)/float64(len(r.Clients)))
	}
}

// levels gives each client's level and rules, and the fleet's rules.
func levels(r *report.Report) map[string]string {
	out := map[string]string{}
	for i := range r.Clients {
		c := &r.Clients[i]
		text := report.Levels[c.Risk]
		for _, f := range c.Findings {
			text += " " + f.Rule + "/" + f.Severity.String()
		}
		out[c.Key] = text
	}
	return out
}

// A verdict on a client must not depend on what else is in the log, in which order it stands, or when it happened.
func TestInvariance(t *testing.T) {
	for _, s := range storms {
		if s.key != "" || s.form == "base" && s.name != "office" {
			continue
		}
		w := s.make()
		before := levels(read(t, w.write(s.form), analyze.Options{Top: -1}))

		shifted := s.make()
		shifted.from = shifted.from.AddDate(0, 0, 41)
		if after := levels(read(t, shifted.write(s.form), analyze.Options{Top: -1})); len(after) != len(before) {
			t.Errorf("%s, 41 days later: %d clients, %d before", s.name, len(after), len(before))
		} else {
			for key, want := range before {
				if after[key] != want {
					t.Errorf("%s, 41 days later: %s is %q, was %q", s.name, key, after[key], want)
				}
			}
		}

		quiet := s.make() // a day of other people's ordinary traffic follows
		for i := range 30 {
			stay := server{stay: func() float64 { return exponentialTime(quiet.r, 40*minutes) }}
			quiet.live(person{ip: "198.18.0." + string(rune('1'+i%9)), agent: "later/1.0", path: "/ws", wait: fullJitter(1000, 30_000)},
				200*minutes+20*hours*quiet.r.Float64(), 24*hours, stay.serve)
		}
		after := levels(read(t, quiet.write(s.form), analyze.Options{Top: -1}))
		for key, want := range before {
			if after[key] != want {
				t.Errorf("%s and a quiet day: %s is %q, was %q", s.name, key, after[key], want)
			}
		}
	}
}

// More attempts never make a client look better.
func TestMonotone(t *testing.T) {
	risk := func(attempts int) int {
		w := newWorld(5, "2026-11-30T10:00:00Z")
		for i := range attempts {
			at := 60*seconds + float64(i)*55*seconds/float64(attempts) + 200*w.r.Float64()
			w.lines = append(w.lines, line{at: at, end: at + 5, ip: "192.0.2.7", agent: "x/1", path: "/ws", status: 503})
		}
		r := read(t, w.write("base"), analyze.Options{})
		return r.Clients[0].Risk
	}
	last := 0
	for _, n := range []int{1, 5, 20, 59, 61, 100, 239, 241, 400, 1000} {
		now := risk(n)
		if now < last {
			t.Errorf("%d attempts in a minute: level %d, fewer gave %d", n, now, last)
		}
		last = now
	}
	if last < 2 {
		t.Errorf("a thousand attempts in a minute are %s", report.Levels[last])
	}
}
