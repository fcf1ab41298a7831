package main

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

// serverFlags describe the server, the network and the occasion, for simulate and recommend. Defaults are the core's.
type serverFlags struct {
	Clients    int            `short:"n" placeholder:"N" help:"How many clients fall together."`
	Capacity   *float64       `short:"c" placeholder:"C" help:"Handshakes a second that the server can do."`
	Backlog    *int           `short:"b" placeholder:"B" help:"Handshakes that may wait in the server's queue; 511 (nginx, Node)."`
	Timeout    *time.Duration `placeholder:"D" help:"How long a client waits for its handshake; 10s."`
	RejectCost *float64       `placeholder:"R" help:"What refusing a client costs the server, in handshakes; 0.1."`
	FdLimit    *int           `placeholder:"F" help:"Sockets that the server can hold."`
	RTT        *time.Duration `name:"rtt" placeholder:"D" help:"Median round trip; 50ms."`
	Others     []string       `placeholder:"SHARE:SPEC" help:"Clients that cannot be changed, such as 20%:fixed:1s; may be repeated." sep:"none"`
	Outage     *time.Duration `placeholder:"D" help:"The server is away for so long after the drop."`
	Hangs      bool           `help:"While it is away, attempts meet silence instead of a refusal."`
	DropSyn    bool           `help:"A full backlog drops connections silently; the kernel tries again after 1, 3 and 7 s."`
	Seed       uint64         `placeholder:"S" help:"Another seed is another run of the same scenario; 0."`
	Horizon    *time.Duration `placeholder:"D" help:"Stop the simulation there at the latest; the outage + max(15m, 10 N/C)."`
	From       string         `placeholder:"REPORT" help:"A report of analyze -o json: clients, policies and the capacity seen are taken from it."`
	Width      int            `hidden:""`
}

// request turns the flags that were given into the core's JSON.
func (f *serverFlags) request(e *env) (map[string]any, error) {
	r := map[string]any{}
	if f.Clients != 0 || f.From == "" {
		r["clients"] = f.Clients
	}
	set(r, "capacity", f.Capacity)
	set(r, "backlog", f.Backlog)
	set(r, "reject_cost", f.RejectCost)
	set(r, "fd_limit", f.FdLimit)
	span(r, "timeout_ms", f.Timeout)
	span(r, "rtt_ms", f.RTT)
	span(r, "outage_ms", f.Outage)
	span(r, "horizon_ms", f.Horizon)
	if len(f.Others) > 0 {
		r["others"] = f.Others
	}
	if f.Hangs {
		r["outage_hangs"] = true
	}
	if f.DropSyn {
		r["drop_syn"] = true
	}
	if f.Seed != 0 {
		r["seed"] = f.Seed
	}
	if f.Width != 0 {
		r["width"] = f.Width
	}
	if e.color {
		r["color"] = true
	}
	if f.From != "" {
		data, err := readAll(e, f.From)
		if err != nil {
			return nil, err
		}
		if !json.Valid(data) {
			return nil, usage("--from", f.From, "a report of stormlint analyze -o json")
		}
		r["report"] = json.RawMessage(data)
	}
	return r, nil
}

func set[T any](r map[string]any, key string, value *T) {
	if value != nil {
		r[key] = *value
	}
}

func span(r map[string]any, key string, value *time.Duration) {
	if value != nil {
		r[key] = float64(*value) / 1e6
	}
}

// specs reads policies: each flag is one SPEC or one JSON object.
func specs(list []string) []any {
	var all []any
	for _, s := range list {
		if strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid([]byte(s)) {
			all = append(all, json.RawMessage(s))
			continue
		}
		all = append(all, s)
	}
	return all
}

type simulateVerb struct {
	serverFlags
	Policy       []string       `short:"p" placeholder:"SPEC" sep:"none" help:"The clients' policy; repeat it to compare several. articles stands for the four of the articles: immediate:10ms, fixed:1s, exp:1s:30s, full:1s:30s."`
	Drain        *time.Duration `placeholder:"D" help:"The server closes its clients over this time instead of at once."`
	Batches      *int           `placeholder:"K" help:"…in so many steps."`
	Drop         []string       `placeholder:"T[:SHARE]" help:"A later drop of that share of the connected clients, such as 30s:50%; may be repeated."`
	Restart      string         `placeholder:"NODES:EVERY:DOWN[:DRAIN]" help:"A rolling restart instead, such as 10:1m:20s:10s."`
	Door         string         `placeholder:"RATE[:BURST]" help:"A token bucket before the server."`
	RetryAfter   *time.Duration `placeholder:"D" help:"What the door tells those it turns away…"`
	RetryJitter  *time.Duration `placeholder:"D" help:"…and how much at most it adds, drawn for each."`
	SkipDeparted bool           `help:"The server does no work for clients that have left."`
	Intake       *float64       `placeholder:"A" help:"Attempts a second that the machine takes in at all, refused or not; no limit."`
	Growth       float64        `placeholder:"G" help:"Extra work of a handshake when the house is full, in handshakes."`
	MaxEvents    *int64         `placeholder:"K" help:"Stop after so many attempts; 300000000."`
	Output       string         `short:"o" enum:"text,json,html" default:"text" help:"Form of the answer: text, json or html (with the arrivals as SVG)."`
}

// Help is printed below the flags.
func (simulateVerb) Help() string {
	return `Such as:

  stormlint simulate -n 50000 -c 2000 -p full:1s:30s -p window:50s
  stormlint simulate -n 10000 -c 1000 -p articles
  stormlint simulate -n 50000 -c 2000 -p lib:socket.io-client --outage 30s
  stormlint simulate --from report.json`
}

var articles = []string{"immediate:10ms", "fixed:1s", "exp:1s:30s", "full:1s:30s"}

func (v *simulateVerb) Run(e *env) error {
	r, err := v.request(e)
	if err != nil {
		return err
	}
	r["output"] = v.Output
	var list []string
	for _, p := range v.Policy {
		if p == "articles" {
			list = append(list, articles...)
			continue
		}
		list = append(list, p)
	}
	if len(list) > 0 {
		r["policy"] = specs(list)
	}
	span(r, "drain_ms", v.Drain)
	set(r, "batches", v.Batches)
	if len(v.Drop) > 0 {
		drops := []map[string]any{{"at_ms": 0}}
		for _, text := range v.Drop {
			at, share, shared := strings.Cut(text, ":")
			d, err := time.ParseDuration(at)
			drop := map[string]any{"at_ms": float64(d) / 1e6}
			if shared && err == nil {
				digits, percent := strings.CutSuffix(share, "%")
				var f float64
				if f, err = strconv.ParseFloat(digits, 64); percent {
					f /= 100
				}
				drop["share"] = f
			}
			if err != nil {
				return usage("--drop", text, "T[:SHARE], such as 30s:50%")
			}
			drops = append(drops, drop)
		}
		r["drops"] = drops
	}
	if v.Restart != "" {
		restart, err := restartOf(v.Restart)
		if err != nil {
			return err
		}
		r["restart"] = restart
	}
	if v.Door != "" {
		door := map[string]any{}
		rate, burst, bursts := strings.Cut(v.Door, ":")
		f, err := strconv.ParseFloat(rate, 64)
		door["rate"] = f
		if bursts && err == nil {
			var n int
			n, err = strconv.Atoi(burst)
			door["burst"] = n
		}
		if err != nil {
			return usage("--door", v.Door, "RATE[:BURST], such as 1800:200")
		}
		span(door, "retry_after_ms", v.RetryAfter)
		span(door, "jitter_ms", v.RetryJitter)
		r["door"] = door
	} else if v.RetryAfter != nil || v.RetryJitter != nil {
		return usage("--retry-after", "given", "a --door that tells it")
	}
	if v.SkipDeparted {
		r["skip_departed"] = true
	}
	set(r, "intake", v.Intake)
	if v.Growth != 0 {
		r["growth"] = v.Growth
	}
	set(r, "max_events", v.MaxEvents)
	return answer(e, "simulate", r, v.Output)
}

// restartOf reads NODES:EVERY:DOWN[:DRAIN].
func restartOf(text string) (map[string]any, error) {
	parts := strings.Split(text, ":")
	bad := usage("--restart", text, "NODES:EVERY:DOWN[:DRAIN], such as 10:1m:20s:10s")
	if len(parts) < 3 || len(parts) > 4 {
		return nil, bad
	}
	nodes, err := strconv.Atoi(parts[0])
	if err != nil {
		return nil, bad
	}
	r := map[string]any{"nodes": nodes}
	for i, key := range []string{"every_ms", "down_ms", "drain_ms"}[:len(parts)-1] {
		d, err := time.ParseDuration(parts[i+1])
		if err != nil {
			return nil, bad
		}
		r[key] = float64(d) / 1e6
	}
	return r, nil
}

type recommendVerb struct {
	serverFlags
	Tight        bool           `help:"N, C and the backlog are known: no room for error, W = 1.25 N/C instead of 2 N/C."`
	MaxWait      *time.Duration `placeholder:"D" help:"The longest that a user may wait; without --capacity, the capacity that it takes is worked out."`
	ClientsFixed string         `placeholder:"SPEC" help:"The clients have this policy and keep it: advise the server alone."`
	Nodes        *int           `placeholder:"K" help:"Nodes of the deployment, for its rolling restart; 10."`
	Output       string         `short:"o" enum:"text,json" default:"text" help:"Form of the answer: text or json."`
}

// Help is printed below the flags.
func (recommendVerb) Help() string {
	return `Such as:

  stormlint recommend -n 50000 -c 2000
  stormlint recommend -n 50000 -c 2000 --tight
  stormlint recommend -n 50000 --max-wait 30s
  stormlint recommend -n 50000 -c 2000 --clients-fixed lib:socket.io-client`
}

func (v *recommendVerb) Run(e *env) error {
	r, err := v.request(e)
	if err != nil {
		return err
	}
	r["output"] = v.Output
	if v.Tight {
		r["tight"] = true
	}
	span(r, "max_wait_ms", v.MaxWait)
	if v.ClientsFixed != "" {
		r["clients_fixed"] = specs([]string{v.ClientsFixed})[0]
	}
	set(r, "nodes", v.Nodes)
	return answer(e, "recommend", r, v.Output)
}

// answer runs a stream of the core to its end, with a bar if that takes long and standard error is a screen.
func answer(e *env, kind string, request map[string]any, output string) error {
	line, err := encode(request)
	if err != nil {
		return err
	}
	s, err := e.engine.Open(e.ctx, kind, line)
	if err != nil {
		return err
	}
	defer s.Close()
	if f, ok := e.stderr.(*os.File); ok && terminal(f) {
		shown := progressbar.NewOptions(100, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription("simulating"),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
		for again := true; again; {
			if again, err = s.Step(e.ctx, e.stdout); err != nil {
				return err
			}
			var p struct {
				Progress float64 `json:"progress"`
			}
			if state, err := s.State(e.ctx); err == nil && json.Unmarshal(state, &p) == nil {
				shown.Set(int(100 * p.Progress))
			}
		}
		shown.Finish()
	}
	b, err := s.Finish(e.ctx)
	if err != nil {
		return err
	}
	e.stdout.Write(b)
	if output == "json" {
		e.stdout.WriteByte('\n')
	}
	return nil
}
