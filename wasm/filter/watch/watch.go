package watch

import (
	"strconv"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/wasm/filter/door"
)

const (
	settle   = 3 * civil.Second // after a minute's end, until all workers have handed in what they have counted
	places   = 16               // looked at in a tick: some 2 ms of a worker's time
	handTry  = 32
	memories = 4 // minutes in shared data
)

// Watch is one worker's share of watching.
type Watch struct {
	shared  door.Shared // nil: the worker watches alone
	prefix  string      // of the keys of minutes
	now     minute
	counted int64 // the latest minute to which this worker was added
	claimed int64 // the latest minute that was claimed, by whomever
	trails  trails
	lost    int
	buffer  []byte
	one     minute
	report  *report
}

// report is a minute's line in the making.
type report struct {
	number               int64
	place                int
	came, judged, locked int
}

// State is what a minute's line says, for gauges.
type State struct {
	Attempts, Admitted, Refused, Clients int64
	Peak                                 int  // attempts within 100 ms
	Together                             bool // clumped beyond chance
	Judged, Locked                       int
}

// New makes a worker's watch; shared is nil where there is no shared data, share is the settings' word.
func New(shared door.Shared, share string) *Watch {
	w := &Watch{shared: shared, prefix: door.Prefix, counted: -1, claimed: -1}
	name := []byte(door.Prefix + "t/" + share + "/")
	w.trails = trails{shared: shared, name: name, prefix: len(name)}
	w.prefix = door.Prefix + "m/" + share + "/"
	return w
}

// Saw counts an attempt at an instant in ns since 1970.
func (w *Watch) Saw(id uint64, refused bool, wall int64) {
	if wall < 0 {
		return
	}
	if n := wall / civil.Minute; n != w.now.number && w.shared != nil {
		w.hand()
		w.now.number = n
	} else if w.now.attempts == 0 {
		w.now.number = n
	}
	w.now.count(id, refused, wall)
}

// Did adds to a client's trail, with the next tick at the latest.
func (w *Watch) Did(id uint64, what What, wall int64) {
	if w.shared != nil && id != 0 && wall > 0 {
		w.trails.follow(id, what, wall)
	}
}

// Follows reports whether Did would have a use for a moment of a client.
func (w *Watch) Follows(id uint64, wall int64) bool {
	return w.shared != nil && id != 0 && !w.trails.strange(id, wall)
}

// Lost is how many attempts were counted too late, or could not be handed in, since the last call.
func (w *Watch) Lost() int {
	n := w.lost
	w.lost = 0
	return n
}

// hand adds what was counted to the shared minute.
func (w *Watch) hand() {
	if w.now.attempts == 0 {
		return
	}
	if w.counted != w.now.number {
		w.counted, w.now.workers = w.now.number, 1
	}
	late := false
	done, _ := door.Update(w.shared, w.key(w.now.number), handTry, func(value []byte) []byte {
		m := &w.one
		if value == nil || !m.load(value) || m.number < w.now.number || m.number > w.now.number+memories {
			*m = minute{number: w.now.number}
		}
		if late = m.number != w.now.number; late {
			return nil
		}
		m.add(&w.now)
		w.buffer = m.append(w.buffer[:0])
		return w.buffer
	})
	if late || !done {
		w.lost += int(w.now.attempts)
	}
	w.now = minute{number: w.now.number}
}

func (w *Watch) key(number int64) []byte {
	return strconv.AppendInt([]byte(w.prefix), number%memories, 10)
}

// Tick is called once a second; a line is nil but once a minute, on one worker.
func (w *Watch) Tick(wall int64) (line []byte, s State) {
	if wall < civil.Minute {
		return nil, s
	}
	if w.shared == nil {
		return w.alone(wall)
	}
	w.hand()
	w.trails.hand(wall)
	if over := (wall-settle)/civil.Minute - 1; over > w.claimed || over < w.claimed-memories {
		w.claimed = over
		if w.claim(over) {
			w.report = &report{number: over}
		}
	}
	r := w.report
	if r == nil {
		return nil, s
	}
	if r.place < followed {
		came, judged, locked := w.trails.judge(r.place, places, r.number)
		r.place += places
		r.came, r.judged, r.locked = r.came+came, r.judged+judged, r.locked+locked
		return nil, s
	}
	w.report = nil
	value, _, st := w.shared.Get(w.key(r.number))
	if st != door.OK || !w.one.load(value) || w.one.number != r.number {
		return nil, s // nobody came
	}
	return w.line(&w.one, r)
}

// claim reports that this worker is the first to ask for a minute.
func (w *Watch) claim(number int64) (won bool) {
	door.Update(w.shared, []byte(w.prefix+"claimed"), handTry, func(value []byte) []byte {
		won = len(value) != 8 || int64(read8(value)) < number || int64(read8(value)) > number+memories
		if !won {
			return nil
		}
		return append8(nil, uint64(number))
	})
	return won
}

func (w *Watch) alone(wall int64) (line []byte, s State) {
	if w.now.attempts == 0 || w.now.number == wall/civil.Minute {
		return nil, s
	}
	w.now.workers = 1
	line, s = w.line(&w.now, nil)
	w.now = minute{}
	return line, s
}

// line writes a minute; r is nil for a worker that watches alone.
func (w *Watch) line(m *minute, r *report) ([]byte, State) {
	s := State{Attempts: int64(m.attempts), Admitted: int64(m.admitted), Refused: int64(m.refused), Clients: m.clients(), Peak: m.peak()}
	herd := m.herd()
	s.Together = herd.Clumped
	factor := 1.0
	for _, x := range herd.Scales {
		factor = max(factor, x.Factor)
	}
	b := jsonwrite.Object(w.buffer[:0])
	b = jsonwrite.Time(jsonwrite.Key(b, "from"), m.number*civil.Minute, civil.Second)
	scope := "process"
	if r == nil {
		scope = "worker"
	}
	b = jsonwrite.String(jsonwrite.Key(b, "scope"), scope)
	b = jsonwrite.Uint(jsonwrite.Key(b, "workers"), uint64(m.workers))
	b = jsonwrite.Int(jsonwrite.Key(b, "attempts"), s.Attempts)
	b = jsonwrite.Int(jsonwrite.Key(b, "admitted"), s.Admitted)
	b = jsonwrite.Int(jsonwrite.Key(b, "refused"), s.Refused)
	b = jsonwrite.Int(jsonwrite.Key(b, "clients"), s.Clients)
	b = jsonwrite.Int(jsonwrite.Key(b, "peak_100ms"), int64(s.Peak))
	b = jsonwrite.Object(jsonwrite.Key(b, "together"))
	b = jsonwrite.Fixed(jsonwrite.Key(b, "p"), herd.P, 6)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "factor"), factor, 1)
	b = jsonwrite.End(b, '}')
	if r != nil {
		s.Judged, s.Locked = r.judged, r.locked
		b = jsonwrite.Int(jsonwrite.Key(b, "followed"), int64(r.came))
		b = jsonwrite.Int(jsonwrite.Key(b, "judged"), int64(r.judged))
	}
	b = jsonwrite.Key(b, "without_jitter")
	if s.Judged > 0 {
		b = jsonwrite.Fixed(b, float64(s.Locked)/float64(s.Judged), 2)
	} else {
		b = jsonwrite.Null(b)
	}
	w.buffer = jsonwrite.End(b, '}')
	return append([]byte("minute "), w.buffer...), s
}
