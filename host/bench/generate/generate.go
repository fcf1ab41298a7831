// Package generate makes logs in the base form for benchmarks: seeded, so that everybody measures the same bytes.
//
// About 105 bytes a line, in order of time at 300 events a second of log time; 70 % retries (two in a hundred lines are
// retries without an interval), 15 % connects, 15 % disconnects; nine clients in ten have an IPv4 address; client k of N
// appears with the density of N·u², so that a few are busy and most are rare.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// Shapes are the ways to write the records.
var Shapes = []string{
	"lines",   // NDJSON, compact, the usual key order
	"array",   // the same as one JSON array
	"spaced",  // NDJSON with the blanks of Python's json.dumps
	"sorted",  // NDJSON with alphabetical keys
	"several", // six producers side by side, each with a fixed shape of its own
	"mix",     // every record its own: shuffled keys, nested unknown values, escaped key names, fractions of seconds, odd spacing
}

// Log appends records in a shape until dst has at least size bytes. clients and seed are what they say.
func Log(dst []byte, shape string, size, clients int, seed uint64) ([]byte, error) {
	w, ok := map[string]func(*writer){"lines": (*writer).plain, "array": (*writer).plain, "spaced": (*writer).spaced, "sorted": (*writer).sorted, "several": (*writer).several, "mix": (*writer).mix}[shape]
	if !ok {
		return nil, fmt.Errorf("generate: unknown shape %q, expected one of %v", shape, Shapes)
	}
	g := &writer{b: dst, rng: rand.New(rand.NewPCG(seed, 1)), clients: clients, now: time.Date(2026, 10, 25, 10, 0, 0, 0, time.UTC).UnixMilli()}
	limit := len(dst) + size
	if shape == "array" {
		g.b = append(g.b, '[')
	}
	for first := true; len(g.b) < limit; first = false {
		if shape == "array" && !first {
			g.b = append(g.b, ',')
		}
		g.draw()
		w(g)
		if shape != "array" {
			g.b = append(g.b, '\n')
		}
	}
	if shape == "array" {
		g.b = append(g.b, "]\n"...)
	}
	return g.b, nil
}

type writer struct {
	b        []byte
	rng      *rand.Rand
	clients  int
	now      int64 // ms
	minute   int64
	prefix   string
	stamp    []byte
	client   []byte
	event    string
	interval int // -1 without one
}

func (w *writer) draw() {
	w.now += int64(w.rng.IntN(7)) // 3.33 ms on average would be 300 a second; 3 it is
	if m := w.now / 60000; m != w.minute {
		w.minute, w.prefix = m, time.UnixMilli(w.now).UTC().Format("2006-01-02T15:04:")
	}
	s := w.now / 1000 % 60
	w.stamp = append(w.stamp[:0], w.prefix...)
	w.stamp = append(w.stamp, byte('0'+s/10), byte('0'+s%10), 'Z')
	u := w.rng.Float64()
	k := int(u * u * float64(w.clients))
	x := uint32(k) * 2654435761 // every client an address of its own
	if k%10 == 9 {
		w.client = fmt.Appendf(w.client[:0], "2001:db8:%x:%x::%x", x>>16, x&0xffff, k%251+1)
	} else {
		w.client = w.client[:0]
		for shift := 24; shift >= 0; shift -= 8 {
			if shift < 24 {
				w.client = append(w.client, '.')
			}
			w.client = strconv.AppendUint(w.client, uint64(x>>shift&255), 10)
		}
	}
	w.interval = -1
	switch p := w.rng.IntN(100); {
	case p < 68:
		w.event, w.interval = "retry", 100+w.rng.IntN(30000)
	case p < 70:
		w.event = "retry"
	case p < 85:
		w.event = "connect"
	default:
		w.event = "disconnect"
	}
}

func (w *writer) write(open, key, colon, comma, end string, order string) {
	w.b = append(w.b, open...)
	first := true
	for _, c := range order {
		if c == 'r' && w.interval < 0 {
			continue
		}
		if !first {
			w.b = append(w.b, comma...)
		}
		first = false
		switch c {
		case 't':
			w.b = append(append(append(w.b, `"timestamp"`...), colon...), '"')
			w.b = append(append(w.b, w.stamp...), '"')
		case 'c':
			w.b = append(append(append(append(w.b, '"'), key...), '"'), colon...)
			w.b = append(append(append(w.b, '"'), w.client...), '"')
		case 'e':
			w.b = append(append(append(append(append(w.b, `"event_type"`...), colon...), '"'), w.event...), '"')
		case 'r':
			w.b = append(append(w.b, `"retry_interval_ms"`...), colon...)
			w.b = strconv.AppendInt(w.b, int64(w.interval), 10)
		case 'a':
			w.b = append(append(append(w.b, `"agent"`...), colon...), `"sdk/3.1 (linux)"`...)
		case 'x':
			w.b = append(append(append(w.b, `"meta"`...), colon...), `{"region":"eu","shard":`...)
			w.b = strconv.AppendInt(w.b, int64(w.rng.IntN(32)), 10)
			w.b = append(w.b, `,"tags":["a","b"]}`...)
		}
	}
	w.b = append(w.b, end...)
}

func (w *writer) plain()  { w.write("{", "client_ip", ":", ",", "}", "tcer") }
func (w *writer) spaced() { w.write("{", "client_ip", ": ", ", ", "}", "tcer") }
func (w *writer) sorted() { w.write("{", "client_ip", ":", ",", "}", "cert") }

func (w *writer) several() {
	switch w.rng.IntN(6) {
	case 0:
		w.plain()
	case 1:
		w.spaced()
	case 2:
		w.sorted()
	case 3:
		w.write("{", "client_ip", ":", ",", "}", "ectra")
	case 4:
		w.write("{ ", "client_ip", " : ", " , ", " }", "tecr")
	case 5:
		w.write("{", "client_ip", ":", ",", "}", "tcxer")
	}
}

func (w *writer) mix() {
	order := []byte("tcer")
	w.rng.Shuffle(4, func(i, j int) { order[i], order[j] = order[j], order[i] })
	if w.rng.IntN(3) == 0 {
		order = append(order, 'x')
	}
	key := "client_ip"
	if w.rng.IntN(20) == 0 {
		key = `client\u005fip`
	}
	if w.rng.IntN(4) == 0 {
		w.stamp = append(w.stamp[:19], '.', byte('0'+w.rng.IntN(10)), byte('0'+w.rng.IntN(10)), byte('0'+w.rng.IntN(10)), 'Z')
	}
	style := [...][4]string{{"{", ":", ",", "}"}, {"{", ":", ",", "}"}, {"{", ": ", ", ", "}"}, {"{ ", " : ", " , ", " }"}}[w.rng.IntN(4)]
	w.write(style[0], key, style[1], style[2], style[3], string(order))
}
