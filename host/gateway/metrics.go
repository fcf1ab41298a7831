package gateway

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics serves what the gateway counts in Prometheus's form, under stormlint_gateway_*.
func (s *Server) Metrics() http.Handler {
	registry := prometheus.NewRegistry()
	counter := func(name, help string, value func(Stats) int64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "stormlint", Subsystem: "gateway", Name: name, Help: help},
			func() float64 { return float64(value(s.Stats())) }))
	}
	gauge := func(name, help string, value func(Stats) int) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "stormlint", Subsystem: "gateway", Name: name, Help: help},
			func() float64 { return float64(value(s.Stats())) }))
	}
	counter("attempts_total", "Sockets accepted.", func(s Stats) int64 { return s.Attempts })
	counter("sessions_total", "Handshakes answered with 101.", func(s Stats) int64 { return s.Opened })
	counter("rejected_total", "Handshakes told to come back later.", func(s Stats) int64 { return s.Rejected })
	counter("silenced_total", "Sockets closed without an answer.", func(s Stats) int64 { return s.Silenced })
	counter("broken_total", "Sockets without a whole handshake.", func(s Stats) int64 { return s.Broken })
	counter("closed_total", "Sessions ended.", func(s Stats) int64 { return s.Closed })
	gauge("open", "Sessions now.", func(s Stats) int { return s.Open })
	gauge("waiting", "Handshakes waiting now.", func(s Stats) int { return s.Waiting })
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
