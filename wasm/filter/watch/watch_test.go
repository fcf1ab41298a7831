package watch

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/wasm/filter/door"
)

// memory is shared data by Envoy's rules.
type memory struct {
	values map[string][]byte
	cas    map[string]uint32
	last   uint32
	asked  int // operations
	broken bool
}

func (m *memory) Get(name []byte) ([]byte, uint32, door.Status) {
	if m.asked++; m.broken {
		return nil, 0, door.Failed
	}
	key := string(name)
	v, ok := m.values[key]
	if !ok {
		return nil, 0, door.Absent
	}
	return append([]byte(nil), v...), m.cas[key], door.OK
}

func (m *memory) Set(name, value []byte, cas uint32) door.Status {
	if m.asked++; m.broken {
		return door.Failed
	}
	key := string(name)
	if m.values == nil {
		m.values, m.cas = map[string][]byte{}, map[string]uint32{}
	}
	if _, ok := m.values[key]; ok && cas != 0 && cas != m.cas[key] {
		return door.Mismatch
	}
	m.last++
	m.values[key], m.cas[key] = append([]byte(nil), value...), m.last
	return door.OK
}

const began = int64(1_800_000_000) * civil.Second // a full minute

// attempt is one handshake that is refused.
type attempt struct {
	id uint64
	at int64
}

// play lets attempts go to workers at random, and ticks all of them once a second until the line is written.
func play(t *testing.T, attempts []attempt, workers int, shared door.Shared) (lines []string, states []State) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]*Watch, workers)
	for i := range all {
		all[i] = New(shared, "test")
	}
	tick := func(now int64) {
		for _, w := range all {
			if line, s := w.Tick(now); line != nil {
				lines, states = append(lines, string(line)), append(states, s)
			}
		}
	}
	now := began
	for _, a := range attempts {
		for ; now+civil.Second <= a.at; now += civil.Second {
			tick(now)
		}
		w := all[rng.IntN(workers)]
		w.Saw(a.id, true, a.at)
		w.Did(a.id, Failed, a.at)
	}
	for range 90 {
		now += civil.Second
		tick(now)
	}
	for i, w := range all {
		if n := w.Lost(); n != 0 {
			t.Errorf("worker %d lost %d", i, n)
		}
	}
	return lines, states
}

// crowd is clients that are refused ten times within a minute; wait gives their waits.
func crowd(n int, wait func(client, attempt int) time.Duration) (list []attempt) {
	for c := range n {
		at := began + 10*civil.Second
		for k := range 10 {
			at += int64(wait(c, k))
			list = append(list, attempt{bucket.Hash(7, []byte{byte(c), byte(c >> 8)}), at})
		}
	}
	sortAttempts(list)
	return list
}

func sortAttempts(list []attempt) {
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && list[j].at < list[j-1].at; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// One line for a minute, whichever workers saw the clients; in step and with jitter are told apart.
func TestMinute(t *testing.T) {
	const clients = 300
	rng := rand.New(rand.NewPCG(3, 4))
	for name, c := range map[string]struct {
		wait     func(client, attempt int) time.Duration
		together bool
		from, to float64 // without jitter
	}{
		"in step": {func(_, k int) time.Duration { return min(100*time.Millisecond<<k, 5*time.Second) }, true, 0.95, 1},
		"full jitter": {func(_, k int) time.Duration {
			return time.Duration(rng.Int64N(int64(min(time.Second<<k, 8*time.Second))))
		}, false, 0, 0.05}, // a crowd that was cut off together, and spreads
		"half and half": {func(c, k int) time.Duration {
			if c%2 == 0 {
				return time.Duration(1e9 + c*1e6) // each its own, always the same
			}
			return time.Duration(rng.Int64N(4e9))
		}, true, 0.3, 0.7},
	} {
		lines, states := play(t, crowd(clients, c.wait), 4, new(memory))
		if len(lines) < 1 || !strings.HasPrefix(lines[0], `minute {"from":"2027-01-15T08:00:00Z","scope":"process","workers":4,"attempts":`) {
			t.Fatalf("%s: %q", name, lines)
		}
		attempts, judged, locked := int64(0), 0, 0
		for _, s := range states {
			attempts += s.Attempts
			judged, locked = judged+s.Judged, locked+s.Locked
		}
		s := states[0]
		if attempts != 10*clients || s.Refused != s.Attempts || s.Clients < clients*9/10 || s.Clients > clients*11/10 || s.Together != c.together || judged < 40 {
			t.Errorf("%s: %+v, judged %d", name, s, judged)
		}
		if share := float64(locked) / float64(max(judged, 1)); share < c.from || share > c.to {
			t.Errorf("%s: %d of %d without jitter\n%s", name, locked, judged, lines[0])
		}
	}
}

// A quiet minute is not said to have a herd.
func TestQuiet(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var list []attempt
	for i := range 2000 {
		list = append(list, attempt{bucket.Hash(1, []byte{byte(i), byte(i >> 8)}), began + rng.Int64N(civil.Minute)})
	}
	sortAttempts(list)
	lines, states := play(t, list, 3, new(memory))
	if len(lines) != 1 || states[0].Together || states[0].Judged != 0 || !strings.HasSuffix(lines[0], `"judged":0,"without_jitter":null}`) {
		t.Errorf("%q", lines)
	}
	if c := states[0].Clients; c < 1850 || c > 2150 {
		t.Errorf("%d clients", c)
	}
}

// In a crowd each place is wanted by many clients. Its owner's moments are all kept, so that its schedule is seen.
func TestCrowd(t *testing.T) {
	const clients = 3000
	waits := func(c, _ int) time.Duration { return time.Second + time.Duration(c)*time.Millisecond }
	m := new(memory)
	_, states := play(t, crowd(clients, waits), 4, m)
	if s := states[0]; s.Judged < 120 || s.Locked != s.Judged {
		t.Errorf("%d judged, %d of them without jitter", s.Judged, s.Locked)
	}
	for name, value := range m.values {
		var one trail
		if strings.HasPrefix(name, door.Prefix+"t/") && (!one.load(value) || len(one.moments) != 10) {
			t.Errorf("%s: %d of 10 moments are kept", name, len(one.moments))
		}
	}
}

// While a handshake waits nothing is asked of shared data; a tick asks no more than once for each place, whatever came.
func TestNothingAskedBetweenTicks(t *testing.T) {
	m := &memory{}
	w := New(m, "test")
	for i := range 20 * mostSeen {
		asked := m.asked
		id, at := uint64(i)<<57|uint64(i+1), began+int64(i)*civil.Millisecond/100
		w.Saw(id, true, at)
		w.Did(id, Failed, at)
		if i < mostSeen && m.asked != asked {
			t.Fatalf("moment %d asks", i)
		}
	}
	w.Tick(began + civil.Second)
	if m.asked > 4*(followed+3) {
		t.Errorf("asked %d times for %d moments", m.asked, 20*mostSeen)
	}
	if !w.Follows(1, began+civil.Second) || w.Follows(129, began+civil.Second) {
		t.Error("a place does not belong to who came first")
	}
}

// Without shared data each worker writes a line of its own and judges nobody.
func TestAlone(t *testing.T) {
	lines, states := play(t, crowd(50, func(int, int) time.Duration { return time.Second }), 2, nil)
	if len(lines) != 2 || !strings.Contains(lines[0], `"scope":"worker","workers":1,`) || !strings.HasSuffix(lines[0], `"without_jitter":null}`) {
		t.Errorf("%q", lines)
	}
	if states[0].Attempts+states[1].Attempts != 500 {
		t.Errorf("%+v", states)
	}
}

// Shared data that fails, or that another version wrote, costs figures and nothing else.
func TestShared(t *testing.T) {
	m := &memory{broken: true}
	w := New(m, "test")
	w.Saw(1, false, began)
	w.Did(1, Opened, began)
	w.Tick(began + civil.Second)
	if w.Lost() != 1 {
		t.Error("what cannot be handed in is not counted as lost")
	}
	m.broken = false
	w.Saw(1, false, began+2*civil.Second)
	w.Did(1<<60, Failed, began+2*civil.Second)
	w.Tick(began + 3*civil.Second)
	for key := range m.values {
		m.values[key] = []byte("another version's")
	}
	w.Saw(1, false, began+4*civil.Second)
	w.Did(1<<60, Failed, began+4*civil.Second)
	w.Did(1<<60, Failed, began+5*civil.Second)
	var lines []string
	for i := range 90 {
		if line, _ := w.Tick(began + int64(5+i)*civil.Second); line != nil {
			lines = append(lines, string(line))
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], `"attempts":1,`) || !strings.Contains(lines[0], `"followed":1,`) {
		t.Errorf("%q", lines)
	}
	// A clock that steps by a day either way: the minutes go on.
	for _, step := range []int64{civil.Day, -civil.Day} {
		at := began + 100*civil.Second + step
		w.Saw(1, false, at)
		n := 0
		for i := range 90 {
			if line, _ := w.Tick(at + int64(i)*civil.Second); line != nil {
				n++
			}
		}
		if n != 1 {
			t.Errorf("a step of the clock by %d days: %d lines", step/civil.Day, n)
		}
	}
}

func FuzzLoad(f *testing.F) {
	var m minute
	f.Add(m.append(nil))
	tr := trail{id: 7, moments: []uint64{1 << 8, 2 << 8}}
	f.Add(tr.append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m minute
		if m.load(data) {
			m.clients()
			m.peak()
		}
		var tr trail
		if tr.load(data) && len(tr.moments) == 0 {
			t.Error("a trail without a moment")
		}
		s := &memory{}
		s.Set([]byte(door.Prefix+"t/x/0"), data, 0)
		w := New(s, "x")
		w.trails.judge(0, 1, 0)
		w.Did(5, Failed, 1e15)
		w.Tick(1e15)
	})
}
