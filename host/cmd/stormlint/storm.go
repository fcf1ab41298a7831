package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/render"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

type stormVerb struct {
	URI           string        `placeholder:"URI" help:"The server, ws:// or wss://; without one a gateway is started here." group:"Storm"`
	Clients       int           `placeholder:"N" default:"100" help:"Clients (${default}), to 100,000 or what the descriptors allow; 1,000 with -o article." group:"Storm"`
	BurstInterval time.Duration `placeholder:"D" default:"1s" help:"From everybody's return to the next drop (${default})." group:"Storm"`
	Iterations    int           `placeholder:"K" default:"3" help:"Drops (${default})." group:"Storm"`
	Policy        string        `placeholder:"SPEC" default:"immediate:10ms" help:"How clients come back (${default}, the anti-pattern): full:1s:30s, window:25s, lib:NAME …" group:"Storm"`
	Timeout       time.Duration `placeholder:"T" default:"5s" help:"How long a client waits for its handshake (${default})." group:"Storm"`
	Patience      time.Duration `placeholder:"D" default:"60s" help:"How long one drop may take to recover before the next (${default})." group:"Storm"`
	Seed          uint64        `default:"1" help:"Of every draw (${default})." group:"Storm"`

	MaxRate        float64       `placeholder:"R" default:"20000" help:"Attempts a second that are let through (${default})." group:"Bounds"`
	MaxDuration    time.Duration `placeholder:"D" default:"10m" help:"Of the whole run (${default})." group:"Bounds"`
	IOwnThisTarget string        `name:"i-own-this-target" placeholder:"HOST" help:"Storm a server outside this machine; repeat its name to say that it is yours." group:"Bounds"`

	serving

	Expect []string `placeholder:"EXPR" help:"Exit 1 unless it holds: recovery_p99<30s, peak<1.5C, waste<0.1, out<1." group:"Report" sep:"none"`
	Log    string   `placeholder:"FILE" help:"Write what the clients see as events that analyze reads." group:"Report"`
	Output string   `short:"o" enum:"text,json,article" default:"text" help:"Form of the report: text, json, or article (the original harness, run and report)." group:"Report"`
}

// Help is printed below the flags.
func (stormVerb) Help() string {
	return `Such as:

  stormlint storm --clients 2000 --capacity 500
  stormlint storm --clients 2000 --capacity 500 --policy full:1s:30s
  stormlint storm --clients 2000 --capacity 500 --policy window:5s --expect 'recovery_p99<10s' --expect 'peak<1.5C'
  stormlint storm --uri ws://127.0.0.1:9080/ --clients 50 --burst-interval 1s --iterations 3 -o article
  stormlint storm --policy full:1s:30s --log events.ndjson && stormlint analyze events.ndjson`
}

func (v *stormVerb) Run(e *env) error {
	if v.Output == "article" {
		return v.article(e)
	}
	policy, err := backoff.Parse(v.Policy)
	if err != nil {
		return err
	}
	var demands []storm.Expectation
	for _, text := range v.Expect {
		d, err := storm.ParseExpectation(text)
		if err != nil {
			return err
		}
		demands = append(demands, d)
	}
	o := storm.Options{URI: v.URI, Clients: v.Clients, Policy: policy, Interval: v.BurstInterval, Bursts: v.Iterations, Timeout: v.Timeout,
		Patience: v.Patience, Duration: v.MaxDuration, Rate: v.MaxRate, Seed: v.Seed, OwnTarget: v.IOwnThisTarget}
	g, end, err := v.target(&o.URI)
	if err != nil {
		return err
	}
	if g != nil {
		o.Drop = g.Drop
		if v.Capacity > 0 {
			o.Ramp = v.Capacity * 0.8 // the first connects are no storm
		}
	}
	if v.Log != "" {
		f, err := os.Create(v.Log)
		if err != nil {
			return errors.Join(err, end())
		}
		w := bufio.NewWriter(f)
		o.Log = w
		whole := end
		end = func() error { return errors.Join(w.Flush(), f.Close(), whole()) }
	}
	if terminal(e.stderr) {
		o.Progress = func(s storm.Snapshot) { fmt.Fprintf(e.stderr, "\r\x1b[K%s", s.Line()) }
	}
	report, err := storm.Run(e.ctx, o)
	if o.Progress != nil {
		fmt.Fprint(e.stderr, "\r\x1b[K")
	}
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	if v.Output == "json" {
		e.stdout.Write(append(report.AppendJSON(nil), '\n'))
	} else {
		e.stdout.Write(report.Text(render.Options{Width: e.width, Color: e.color}))
	}
	short := false
	for _, d := range demands {
		if what := d.Check(report, v.Capacity); what != "" {
			e.notice("not met: %s", what)
			short = true
		}
	}
	if short {
		return failed
	}
	return nil
}

// target starts a gateway where no URI is given; what it returns ends it.
func (v *stormVerb) target(uri *string) (*gateway.Server, func() error, error) {
	if *uri != "" {
		if v.AccessLog != "" || len(v.Outage) > 0 || len(v.DropAt) > 0 {
			return nil, nil, &fault.Error{Code: fault.BadUsage, Package: "storm", Message: "--access-log, --outage and --drop-at belong to the gateway that storm starts, and --uri names another server"}
		}
		return nil, func() error { return nil }, nil
	}
	o, end, err := v.options()
	if err != nil {
		return nil, nil, err
	}
	g, err := gateway.Listen("127.0.0.1:0", o)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	*uri = g.URI()
	return g, func() error {
		limit, cancel := context.WithTimeout(context.Background(), v.Drain+5*time.Second)
		defer cancel()
		return errors.Join(g.Close(limit), end())
	}, nil
}

// article is the original harness.
func (v *stormVerb) article(e *env) error {
	uri := v.URI
	_, end, err := v.target(&uri)
	if err != nil {
		return err
	}
	r, err := storm.Article(e.ctx, storm.ArticleOptions{URI: uri, Clients: v.Clients, Interval: v.BurstInterval, Iterations: v.Iterations, OwnTarget: v.IOwnThisTarget})
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	e.stdout.Write(append(r.AppendJSON(nil), '\n'))
	return nil
}
