package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/backoff"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/core/finding"
	"github.com/stormlint/stormlint/core/render"
	"github.com/stormlint/stormlint/host/storm"
)

type stormVerb struct {
	URI           string         `placeholder:"URI" help:"The server, ws:// or wss://; without one a gateway is started here." group:"Storm"`
	Clients       int            `placeholder:"N" default:"100" help:"Clients (${default}), to 100,000 or what the descriptors allow; 1,000 with -o article." group:"Storm"`
	BurstInterval *time.Duration `placeholder:"D" help:"From everybody's return to the next drop; 1s, with --exec 6s." group:"Storm"`
	Iterations    int            `placeholder:"K" default:"3" help:"Drops (${default})." group:"Storm"`
	Policy        string         `placeholder:"SPEC" default:"immediate:10ms" help:"How clients come back (${default}, the anti-pattern): full:1s:30s, window:25s, lib:NAME …" group:"Storm"`
	Timeout       time.Duration  `placeholder:"T" default:"5s" help:"How long a client waits for its handshake (${default})." group:"Storm"`
	Patience      *time.Duration `placeholder:"D" help:"How long one drop may take to recover before the next; 60s, with --exec 30s." group:"Storm"`
	Seed          uint64         `default:"1" help:"Of every draw (${default})." group:"Storm"`

	Exec   string        `placeholder:"CMD" help:"Your own client as the herd: --clients processes of it, with {uri} for where to connect (STORMLINT_URI too); judged as lint does." group:"Program"`
	Down   time.Duration `placeholder:"D" default:"10s" help:"How long the gateway turns everybody away after each drop (${default})." group:"Program"`
	FailOn string        `enum:"info,low,medium,high,critical,off" default:"high" placeholder:"LEVEL" help:"Exit 1 from this severity of a finding on (info, low, medium, high, critical, off; ${default})." group:"Program"`

	MaxRate        *float64      `placeholder:"R" help:"Attempts a second that are let through; 20000." group:"Bounds"`
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
  stormlint storm --policy full:1s:30s --log events.ndjson && stormlint analyze events.ndjson
  stormlint storm --exec 'node client.js {uri}' --clients 20

A storm that is stopped before its last drop is over, by an interrupt, SIGTERM or --max-duration, prints what ran and exits 2,
and so does one in which no client ever had a connection: neither expectations nor programs have been judged.`
}

func (v *stormVerb) Run(e *env) error {
	if err := v.check(); err != nil {
		return err
	}
	switch {
	case v.Output == "article":
		return v.article(e)
	case v.Exec != "":
		return v.programs(e)
	}
	policy, err := backoff.Parse(v.Policy)
	if err != nil {
		return err
	}
	demands, err := v.demands()
	if err != nil {
		return err
	}
	o := storm.Options{URI: v.URI, Clients: v.Clients, Policy: policy, Interval: given(v.BurstInterval), Bursts: v.Iterations, Timeout: v.Timeout,
		Patience: given(v.Patience), Duration: v.MaxDuration, Rate: given(v.MaxRate), Seed: v.Seed, OwnTarget: v.IOwnThisTarget}
	end, err := v.target(e, &o)
	if err != nil {
		return err
	}
	if v.Log != "" {
		f, err := create(v.Log)
		if err != nil {
			return errors.Join(err, end())
		}
		o.Log = f
		whole := end
		end = func() error { return errors.Join(f.Close(), whole()) }
	}
	if terminal(e.stderr) {
		o.Progress = v.progress(e)
	}
	report, err := storm.Run(e.ctx, o)
	if o.Progress != nil {
		fmt.Fprint(e.stderr, "\r\x1b[K")
	}
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	return v.print(e, report, demands)
}

// check refuses zeros that a default would take the place of, and flags that do not go together.
func (v *stormVerb) check() error {
	for _, d := range []struct {
		flag  string
		value *time.Duration
	}{{"--burst-interval", v.BurstInterval}, {"--patience", v.Patience}, {"--timeout", &v.Timeout}, {"--max-duration", &v.MaxDuration}, {"--down", &v.Down}} {
		if d.value != nil && *d.value <= 0 {
			return usage(d.flag, d.value.String(), "a positive duration")
		}
	}
	switch {
	case v.Iterations < 1:
		return usage("--iterations", strconv.Itoa(v.Iterations), "1 to 1,000")
	case v.MaxRate != nil && !(*v.MaxRate > 0):
		return usage("--max-rate", strconv.FormatFloat(*v.MaxRate, 'g', -1, 64), "above 0, to 1,000,000 a second")
	case v.Exec == "":
		return nil
	case v.URI != "" || v.Output == "article" || v.Log != "":
		return usage("--exec", v.Exec, "neither --uri, --log (--access-log is the gateway's) nor -o article beside it: the gateway has to see what the programs do")
	case v.Policy != "immediate:10ms":
		return usage("--policy", v.Policy, "no policy beside --exec: the programs have their own")
	case len(v.Outage) > 0 || len(v.DropAt) > 0:
		return usage("--exec", v.Exec, "neither --outage nor --drop-at beside it: --down and --iterations make the scenario")
	}
	return nil
}

// given is the value of a flag, or zero for its default.
func given[T any](value *T) (v T) {
	if value != nil {
		v = *value
	}
	return v
}

func (v *stormVerb) demands() (list []storm.Expectation, err error) {
	for _, text := range v.Expect {
		d, err := storm.ParseExpectation(text)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

func (v *stormVerb) progress(e *env) func(storm.Snapshot) {
	return func(s storm.Snapshot) { fmt.Fprintf(e.stderr, "\r\x1b[K%s", s.Line()) }
}

// print prints the report and says what falls short of the expectations.
func (v *stormVerb) print(e *env, report *storm.Report, demands []storm.Expectation) error {
	if v.Output == "json" {
		e.stdout.Write(append(report.AppendJSON(nil), '\n'))
	} else {
		e.stdout.Write(report.Text(render.Options{Width: e.width, Color: e.color}))
	}
	for i := range report.Bursts {
		if n := report.Bursts[i].Errors[storm.OutOfDescriptors]; n > 0 {
			e.notice("burst %d: %d attempts found no descriptor free: a process may open %d files here; ulimit -n raises that", i+1, n, descriptors())
		}
	}
	if err := unjudged(report, v.Iterations); err != nil {
		return err
	}
	short := false
	for _, d := range demands {
		if what := d.Check(report, v.Capacity); what != "" {
			e.notice("not met: %s", what)
			short = true
		}
	}
	if report.Lint != nil && v.FailOn != "off" {
		limit, _ := finding.ParseSeverity(v.FailOn)
		worst, found := report.Lint.Worst()
		short = short || found && worst >= limit
	}
	if short {
		return failed
	}
	return nil
}

// unjudged is the error of a storm that was not run to its end. Its report is printed, but no verdict is taken from a part: the exit
// code is not that of an answer.
func unjudged(r *storm.Report, drops int) error {
	switch {
	case r.Stopped == "interrupted" || r.Stopped == "duration":
		return &fault.Error{Code: fault.Unreadable, Package: "storm",
			Message: "stopped (" + r.Stopped + ") when " + strconv.Itoa(len(r.Bursts)) + " of " + figure.Several(int64(drops), "drop") + " had begun: nothing is judged"}
	case r.Program != "" && r.Lint == nil:
		return &fault.Error{Code: fault.Unreadable, Package: "storm", Message: "no program was there to be dropped: nothing is judged"}
	case len(r.Bursts) > 0 && slices.IndexFunc(r.Bursts, func(b storm.Burst) bool { return b.Dropped > 0 }) < 0:
		text := "no client ever had a connection: nothing was dropped, and nothing is judged"
		if kinds := r.Bursts[0].Kinds(); len(kinds) > 0 {
			text += "; what came instead, mostly: " + string(kinds[0])
		}
		return &fault.Error{Code: fault.Unreadable, Package: "storm", Message: text}
	}
	return nil
}

// programs storms with somebody's own client.
func (v *stormVerb) programs(e *env) error {
	demands, err := v.demands()
	if err != nil {
		return err
	}
	keeper, err := self("keep")
	if err != nil {
		return err
	}
	o := storm.Programs{Command: v.Exec, Clients: v.Clients, Away: v.Down, Interval: given(v.BurstInterval), Bursts: v.Iterations,
		Patience: given(v.Patience), Duration: v.MaxDuration, Keeper: keeper}
	if terminal(e.stderr) {
		o.Progress = v.progress(e)
	}
	var end func() error
	if o.Gateway, end, err = v.options(); err != nil {
		return err
	}
	report, err := storm.RunPrograms(e.ctx, o)
	if o.Progress != nil {
		fmt.Fprint(e.stderr, "\r\x1b[K")
	}
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	return v.print(e, report, demands)
}

// article is the original harness.
func (v *stormVerb) article(e *env) error {
	o := storm.Options{URI: v.URI, Clients: min(v.Clients, 1000)}
	end, err := v.target(e, &o)
	if err != nil {
		return err
	}
	interval := time.Second
	if v.BurstInterval != nil {
		interval = *v.BurstInterval
	}
	r, err := storm.Article(e.ctx, storm.ArticleOptions{URI: o.URI, Clients: v.Clients, Interval: interval, Iterations: v.Iterations, OwnTarget: v.IOwnThisTarget})
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	e.stdout.Write(append(r.AppendJSON(nil), '\n'))
	if e.ctx.Err() != nil {
		return &fault.Error{Code: fault.Unreadable, Package: "storm", Message: "stopped (interrupted): the counts are of a shorter run than was asked for"}
	}
	return nil
}
