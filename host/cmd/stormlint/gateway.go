package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/gateway"
)

type gatewayVerb struct {
	Listen string `placeholder:"ADDR" default:"127.0.0.1:9080" help:"Serve here (${default})."`
	serving
	Metrics string `placeholder:"ADDR" help:"Serve Prometheus metrics at /metrics here."`
}

// serving are the limits of a gateway; storm has the same flags for the one that it starts.
type serving struct {
	Capacity     float64         `placeholder:"C" help:"Handshakes a second; 0 is no limit." group:"Server"`
	Backlog      int             `placeholder:"B" help:"Handshakes that may wait for their turn; 0 is half a second of work." group:"Server"`
	RejectCost   float64         `placeholder:"r" help:"What a rejection takes of the server, in handshakes (0 to 1)." group:"Server"`
	ConnectDelay time.Duration   `placeholder:"D" help:"What every handshake takes besides." group:"Server"`
	FDLimit      int             `name:"fd-limit" placeholder:"F" help:"Sockets at once, waiting or open; 0 is no limit." group:"Server"`
	Outage       []string        `placeholder:"T+D" help:"Serve nobody from T on, for D: 5s+30s refuses, 5s+30s,hang accepts and stays silent." group:"Server" sep:"none"`
	DropAt       []time.Duration `placeholder:"T" help:"End every session at once, T after the start." group:"Server"`
	Drain        time.Duration   `placeholder:"W" help:"When told to stop, end the sessions evenly over this time." group:"Server"`
	Reject       string          `default:"503" help:"How an overloaded gateway says no: 503, 429, or 1013 (accept, then close)." group:"Server"`
	RetryAfter   time.Duration   `placeholder:"D" help:"The wait that a rejection asks for." group:"Server"`
	AccessLog    string          `placeholder:"FORM:FILE" help:"Write a log as json, nginx or envoy would; analyze reads all three." group:"Server"`
}

// options turns the flags into a gateway's options; the function it returns closes the log.
func (s *serving) options() (o gateway.Options, end func() error, err error) {
	end = func() error { return nil }
	o = gateway.Options{Capacity: s.Capacity, Backlog: s.Backlog, RejectCost: s.RejectCost, ConnectDelay: s.ConnectDelay, FDLimit: s.FDLimit,
		DropAt: s.DropAt, DrainOver: s.Drain, RetryAfter: s.RetryAfter}
	if o.Reject, err = gateway.ParseRejection(s.Reject); err != nil {
		return o, end, err
	}
	for _, text := range s.Outage {
		out, err := gateway.ParseOutage(text)
		if err != nil {
			return o, end, err
		}
		o.Outages = append(o.Outages, out)
	}
	if s.AccessLog == "" {
		return o, end, nil
	}
	form, file, ok := strings.Cut(s.AccessLog, ":")
	if !ok || file == "" {
		return o, end, fault.Value("gateway", "access-log", s.AccessLog, "json:FILE, nginx:FILE or envoy:FILE")
	}
	if o.LogFormat, err = gateway.ParseLogFormat(form); err != nil {
		return o, end, err
	}
	f, err := create(file)
	if err != nil {
		return o, end, err
	}
	o.AccessLog = f
	return o, f.Close, nil
}

// create makes a log anew, to be appended to: several processes may write it.
func create(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o644)
}

// Help is printed below the flags.
func (gatewayVerb) Help() string {
	return `Such as:

  stormlint gateway --capacity 500 --backlog 250 --reject-cost 0.1
  stormlint gateway --capacity 500 --outage 10s+30s --access-log nginx:access.log
  stormlint gateway --drop-at 20s --reject 1013 --retry-after 5s --metrics 127.0.0.1:9081

It echoes "ACK: " and what it is sent, until it is interrupted.`
}

func (v *gatewayVerb) Run(e *env) error {
	o, end, err := v.options()
	if err != nil {
		return err
	}
	// Both addresses are taken before anything is said or served.
	var l net.Listener
	if v.Metrics != "" {
		if l, err = net.Listen("tcp", v.Metrics); err != nil {
			return errors.Join(fault.Value("gateway", "metrics", v.Metrics, "a free local address: "+err.Error()), end())
		}
		defer l.Close()
	}
	g, err := gateway.Listen(v.Listen, o)
	if err != nil {
		return errors.Join(err, end())
	}
	fmt.Fprintf(e.stdout, "gateway at %s\n", g.URI())
	if l != nil {
		mux := http.NewServeMux()
		mux.Handle("/metrics", g.Metrics())
		side := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
		go side.Serve(l)
		defer side.Close()
		fmt.Fprintf(e.stdout, "metrics at http://%s/metrics\n", l.Addr())
	}
	e.stdout.Flush()
	<-e.ctx.Done()
	// The interrupt that ended the serving must not end the drain too.
	limit, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), v.Drain+5*time.Second)
	defer cancel()
	err = errors.Join(g.Close(limit), end())
	s := g.Stats()
	fmt.Fprintf(e.stdout, "%d attempts, %d sessions, %d rejected, %d closed without an answer, %d broken off; at most %d waited\n",
		s.Attempts, s.Opened, s.Rejected, s.Silenced, s.Broken, s.Deepest)
	return err
}
