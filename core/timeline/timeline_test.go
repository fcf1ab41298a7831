package timeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/connlog"
)

// told is one event of a test's story, with the client's key and where it stands.
type told struct {
	key    string
	source uint32
	e      connlog.Event
	texts  [4]string // conn, user agent, path, cause
}

func (x *told) add(t *Table, b *connlog.Batch) {
	b.Reset(nil)
	e := x.e
	e.Conn, e.UserAgent, e.Path, e.Cause = b.Keep([]byte(x.texts[0])), b.Keep([]byte(x.texts[1])), b.Keep([]byte(x.texts[2])), b.Keep([]byte(x.texts[3]))
	t.Add(b, &e, []byte(x.key))
}

func at(kind connlog.Kind, outcome connlog.Outcome, ms int64) connlog.Event {
	return connlog.Event{Time: ms * civil.Millisecond, Resolution: civil.Millisecond, Duration: connlog.None, Interval: connlog.None, Kind: kind, Outcome: outcome}
}

// random makes a log of n events of some clients and two sources, with everything an event can have.
func random(seed uint64, n int) []told {
	r := rand.New(rand.NewPCG(seed, 1))
	var records [2]int64
	list := make([]told, n)
	for i := range list {
		x := &list[i]
		x.source = r.Uint32N(2)
		x.key = fmt.Sprint("client-", r.IntN(1+n/40))
		x.e = at(connlog.Kind(r.IntN(2)), connlog.Outcome(r.IntN(7)), int64(i)*137+r.Int64N(5000))
		x.e.Record = records[x.source]
		records[x.source]++
		x.e.Resolution = resolutions[r.IntN(len(resolutions))]
		x.e.Status = uint16(r.IntN(3) * 101)
		switch r.IntN(8) {
		case 0:
			x.e.Duration = r.Int64N(1 << 40)
		case 1:
			x.e.Interval = r.Int64N(1 << 35)
		case 2:
			x.e.LateBy = civil.Second
		case 3:
			x.e.Count = r.Uint32N(5)
		case 4:
			x.e.ID = uint64(r.IntN(n/4) + 1)
		case 5:
			x.texts[0] = fmt.Sprint("conn", r.IntN(n/4))
			if x.e.Kind == connlog.Close {
				x.key = ""
			}
		case 6:
			x.e.Time = r.Int64() - 1<<62
		}
		x.texts[1] = []string{"", "a/1", "b/2"}[r.IntN(3)]
		x.texts[2] = []string{"", "/ws", "/room/81723/ws"}[r.IntN(3)]
		if r.IntN(20) == 0 {
			x.e.CloseCode, x.texts[3] = 1006, "transport close"
		}
	}
	return list
}

// tell prints everything a frozen table knows, rows in the order of their keys.
func tell(t *Table) string {
	var keys []string
	for i := range t.Clients() {
		key, _ := t.Key(i)
		keys = append(keys, string(key))
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, key := range keys {
		i, ok := t.Find([]byte(key))
		if !ok {
			panic(key)
		}
		fmt.Fprintf(&b, "%q\n", key)
		h := t.History(i, nil, new([]byte))
		for j := range h {
			m := h[j]
			s := *t.Signature(&m)
			fmt.Fprintln(&b, " ", m.Time, m.Duration, m.Interval, m.Late, m.Record, m.ID, m.Conn, m.Count, t.parts[m.Part].Source,
				s.Kind, s.Outcome, s.ClosedBy, s.Status, s.CloseCode, s.Resolution(), t.Text(s.UserAgent), t.Text(s.Path), t.Text(s.Cause))
		}
		var beyond []string
		t.Beyond(i, func(s *Signature, n int64) {
			beyond = append(beyond, fmt.Sprint(n, s.Kind, s.Outcome, s.Status, s.Resolution(), s.has, s.unit, t.Text(s.UserAgent), t.Text(s.Path), t.Text(s.Cause)))
		})
		slices.Sort(beyond)
		fmt.Fprintln(&b, " ", beyond)
		t.BeyondMinutes(i, func(from, width int64, n uint32) { fmt.Fprint(&b, from, "+", width, ":", n, " ") })
		first, last, _ := t.BeyondRange(i)
		fmt.Fprintln(&b, first, last)
		var tr Trace
		t.Trace(h, &tr)
		fmt.Fprintln(&b, tr.Sessions, tr.Waits, tr.Open, tr.MostOpen, tr.Parallel, t.Peak(h, civil.Minute, nil))
	}
	for kind := range 3 {
		t.BeyondSeconds(kind, func(from, width int64, n uint32) { fmt.Fprint(&b, from, "+", width, ":", n, " ") })
	}
	fmt.Fprintln(&b, t.Duplicates())
	return b.String()
}

func small(part Part) *Table {
	t := New(part, rand.Uint64()) // no result depends on it
	t.limit = 16
	return t
}

// The whole of a log in one table tells the same as any split of it, merged in any order, through bytes or not at all.
func TestSplitsMergeToTheWhole(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	var b connlog.Batch
	rounds := 60
	if testing.Short() {
		rounds = 12
	}
	for round := range rounds {
		log := random(seed+uint64(round), 20+r.IntN(2000))
		base := small(Part{0, 0})
		second := small(Part{1, 0})
		for i := range log {
			if log[i].source == 0 {
				log[i].add(base, &b)
			} else {
				log[i].add(second, &b)
			}
		}
		if _, err := base.Merge(second.AppendState(nil)); err != nil {
			t.Fatal(err)
		}
		base.Freeze(nil)
		want := tell(base)

		// Cut each source into parts; records restart in each.
		var tables []*Table
		starts := map[Part]int64{}
		for source := range uint32(2) {
			var current *Table
			part := Part{source, 0}
			for i := range log {
				x := log[i]
				if x.source != source {
					continue
				}
				if current == nil || r.IntN(1+len(log)/5) == 0 {
					if current != nil {
						part.Index++
					}
					current = small(part)
					starts[part] = x.e.Record
					tables = append(tables, current)
				}
				x.e.Record -= starts[part]
				x.add(current, &b)
			}
		}
		r.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
		for len(tables) > 1 {
			i := r.IntN(len(tables) - 1)
			if r.IntN(2) == 0 {
				if err := tables[i].Absorb(tables[i+1]); err != nil {
					t.Fatal(err)
				}
				tables = slices.Delete(tables, i+1, i+2)
				continue
			}
			state := tables[i+1].AppendState(nil)
			following, err := tables[i].Merge(append(state, "tail"...))
			if err != nil || string(following) != "tail" {
				t.Fatalf("merge: %v, following %q", err, following)
			}
			tables = slices.Delete(tables, i+1, i+2)
		}
		whole := tables[0]
		whole.Freeze(nil)
		got := tellFrom(whole, starts)
		if got != want {
			t.Fatalf("round %d of seed %d: the parts tell another story\n%s", round, seed, firstDifference(want, got))
		}
	}
}

// tellFrom tells with records counted from the beginning of each source.
func tellFrom(t *Table, starts map[Part]int64) string {
	for i := range t.clients {
		list := t.read(uint32(i), nil, new([]byte))
		for j := range list {
			list[j].Record += starts[t.parts[list[j].Part]]
		}
		t.rewrite(uint32(i), list)
	}
	for i := range t.moved {
		t.moved[i].Record += starts[t.parts[t.moved[i].Part]]
	}
	return tell(t)
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\nwhole: %s\nparts: %s", i, x[i], y[i])
		}
	}
	return fmt.Sprint(len(x), " lines against ", len(y))
}

func TestMergeRefuses(t *testing.T) {
	var b connlog.Batch
	one := small(Part{0, 1})
	log := random(7, 300)
	for i := range log {
		log[i].add(one, &b)
	}
	state := one.AppendState(nil)
	if _, err := small(Part{0, 1}).Merge(state); err == nil {
		t.Error("the same part twice is accepted")
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for n := 0; n < len(state); n += step {
		if _, err := small(Part{9, 9}).Merge(state[:n]); err == nil {
			t.Fatalf("a state cut at %d of %d is accepted", n, len(state))
		}
	}
	broken := small(Part{9, 9})
	if _, err := broken.Merge(state[:len(state)/2]); err == nil {
		t.Error("half a state is accepted")
	}
	if _, err := broken.Merge(state); err == nil {
		t.Error("a table takes states after a broken one")
	}
}

// Bytes that are no state are refused or give a table that can be read: no panic, no loop, no memory out of proportion.
func FuzzMerge(f *testing.F) {
	var b connlog.Batch
	for seed := range uint64(3) {
		t := small(Part{0, 1})
		log := random(seed, 200)
		for i := range log {
			log[i].add(t, &b)
		}
		f.Add(t.AppendState(nil))
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		table := small(Part{9, 9})
		if _, err := table.Merge(state); err != nil {
			return
		}
		again := small(Part{9, 8})
		if _, err := again.Merge(table.AppendState(nil)); err != nil {
			t.Fatalf("a table that was read cannot be read again: %v", err)
		}
		table.Freeze(nil)
		tell(table)
	})
}

func TestVarint(t *testing.T) {
	for shift := range 64 {
		for _, v := range []int64{1 << shift, 1<<shift - 1, -1 << shift} {
			r := reader{data: append(appendInt(nil, v), 7)}
			if got := r.int(); got != v || r.bad || len(r.data) != 1 || !bytes.Equal(appendInt(nil, v), binary.AppendVarint(nil, v)) {
				t.Fatalf("%d reads as %d", v, got)
			}
		}
	}
	if _, n := readUint(bytes.Repeat([]byte{0xff}, 12)); n != 0 {
		t.Error("an endless number is read")
	}
}

func TestSlab(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var s slab
	chains := make([]chain, 50)
	want := make([][]byte, len(chains))
	for range 20_000 {
		i := r.IntN(len(chains))
		if r.IntN(400) == 0 {
			s.release(&chains[i])
			want[i] = nil
		}
		data := bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(40))
		s.append(&chains[i], data)
		want[i] = append(want[i], data...)
	}
	for i := range chains {
		if got := s.bytes(chains[i].head, chains[i].length(), nil); !bytes.Equal(got, want[i]) {
			t.Fatalf("chain %d has %d bytes, want %d", i, len(got), len(want[i]))
		}
	}
}

func TestPattern(t *testing.T) {
	for in, want := range map[string]string{
		"/ws":                                    "/ws",
		"/sockjs-node/513/x7k2a9bq/websocket":    "/sockjs-node/*/*/websocket",
		"/v2/socket":                             "/v2/socket",
		"/rooms/3f2b8c1e-aaaa-bbbb-cccc-1234/ws": "/rooms/*/ws",
		"/socket.io/":                            "/socket.io/",
		"":                                       "",
		"/1":                                     "/*",
	} {
		if got := string(appendPattern(nil, []byte(in))); got != want {
			t.Errorf("pattern of %q is %q, want %q", in, got, want)
		}
	}
}

func TestTallyFoldsAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		var whole, a, b tally
		for range r.IntN(400) {
			at, n := int64(r.IntN(5000))-2500, r.Uint32N(3)+1
			whole.add(at, n, 32)
			if r.IntN(2) == 0 {
				a.add(at, n, 32)
			} else {
				b.add(at, n, 32)
			}
		}
		a.merge(&b, 32)
		if a.shift != whole.shift || !slices.Equal(a.bins, whole.bins) {
			t.Fatalf("parts: %v\nwhole: %v", a, whole)
		}
	}
}

// A source that is left out might never have been read, but for what of the others was not kept one by one.
func TestLeave(t *testing.T) {
	var b connlog.Batch
	for seed := range uint64(20) {
		log := random(seed, 300)
		limit := 16
		if seed%2 == 0 {
			limit = 1000
		}
		both, one := New(Part{0, 0}, 0), New(Part{0, 0}, 0)
		second := New(Part{1, 0}, 0)
		both.limit, one.limit, second.limit = limit, limit, limit
		for i := range log {
			if log[i].source == 0 {
				log[i].add(both, &b)
				log[i].add(one, &b)
			} else {
				log[i].add(second, &b)
			}
		}
		if _, err := both.Merge(second.AppendState(nil)); err != nil {
			t.Fatal(err)
		}
		both.Leave(1)
		both.Freeze(nil)
		one.Freeze(nil)
		kept := func(t *Table) (told string, events int64) {
			for i := range t.Clients() {
				h := t.History(i, nil, new([]byte))
				for j := range h {
					events++
					if t.parts[h[j].Part].Source != 0 {
						told += "an event of the second source "
					}
				}
				t.Beyond(i, func(_ *Signature, n int64) { events += n })
			}
			return told, events + t.Duplicates()
		}
		told, events := kept(both)
		want, n := kept(one)
		if limit > 100 && (told != want || events != n) {
			t.Errorf("seed %d: %d events, want %d; %s", seed, events, n, told)
		}
		if told != "" {
			t.Errorf("seed %d: %s", seed, told)
		}
	}
}
