package storm

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/lint"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm/keeper"
)

// clientPath begins the path by which a program's connections are told from another's: /client/7.
const clientPath = "client/"

// witness keeps what the gateway saw of each program.
type witness struct {
	mu       sync.Mutex
	programs []watched
	strays   int // handshakes at a path that is no program's
	burst    *Burst
	index    int
	runs     lint.Runs
	lag      lag
}

// watched is one program.
type watched struct {
	sessions int // open now
	ever     bool
	end      *keeper.Event // the program has ended
	// of the burst under way
	dropped bool
	from    time.Time // since when it is waiting: the drop, or the last refusal
	waits   []time.Duration
	back    time.Duration // since the drop; 0 while it is out
}

func newWitness(n int) *witness {
	return &witness{programs: make([]watched, n), runs: lint.Runs{Scenario: lint.LongSession}}
}

// see is the gateway's Watch.
func (w *witness) see(s gateway.Sighting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, ok := strings.CutPrefix(s.Path, "/"+clientPath)
	text, _, _ = strings.Cut(text, "/") // a client may go on below its path, as /client/7/socket
	i, err := strconv.Atoi(text)
	if !ok || err != nil || i < 0 || i >= len(w.programs) {
		if s.Sight != gateway.Closed {
			w.strays++
		}
		return
	}
	p := &w.programs[i]
	if s.Sight == gateway.Closed {
		p.sessions--
		if p.sessions == 0 && p.back > 0 { // it is out again
			p.back, p.from = 0, s.End
		}
		return
	}
	if w.burst != nil && !s.Begin.Before(w.burst.At) {
		w.attempt(p, s)
	}
	if s.Sight == gateway.Opened {
		p.sessions++
		p.ever = true
		w.runs.Parallel = max(w.runs.Parallel, p.sessions)
	}
}

// attempt notes an attempt of the burst under way.
func (w *witness) attempt(p *watched, s gateway.Sighting) {
	b := w.burst
	b.arrived(s.Begin)
	if s.Sight != gateway.Opened {
		b.Failed++
		kind := Kind("503")
		if s.Sight == gateway.Broken {
			kind = cut
		}
		b.Errors[kind]++
	}
	if !p.dropped || p.back > 0 {
		return
	}
	p.waits = append(p.waits, s.Begin.Sub(p.from))
	p.from = s.End
	if s.Sight == gateway.Opened {
		p.back = s.End.Sub(b.At)
	}
}

// drop begins a burst. The sessions end in it: what is open now is what is dropped.
func (w *witness) drop(now time.Time, drop func() int) {
	w.mu.Lock()
	w.index++
	w.burst = &Burst{At: now, Errors: map[Kind]int{}}
	for i := range w.programs {
		p := &w.programs[i]
		p.dropped, p.from, p.waits, p.back = p.sessions > 0, now, nil, 0
		if p.dropped {
			w.burst.Dropped++
		}
	}
	w.mu.Unlock()
	drop()
}

// collect ends the burst and keeps the runs that it showed.
func (w *witness) collect() Burst {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := *w.burst
	w.burst = nil
	for i := range w.programs {
		p := &w.programs[i]
		if !p.dropped {
			continue
		}
		ending := "observed"
		switch {
		case p.back > 0:
			b.recovered = append(b.recovered, p.back)
		case p.end != nil:
			ending = "gave-up"
		default:
			ending = "not-observed"
		}
		w.runs.Delays = append(w.runs.Delays, p.waits)
		w.runs.Endings = append(w.runs.Endings, ending)
	}
	b.finish()
	return b
}

func (w *witness) programEnded(e keeper.Event) {
	w.mu.Lock()
	w.programs[e.Program].end = &e
	w.mu.Unlock()
}

// until waits for a state, at most so long.
func (w *witness) until(ctx context.Context, most time.Duration, is func() bool) {
	for end := time.Now().Add(most); time.Now().Before(end) && !is() && sleep(ctx, 10*time.Millisecond); {
	}
}

// connected reports whether every program that runs has a session.
func (w *witness) connected() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.programs {
		if p := &w.programs[i]; p.sessions == 0 && p.end == nil {
			return false
		}
	}
	return true
}

// returned reports whether every program that was dropped is back or has ended.
func (w *witness) returned() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.programs {
		if p := &w.programs[i]; p.dropped && p.back == 0 && p.end == nil {
			return false
		}
	}
	return true
}

func (w *witness) allEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.programs {
		if w.programs[i].end == nil {
			return false
		}
	}
	return true
}

// connects refuses programs of which none has ever connected, and says why as far as that can be known.
func (w *witness) connects(waited time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.programs {
		if w.programs[i].ever {
			return nil
		}
	}
	fault := &fault.Error{Code: fault.Unreadable, Package: "storm"}
	for i := range w.programs {
		if e := w.programs[i].end; e != nil {
			fault.Message = "client " + strconv.Itoa(i) + " ended before it had connected: " + e.Status
			if e.Said != "" {
				fault.Message += ": " + e.Said
			}
			return fault
		}
	}
	fault.Message = "no program connected within " + figure.Span(float64(waited))
	fault.Expected = "a client of the address that stands for {uri}, or is in the environment as STORMLINT_URI"
	if w.strays > 0 {
		fault.Message += ", and " + strconv.Itoa(w.strays) + " handshakes came to another path than the one given"
	}
	return fault
}

// notes say what makes the report a weak witness. The caller holds the lock.
func (w *witness) notes() (list []string) {
	never, ended, first := 0, 0, -1
	for i := range w.programs {
		if !w.programs[i].ever {
			never++
		}
		if w.programs[i].end != nil {
			if ended++; first < 0 {
				first = i
			}
		}
	}
	if never > 0 {
		list = append(list, figure.Several(int64(never), "program")+" never connected")
	}
	if ended > 0 {
		e := w.programs[first].end
		text := figure.Several(int64(ended), "program") + " ended before the storm did, the first of them client " + strconv.Itoa(first) + ": " + e.Status
		if e.Said != "" {
			text += ": " + e.Said
		}
		list = append(list, text)
	}
	if w.strays > 0 {
		list = append(list, figure.Several(int64(w.strays), "handshake")+" came to another path than the one given, and nobody knows whose they are")
	}
	if late := w.lag.resolution(); late > 4*finest {
		list = append(list, "this machine was busy: waits are known to within "+figure.Span(float64(late))+", and smaller differences are not judged")
	}
	return list
}

// open is how many programs have a session. The caller holds the lock.
func (w *witness) open() (n int) {
	for i := range w.programs {
		if w.programs[i].sessions > 0 {
			n++
		}
	}
	return n
}

func (w *witness) snapshot(begin time.Time, bursts int) Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Snapshot{Elapsed: time.Since(begin), Burst: w.index, Bursts: bursts, Open: w.open(), Clients: len(w.programs)}
	if w.burst != nil {
		s.Failed, s.Arrivals = w.burst.Failed, append(s.Arrivals, w.burst.Arrivals...)
	}
	return s
}
