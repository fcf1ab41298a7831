package storm

import (
	"slices"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/herd"
	"github.com/stormlint/stormlint/core/jsonwrite"
	"github.com/stormlint/stormlint/core/lint"
)

// BinWidth is the width of the bins of arrivals.
const BinWidth = 100 * time.Millisecond

// Report is what a storm showed.
type Report struct {
	URI     string
	Policy  string // as a SPEC; empty where programs ran
	Program string // the command whose processes were the clients; empty where storm's own were
	Clients int
	Bursts  []Burst
	GaveUp  int           // clients whose policy ended
	Held    int           // attempts held back by the rate limit: the machine or --max-rate was measured, not the policy
	Open    int           // sessions at the end
	Took    time.Duration // of the whole run
	Stopped string        // why it ended early: "interrupted", "duration", "every program ended"; empty: all bursts ran
	Lint    *lint.Result  // of what programs were seen to do; nil where storm's own clients ran
	Notes   []string      // doubts about what ran
}

// Burst is one drop and what followed.
type Burst struct {
	At        time.Time
	Dropped   int           // clients that lost their session
	Back      int           // of them, with a session again before the burst's end
	Arrivals  []int         // attempts per BinWidth since the drop
	Peak      float64       // the largest bin, in attempts a second
	P50, P99  time.Duration // of the recoveries of all that were dropped; Never where too few came back
	Last      time.Duration
	Failed    int // attempts without a session
	Waste     float64
	Errors    map[Kind]int
	recovered []time.Duration
}

// arrived counts an attempt.
func (b *Burst) arrived(at time.Time) {
	bin := max(0, int(at.Sub(b.At)/BinWidth)) // the burst may have begun since
	for len(b.Arrivals) <= bin {
		b.Arrivals = append(b.Arrivals, 0)
	}
	b.Arrivals[bin]++
}

// Never is a recovery that did not come before the burst's end; null in JSON.
const Never = herd.Never

// finish works out the figures from what was collected.
func (b *Burst) finish() {
	slices.Sort(b.recovered)
	b.Back = len(b.recovered)
	at := func(percent int) time.Duration {
		k := (b.Dropped*percent+99)/100 - 1
		if k < 0 || k >= b.Back {
			return Never
		}
		return b.recovered[k]
	}
	b.P50, b.P99, b.Last = at(50), at(99), at(100)
	if len(b.Arrivals) > 0 {
		b.Peak = float64(slices.Max(b.Arrivals)) / BinWidth.Seconds()
	}
	if b.Dropped > 0 {
		b.Waste = float64(b.Failed) / float64(b.Dropped)
	}
}

// AppendJSON appends {"schema","uri","policy","clients","took_ms","stopped","gave_up","held","open","bursts":[…],"notes":[…]};
// where programs ran, "program" instead of the policy, and "lint".
func (r *Report) AppendJSON(b []byte) []byte {
	b = jsonwrite.Object(b)
	b = jsonwrite.String(jsonwrite.Key(b, "schema"), "stormlint/storm/1")
	b = jsonwrite.String(jsonwrite.Key(b, "uri"), r.URI)
	if r.Program != "" {
		b = jsonwrite.String(jsonwrite.Key(b, "program"), r.Program)
	} else {
		b = jsonwrite.String(jsonwrite.Key(b, "policy"), r.Policy)
	}
	b = jsonwrite.Int(jsonwrite.Key(b, "clients"), int64(r.Clients))
	b = jsonwrite.Millis(jsonwrite.Key(b, "took_ms"), int64(r.Took.Round(time.Millisecond)))
	b = jsonwrite.String(jsonwrite.Key(b, "stopped"), r.Stopped)
	b = jsonwrite.Int(jsonwrite.Key(b, "gave_up"), int64(r.GaveUp))
	b = jsonwrite.Int(jsonwrite.Key(b, "held"), int64(r.Held))
	b = jsonwrite.Int(jsonwrite.Key(b, "open"), int64(r.Open))
	b = jsonwrite.Array(jsonwrite.Key(b, "bursts"))
	for i := range r.Bursts {
		b = r.Bursts[i].appendJSON(b)
	}
	b = jsonwrite.End(b, ']')
	b = jsonwrite.Strings(jsonwrite.Key(b, "notes"), r.Notes)
	if r.Lint != nil {
		b = r.Lint.AppendJSON(jsonwrite.Key(b, "lint"))
	}
	return jsonwrite.End(b, '}')
}

func (u *Burst) appendJSON(b []byte) []byte {
	millis := func(b []byte, key string, d time.Duration) []byte {
		if d == Never {
			return jsonwrite.Null(jsonwrite.Key(b, key))
		}
		return jsonwrite.Millis(jsonwrite.Key(b, key), int64(d.Round(time.Millisecond)))
	}
	b = jsonwrite.Object(b)
	b = jsonwrite.Time(jsonwrite.Key(b, "at"), u.At.UnixNano(), 1e6)
	b = jsonwrite.Int(jsonwrite.Key(b, "dropped"), int64(u.Dropped))
	b = jsonwrite.Object(jsonwrite.Key(b, "recovery"))
	b = millis(b, "p50_ms", u.P50)
	b = millis(b, "p99_ms", u.P99)
	b = millis(b, "last_ms", u.Last)
	b = jsonwrite.Int(jsonwrite.Key(b, "recovered"), int64(u.Back))
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Fixed(jsonwrite.Key(b, "peak_per_s"), u.Peak, 1)
	b = jsonwrite.Fixed(jsonwrite.Key(b, "waste_per_client"), u.Waste, 3)
	b = jsonwrite.Object(jsonwrite.Key(b, "errors"))
	for _, k := range u.Kinds() {
		b = jsonwrite.Int(jsonwrite.Key(b, string(k)), int64(u.Errors[k]))
	}
	b = jsonwrite.End(b, '}')
	b = jsonwrite.Object(jsonwrite.Key(b, "arrivals"))
	b = jsonwrite.Int(jsonwrite.Key(b, "bin_ms"), BinWidth.Milliseconds())
	b = jsonwrite.Array(jsonwrite.Key(b, "counts"))
	for _, n := range u.Arrivals {
		b = jsonwrite.Int(b, int64(n))
	}
	return jsonwrite.End(jsonwrite.End(jsonwrite.End(b, ']'), '}'), '}')
}

// Kinds lists the burst's kinds of failure, most frequent first.
func (u *Burst) Kinds() []Kind {
	var kinds []Kind
	for k := range u.Errors {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		if u.Errors[a] != u.Errors[b] {
			return u.Errors[b] - u.Errors[a]
		}
		return strings.Compare(string(a), string(b))
	})
	return kinds
}

// Snapshot is how a storm stands while it runs.
type Snapshot struct {
	Elapsed  time.Duration
	Burst    int // from 1; 0 while the first connects are made
	Bursts   int
	Open     int
	Clients  int
	Failed   int   // attempts of this burst
	Arrivals []int // of this burst, per BinWidth
}
