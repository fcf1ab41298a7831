package analyze_test

import (
	"math"
	"math/rand/v2"
)

// storm is one incident: how its log was made, and the form it is written in.
type storm struct {
	name, form string
	key        string // of --key, "" for the address
	make       func() *world
}

var storms = []storm{
	{"deploy-doubling", "nginx", "", func() *world {
		// A deploy cuts 160 sockets at 10:00:00 and is away for 45 s. Old app versions double from 1 s without jitter.
		w := newWorld(1, "2026-11-30T09:00:00Z")
		s := server{drops: []float64{60 * minutes}, down: [][2]float64{{60 * minutes, 60*minutes + 45*seconds}},
			stay: func() float64 { return exponentialTime(w.r, 3*hours) }}
		for i := range 160 {
			p := person{ip: addressOf(i), path: "/ws", agent: "app/2.3.1", wait: doubling(1000, 30_000)}
			if i%4 == 0 {
				p.agent, p.wait = "app/2.4.0", fullJitter(1000, 30_000)
			}
			w.live(p, 50*minutes*w.r.Float64(), 100*minutes, s.serve)
		}
		return w
	}},
	{"hot-loop", "haproxy", "", func() *world {
		// One client dials every 44 ms, is told 429 each time; a hundred others are well.
		w := newWorld(2, "2026-11-30T12:00:00Z")
		s := server{stay: func() float64 { return exponentialTime(w.r, 15*minutes) }}
		for i := range 100 {
			w.live(person{ip: addressOf(i), path: "/ws", agent: chrome, wait: fullJitter(1000, 30_000)}, 30*minutes*w.r.Float64(), 60*minutes, s.serve)
		}
		w.live(person{ip: "198.51.100.7", path: "/ws", agent: "mqtt-adapter/1.0", wait: constant(0)}, 20*minutes, 20*minutes+55*seconds,
			func(float64) answer { return answer{status: 429, took: 3} })
		return w
	}},
	{"flap", "caddy", "", func() *world {
		// Accepted, then dropped by the application after 0.2 s; the client starts over at once. Eighty others are well.
		w := newWorld(3, "2026-11-30T08:00:00Z")
		s := server{stay: func() float64 { return exponentialTime(w.r, 20*minutes) }}
		for i := range 80 {
			w.live(person{ip: addressOf(i), path: "/socket", agent: chrome, wait: fullJitter(1000, 30_000)}, 20*minutes*w.r.Float64(), 60*minutes, s.serve)
		}
		w.live(person{ip: "198.51.100.8", path: "/socket", agent: "headless-client/0.9", wait: constant(20)}, 10*minutes, 11*minutes+30*seconds,
			func(float64) answer { return answer{status: 101, life: 150 + 80*w.r.Float64(), by: "server"} })
		return w
	}},
	{"wrong-token", "haproxy", "", func() *world {
		// Five agents with a revoked token knock every 30 s; sixty others are well.
		w := newWorld(4, "2026-11-30T00:00:00Z")
		s := server{stay: func() float64 { return exponentialTime(w.r, 30*minutes) }}
		for i := range 60 {
			w.live(person{ip: addressOf(i), path: "/agent", agent: "agent/7.1", wait: fullJitter(1000, 60_000)}, 60*minutes*w.r.Float64(), 120*minutes, s.serve)
		}
		for i := range 5 {
			w.live(person{ip: addressOf(200 + i), path: "/agent", agent: "agent/6.4", wait: constant(30_000)}, 30*seconds*w.r.Float64(), 120*minutes,
				func(float64) answer { return answer{status: 401} })
		}
		return w
	}},
	{"idle-timeout", "nginx", "", func() *world {
		// A proxy cuts every silent socket after 60 s; clients come back within 5 s. Nobody is at fault.
		w := newWorld(5, "2026-11-30T14:00:00Z")
		for i := range 40 {
			w.live(person{ip: addressOf(i), path: "/live", agent: chrome, wait: func(r *rand.Rand, _, _ int) float64 { return 5000 * r.Float64() }},
				20*minutes*w.r.Float64(), 20*minutes+20*minutes*w.r.Float64(),
				func(float64) answer { return answer{status: 101, life: 60_000 + 15*w.r.Float64(), by: "proxy_timeout"} })
		}
		return w
	}},
	{"ten-minute-beat", "envoy", "", func() *world {
		// Three hundred meters report every ten minutes, all due within the same 30 s, and are done in 8 to 20 s. Others come
		// whenever they like.
		w := newWorld(6, "2026-11-30T06:00:00Z")
		for i := range 150 {
			phase := 200*seconds + 30*seconds*w.r.Float64()
			for k := range 10 {
				at := phase + float64(k)*10*minutes + w.way()
				w.lines = append(w.lines, line{at: at, end: at + 8000 + 12_000*w.r.Float64(), ip: addressOf(i), agent: "meter/3.0", path: "/report", status: 101, by: "client"})
			}
		}
		for i := range 60 {
			s := server{stay: func() float64 { return exponentialTime(w.r, 20*minutes) }}
			w.live(person{ip: addressOf(400 + i), path: "/report", agent: chrome, wait: fullJitter(1000, 30_000)}, 60*minutes*w.r.Float64(), 100*minutes, s.serve)
		}
		return w
	}},
	{"office", "base", "", func() *world {
		// A hundred healthy people behind one address, forty elsewhere, a working day's morning.
		w := newWorld(7, "2026-11-30T08:00:00Z")
		s := server{stay: func() float64 { return exponentialTime(w.r, 25*minutes) }}
		for i := range 140 {
			ip := "192.0.2.1"
			if i >= 100 {
				ip = addressOf(i)
			}
			for range 3 { // they come and go
				w.live(person{ip: ip, path: "/ws", agent: chrome, wait: func(r *rand.Rand, k, status int) float64 {
					if status == 101 && r.IntN(2) == 0 {
						return -1
					}
					return fullJitter(2000, 30_000)(r, k, status)
				}}, 150*minutes*w.r.Float64(), 180*minutes, s.serve)
			}
		}
		return w
	}},
	{"reload", "haproxy", "", func() *world {
		// A reload cuts 300 sockets of all ages at once; the service is there again at once, and every client draws its wait.
		w := newWorld(8, "2026-11-30T13:00:00Z")
		s := server{drops: []float64{60 * minutes}, stay: func() float64 { return exponentialTime(w.r, 4*hours) }}
		for i := range 300 {
			w.live(person{ip: addressOf(i), path: "/ws", agent: "sdk-js/5.0", wait: fullJitter(5000, 60_000)}, 55*minutes*w.r.Float64(), 90*minutes, s.serve)
		}
		return w
	}},
	{"duel", "base", "conn", func() *world {
		// Two devices carry one identity: each connection pushes the other out. Others are well.
		w := newWorld(9, "2026-11-30T17:00:00Z")
		at, turn := 5*minutes, 0
		for at < 15*minutes {
			life := 4000 + 3000*w.r.Float64()
			w.lines = append(w.lines, line{at: at, end: at + life, ip: addressOf(turn % 2), agent: "panel/1.2", path: "/mqtt", id: "device-17", status: 101, by: "takeover"})
			at += life + 1
			turn++
		}
		for i := range 50 {
			s := server{stay: func() float64 { return exponentialTime(w.r, 30*minutes) }}
			w.live(person{ip: addressOf(10 + i), id: "device-" + string(rune('a'+i%26)) + string(rune('a'+i/26)), path: "/mqtt", agent: "panel/1.2", wait: fullJitter(1000, 30_000)}, 10*minutes*w.r.Float64(), 40*minutes, s.serve)
		}
		return w
	}},
	{"phones-and-probes", "envoy", "", func() *world {
		// Phones whose links break after anything from seconds to minutes, a health check every 10 s, one slow client.
		w := newWorld(10, "2026-11-30T19:00:00Z")
		for i := range 30 {
			w.live(person{ip: addressOf(i), path: "/ws", agent: "ios-app/12.1", wait: fullJitter(3000, 60_000)}, 10*minutes*w.r.Float64(), 60*minutes,
				func(float64) answer {
					return answer{status: 101, life: 10_000 + exponentialTime(w.r, 3*minutes), by: "client"}
				})
		}
		for at := 1000.0; at < 60*minutes; at += 10 * seconds {
			w.lines = append(w.lines, line{at: at, end: at + 25, ip: "10.1.0.1", agent: "kube-probe/1.33", path: "/ws", status: 101, by: "client"})
		}
		w.live(person{ip: "198.51.100.9", path: "/ws", agent: "old-kiosk/0.3", wait: constant(45_000)}, 0, 60*minutes, func(float64) answer {
			return answer{status: 101, life: 6*minutes + exponentialTime(w.r, 4*minutes), by: "client"}
		})
		return w
	}},
	{"come-later", "envoy", "", func() *world {
		// A limiter says 429 with Retry-After; forty clients of one version come back after 0.3 to 0.5 s all the same.
		w := newWorld(11, "2026-11-30T21:00:00Z")
		s := server{stay: func() float64 { return exponentialTime(w.r, 20*minutes) }}
		limited := func(at float64) answer {
			if at > 20*minutes && at < 22*minutes {
				return answer{status: 429}
			}
			return s.serve(at)
		}
		for i := range 80 {
			p := person{ip: addressOf(i), path: "/ws", agent: "bot/1.8", wait: func(r *rand.Rand, _, _ int) float64 { return 300 + 200*r.Float64() }}
			from, to := 20*minutes+5*seconds+100*seconds*w.r.Float64(), 22*minutes+30*seconds
			if i >= 40 {
				p.agent, p.wait, from, to = "bot/2.0", fullJitter(5000, 120_000), 15*minutes*w.r.Float64(), 50*minutes
			} else {
				to = from + 12*seconds
			}
			w.live(p, from, to, limited)
		}
		return w
	}},
	{"overload", "nginx", "", func() *world {
		// The server answers 20 handshakes a second; a burst of 900 clients with a timeout of 5 s keeps it working for clients
		// that have left: attempts triple, successes fall to a tenth for four minutes.
		w := newWorld(12, "2026-11-30T22:00:00Z")
		for second := range 30 * 60 { // ordinary traffic, one handshake a second
			at := (float64(second) + w.r.Float64()) * seconds
			ok := second < 15*60 || second >= 19*60 || w.r.IntN(20) == 0
			l := line{at: at, ip: addressOf(second % 700), agent: "web/4.2", path: "/ws", status: 101, end: at + 40*seconds + exponentialTime(w.r, 5*minutes), by: "client"}
			if !ok {
				l.status, l.end, l.by = 504, at+5000, ""
			}
			if l.end < 30*minutes {
				w.lines = append(w.lines, l)
			}
		}
		for i := range 120 {
			w.live(person{ip: addressOf(1000 + i), path: "/ws", agent: "web/4.2", wait: func(r *rand.Rand, k, _ int) float64 {
				return math.Min(30_000, 4000*math.Pow(1.5, float64(k-1))) * (0.5 + 0.5*r.Float64())
			}}, 15*minutes+3*seconds*w.r.Float64(), 30*minutes, func(at float64) answer {
				if at < 19*minutes {
					return answer{status: 504, took: 5000}
				}
				return answer{status: 101, life: 5*minutes + exponentialTime(w.r, hours), by: "client"}
			})
		}
		return w
	}},
}
