package guard

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stormlint/stormlint/core/bucket"
)

// metrics are the figures of a guard, under stormlint_guard_.
type metrics struct {
	decisions *prometheus.CounterVec
	suspended prometheus.Counter
	hints     prometheus.Histogram
	gauges    []prometheus.Collector
}

var _ prometheus.Collector = (*Guard)(nil)

func newMetrics(g *Guard) *metrics {
	gauge := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "stormlint", Subsystem: "guard", Name: name, Help: help}, f)
	}
	m := &metrics{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "stormlint", Subsystem: "guard", Name: "handshakes_total",
			Help: "Handshakes by outcome (admitted, refused, would_refuse, exempt, gone), the limit that refused (client, fleet, open for none), what decided, and the limit's scope."},
			[]string{"outcome", "limit", "source", "scope"}),
		suspended: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "stormlint", Subsystem: "guard", Name: "suspended_total",
			Help: "Handshakes whose client limit was not asked, because their address looks like a proxy that was not declared."}),
		hints: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "stormlint", Subsystem: "guard", Name: "hint_seconds",
			Help: "How long the refused were told to wait.", Buckets: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}}),
	}
	m.gauges = []prometheus.Collector{
		gauge("suspended_addresses", "Addresses that look like a proxy that was not declared, now.", func() float64 { return float64(len(g.suspects.keys())) }),
		gauge("held", "Admitted handshakes that wait for the fleet's next token, now.", func() float64 { return float64(g.held.Load()) }),
		gauge("waiting", "Refused clients whose told moment is still to come, about.", func() float64 {
			g.queue.Lock()
			defer g.queue.Unlock()
			if g.queue.Queue == nil {
				return 0
			}
			return float64(g.queue.Waiting(g.now()))
		}),
		gauge("displaced_keys", "Live clients pushed out of the table since the start; if it grows, raise keys.", func() float64 {
			if d, ok := g.store.(interface{ Displaced() uint64 }); ok {
				return float64(d.Displaced())
			}
			return 0
		}),
	}
	if c, ok := g.store.(prometheus.Collector); ok {
		m.gauges = append(m.gauges, c)
	}
	return m
}

func (m *metrics) count(v Verdict) {
	m.decisions.WithLabelValues(string(v.Outcome), v.Gate.String(), v.Source, string(v.Scope)).Inc()
	if v.Suspended {
		m.suspended.Inc()
	}
	if v.Outcome == Refused || v.Outcome == WouldRefuse {
		m.hints.Observe(v.Hint.Seconds())
	}
}

// Describe implements prometheus.Collector.
func (g *Guard) Describe(ch chan<- *prometheus.Desc) {
	g.metrics.each(func(c prometheus.Collector) { c.Describe(ch) })
}

// Collect implements prometheus.Collector.
func (g *Guard) Collect(ch chan<- prometheus.Metric) {
	g.metrics.each(func(c prometheus.Collector) { c.Collect(ch) })
}

func (m *metrics) each(f func(prometheus.Collector)) {
	f(m.decisions)
	f(m.suspended)
	f(m.hints)
	for _, c := range m.gauges {
		f(c)
	}
}

// summary logs refusals once a second, not one by one: a storm must not become a storm of log lines.
type summary struct {
	mu            sync.Mutex
	next          int64
	client, fleet int
}

func (s *summary) add(g *Guard, set *settings, v Verdict, now int64) {
	s.mu.Lock()
	if v.Gate == bucket.Client {
		s.client++
	} else {
		s.fleet++
	}
	if now < s.next {
		s.mu.Unlock()
		return
	}
	client, fleet := s.client, s.fleet
	s.client, s.fleet, s.next = 0, 0, now+1e9
	s.mu.Unlock()
	text := "guard: handshakes refused"
	if set.mode == Shadow {
		text = "guard: handshakes that would have been refused (shadow)"
	}
	g.log.Warn(text, "by_client_limit", client, "by_fleet_limit", fleet, "last_key", v.Key.Text, "limit", v.Gate.String(),
		"scope", string(v.Scope), "source", v.Source, "hint_ms", millis(v.Hint))
}
