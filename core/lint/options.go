package lint

import (
	"strconv"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/lapse"
)

// Options is what is known about the world around a schedule. The zero value is the documented default.
type Options struct {
	Clients  int64   // how many fall together; 0 is unknown
	Capacity float64 // handshakes a second that the server can do; 0 is unknown; given with Clients or not at all
	Runtime  string  // whose timers wait: js, go, java, python, rust; "" is js, and for a library of the catalogue its own
	Budget   int64   // attempts a client may make a day; 0 is no limit
}

// The longest wait that each runtime's timers can make: beyond it they fire at once, fail, or saturate.
var longestWait = map[string]float64{
	"js":     (1<<31 - 1) * 1e6, // HTML: a longer timeout wraps and fires at once
	"go":     1 << 63,           // lapse.Duration
	"java":   1 << 63,           // ScheduledExecutorService counts ns in a long
	"python": 9223372036e9,      // threading.TIMEOUT_MAX
	"rust":   1 << 63,           // std's Duration is longer; beyond 292 years nothing is judged
}

func (o *Options) validate() error {
	if o.Clients < 0 || o.Clients > 1e9 {
		return fault.Value("lint", "clients", strconv.FormatInt(o.Clients, 10), "between 1 and 1000000000")
	}
	if o.Capacity != 0 && !(o.Capacity > 0 && o.Capacity <= 1e9) {
		return fault.Value("lint", "capacity", strconv.FormatFloat(o.Capacity, 'g', -1, 64), "above 0 and at most 1000000000 handshakes a second")
	}
	if (o.Clients > 0) != (o.Capacity > 0) {
		return &fault.Error{Code: fault.BadUsage, Package: "lint", Message: "clients and capacity are only useful together", Expected: "both, or neither"}
	}
	if _, ok := longestWait[o.Runtime]; !ok && o.Runtime != "" {
		return fault.Value("lint", "runtime", strconv.Quote(o.Runtime), "one of js, go, java, python, rust")
	}
	if o.Budget < 0 {
		return fault.Value("lint", "budget", strconv.FormatInt(o.Budget, 10), "at least 1 attempt a day")
	}
	return nil
}

// window is N/C in ns, the shortest possible recovery; 0 when it is not known.
func (o *Options) window() float64 {
	if o.Capacity == 0 {
		return 0
	}
	return float64(float64(o.Clients)/o.Capacity) * float64(lapse.Second)
}

func (o *Options) longest() float64 {
	if o.Runtime == "" {
		return longestWait["js"]
	}
	return longestWait[o.Runtime]
}
