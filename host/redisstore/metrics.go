package redisstore

import "github.com/prometheus/client_golang/prometheus"

// metrics are the store's figures, beside the guard's and under the same name.
type metrics struct {
	trips, failures prometheus.Counter
	decisions       *prometheus.CounterVec
	by              map[string]prometheus.Counter
}

var _ prometheus.Collector = (*Store)(nil)

func (m *metrics) init() {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "stormlint", Subsystem: "guard", Name: name, Help: help})
	}
	m.trips = counter("redis_trips_total", "Questions put to Redis.")
	m.failures = counter("redis_failures_total", "Questions that Redis did not answer in time or well.")
	m.decisions = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "stormlint", Subsystem: "guard", Name: "store_decisions_total",
		Help: "Decisions by who took them: redis, lease, local, open, closed."}, []string{"source"})
	m.by = map[string]prometheus.Counter{}
	for _, source := range []string{"redis", "lease", "local", "open", "closed"} {
		m.by[source] = m.decisions.WithLabelValues(source)
	}
}

func (m *metrics) decided(source string) {
	if c := m.by[source]; c != nil {
		c.Inc()
	}
}

var openDesc = prometheus.NewDesc("stormlint_guard_redis_open", "1 while Redis does not answer and is not asked.", nil, nil)

// Describe implements prometheus.Collector.
func (s *Store) Describe(ch chan<- *prometheus.Desc) {
	ch <- openDesc
	s.metrics.trips.Describe(ch)
	s.metrics.failures.Describe(ch)
	s.metrics.decisions.Describe(ch)
}

// Collect implements prometheus.Collector.
func (s *Store) Collect(ch chan<- prometheus.Metric) {
	open := 0.0
	if s.breaker.open.Load() {
		open = 1
	}
	ch <- prometheus.MustNewConstMetric(openDesc, prometheus.GaugeValue, open)
	s.metrics.trips.Collect(ch)
	s.metrics.failures.Collect(ch)
	s.metrics.decisions.Collect(ch)
}
