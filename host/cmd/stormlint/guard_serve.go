package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/stormlint/stormlint/host/guard"
	"github.com/stormlint/stormlint/host/guard/proxy"
)

// serve runs the proxy until a signal ends it.
func (v *guardVerb) serve(e *env, o guard.Options, limits *watched) error {
	g, err := guard.New(o)
	if err != nil {
		return err
	}
	p, err := proxy.New(proxy.Options{To: v.To, Guard: g, Logger: o.Logger})
	if err != nil {
		return err
	}
	door, err := net.Listen("tcp", v.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer door.Close()
	server := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug)}
	if v.Metrics != "" {
		side, err := net.Listen("tcp", v.Metrics)
		if err != nil {
			return fmt.Errorf("--metrics: %w", err)
		}
		figures := &http.Server{Handler: sideDoor(g, p), ReadHeaderTimeout: 10 * time.Second}
		go figures.Serve(side)
		defer figures.Close()
		e.notice("metrics on http://%s/metrics", side.Addr())
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	broken := make(chan error, 1)
	go func() { broken <- server.Serve(door) }()
	e.notice("guarding %s on %s, mode %s", v.To, door.Addr(), o.Mode)

	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case err := <-broken:
			return err
		case <-every.C:
			if limits.changed() {
				v.reload(e, g)
			}
		case s := <-signals:
			if s == syscall.SIGHUP {
				v.reload(e, g)
				continue
			}
			v.stop(p, server, signals)
			return nil
		}
	}
}

// reload changes the running guard's settings, or says why it does not.
func (v *guardVerb) reload(e *env, g *guard.Guard) {
	o, err := v.options(e)
	if err == nil {
		err = g.Set(o)
	}
	if err != nil {
		e.notice("limits stay as they were: %s", err)
	}
}

// stop drains; another signal ends that.
func (v *guardVerb) stop(p *proxy.Proxy, server *http.Server, signals chan os.Signal) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for {
			select {
			case s := <-signals:
				if s != syscall.SIGHUP {
					cancel()
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	p.Drain(ctx, v.Drain)
	rest, end := context.WithTimeout(ctx, 5*time.Second)
	defer end()
	if server.Shutdown(rest) != nil {
		server.Close()
	}
}

// sideDoor serves what operators ask.
func sideDoor(g *guard.Guard, p *proxy.Proxy) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(g, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "stormlint", Subsystem: "guard", Name: "tunnels", Help: "Clients connected through the proxy, now."},
			func() float64 { return float64(p.Tunnels()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "stormlint", Subsystem: "guard", Name: "behind_total", Help: "Admitted handshakes turned away by 503, because the backend had answered too few of those before."},
			func() float64 { return float64(p.Behind()) }))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !p.Ready() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	return mux
}

// watched is a file whose changes are noticed by time and size.
type watched struct {
	name string
	time time.Time
	size int64
}

func (w *watched) changed() bool {
	if w.name == "" {
		return false
	}
	info, err := os.Stat(w.name)
	if err != nil {
		return false // between an editor's two steps
	}
	if info.ModTime().Equal(w.time) && info.Size() == w.size {
		return false
	}
	w.time, w.size = info.ModTime(), info.Size()
	return true
}
