package proxy

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/guard"
)

// Options are a proxy's settings.
type Options struct {
	To     string       // the backend: "127.0.0.1:8080", or a URL with http or https
	Guard  *guard.Guard // decides over handshakes, and whose X-Forwarded-For is handed on, not replaced; must be set
	Logger *slog.Logger // nil is slog.Default()
}

// Proxy is an http.Handler. It is safe for concurrent use.
type Proxy struct {
	handler http.Handler
	log     *slog.Logger
	started time.Time
	window  *window

	mu       sync.Mutex
	tunnels  map[*tunnel]struct{}
	draining atomic.Int64 // the drain's end in ns since started; 0 while there is none
}

// New makes a proxy, or says what is wrong with To.
func New(o Options) (*Proxy, error) {
	to, err := target(o.To)
	if err != nil {
		return nil, err
	}
	p := &Proxy{log: o.Logger, started: time.Now(), window: newWindow(), tunnels: map[*tunnel]struct{}{}}
	if p.log == nil {
		p.log = slog.Default()
	}
	reverse := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
			if peer, ok := address.ParsePeer([]byte(r.In.RemoteAddr), address.PortMaybe); ok && o.Guard.Trusts(peer.Addr) {
				r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			}
			r.SetXForwarded()
		},
		Transport: throttle{window: p.window, next: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			ResponseHeaderTimeout: time.Minute,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       time.Minute,
			ReadBufferSize:        2048, // a tunnel keeps them for its life
			WriteBufferSize:       2048,
		}},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if t, ok := w.(*writer); ok && t.taken {
				return // the client went away between the upgrade and its first byte
			}
			status := http.StatusBadGateway
			switch {
			case errors.Is(err, context.Canceled):
			case errors.Is(err, errFull):
				status = http.StatusServiceUnavailable
			default:
				p.log.Warn("guard: backend does not answer", "error", err)
			}
			w.Header().Set("Retry-After", strconv.Itoa(1+rand.IntN(5)))
			w.WriteHeader(status)
		},
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	p.handler = o.Guard.Wrap(reverse)
	return p, nil
}

// target reads the backend's address.
func target(text string) (*url.URL, error) {
	full := text
	if !strings.Contains(text, "://") {
		full = "http://" + text
	}
	u, err := url.Parse(full)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fault.Value("guard", "to", strconv.Quote(text), "the backend as host:port or http(s)://host[:port][/path]")
	}
	return u, nil
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if end := p.draining.Load(); end != 0 {
		left := max(time.Duration(end)-time.Since(p.started), time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(1+int(rand.N(left)/time.Second)))
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	p.handler.ServeHTTP(&writer{ResponseWriter: w, p: p}, r)
}

// Ready reports whether new clients are welcome: what a balancer's health check asks.
func (p *Proxy) Ready() bool { return p.draining.Load() == 0 }

// Behind counts the handshakes that were admitted and turned away after all, because the backend had answered too few of
// those before.
func (p *Proxy) Behind() uint64 { return p.window.full.Load() }

// Tunnels is how many clients are connected now.
func (p *Proxy) Tunnels() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.tunnels)
}

// writer hands out its connection wrapped in a tunnel.
type writer struct {
	http.ResponseWriter
	p     *Proxy
	taken bool // the connection is a tunnel now
}

func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
