package main

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/host/guard"
	"github.com/stormlint/stormlint/host/redisstore"
)

type guardVerb struct {
	Listen string   `placeholder:"ADDR" help:"Serve here: a reverse proxy with the guard before WebSocket handshakes." group:"What to do"`
	To     string   `placeholder:"BACKEND" help:"The server behind it, host:port or a URL." group:"What to do"`
	Replay []string `placeholder:"LOG" help:"Decide over a log instead, and say what would have been refused; - is standard input." group:"What to do"`
	Sample bool     `help:"Replay the bundled sample." group:"What to do"`

	limiting

	Metrics string        `placeholder:"ADDR" help:"Serve /metrics, /healthz and /readyz here." group:"Serving"`
	Drain   time.Duration `placeholder:"W" default:"30s" help:"When told to stop, end the connections evenly over this time (${default})." group:"Serving"`
	Limits  string        `placeholder:"FILE" help:"A JSON file of limits that override the flags, read again when it changes and on SIGHUP." group:"Serving"`

	Redis     string        `placeholder:"URL" help:"Share the limits with other guards through this Redis." group:"Sharing"`
	Instances int           `placeholder:"N" default:"1" help:"How many guards share them: while Redis is down each enforces its part." group:"Sharing"`
	Lease     time.Duration `placeholder:"D" help:"Take the fleet's tokens from Redis for this long at once; 0 asks for each." group:"Sharing"`
	RedisDown string        `enum:"local,open,closed" default:"local" help:"Who decides while Redis is down: local, open or closed." group:"Sharing"`

	reading
	Output string `short:"o" enum:"text,json" default:"text" help:"Form of the replay's answer: text or json." group:"Report"`
	Top    int    `placeholder:"N" default:"15" help:"Clients in the replay's answer (${default}); -1 is all." group:"Report"`
}

// limiting is what is limited, and for whom.
type limiting struct {
	Rate            float64       `placeholder:"R" default:"2" help:"Handshakes a second for each client (${default}); inf is no limit." group:"Limits"`
	Burst           int64         `placeholder:"B" default:"5" help:"Handshakes at once for each client (${default})." group:"Limits"`
	FleetRate       float64       `placeholder:"C" help:"Handshakes in any second for all clients together, those at once counted in; 0 is no limit." group:"Limits"`
	FleetBurst      int64         `placeholder:"B" help:"How many of them at once, 1 to C; 0 is a tenth of C." group:"Limits"`
	Key             string        `placeholder:"RULE" help:"Who a client is: ip, direct, header:NAME or none. Needed before anybody is refused." group:"Limits"`
	TrustedProxy    []string      `placeholder:"CIDR" help:"A proxy whose forwarded-for list is believed." group:"Limits"`
	ForwardedHeader string        `placeholder:"NAME" help:"The header in which it stands; X-Forwarded-For unless said." group:"Limits"`
	Allow           []string      `placeholder:"CIDR" help:"Clients that are never limited, such as health checks." group:"Limits"`
	Mode            string        `enum:"shadow,enforce,close" default:"shadow" help:"shadow counts and lets in; enforce answers 429 or 503; close accepts and closes with 1013, which browsers can see." group:"Limits"`
	Hold            time.Duration `placeholder:"D" default:"1s" help:"How long an admission may wait for the fleet's next token (${default}); 0 is not at all." group:"Limits"`
	LongestWait     time.Duration `placeholder:"D" default:"5m" help:"The longest wait that a refusal asks for (${default})." group:"Limits"`
	Keys            int           `placeholder:"N" default:"65536" help:"Clients expected to be live at once (${default}), 48 bytes each." group:"Limits"`
	Every           bool          `help:"Limit every request, not WebSocket handshakes alone." group:"Limits"`
}

// Help is printed below the flags.
func (guardVerb) Help() string {
	return `Such as:

  stormlint guard --replay access.log --rate 2 --burst 5 --fleet-rate 225
  stormlint guard --listen :8080 --to 127.0.0.1:9000 --metrics 127.0.0.1:9100
  stormlint guard --listen :8080 --to 127.0.0.1:9000 --mode enforce --key ip --trusted-proxy 10.0.0.0/8 --fleet-rate 225

Two truths. A browser cannot see 429, 503 or Retry-After; it sees a close frame (--mode close). And a limit for each
client does not stop a herd in which every client tries once; --fleet-rate does.

The proxy is one process of HTTP/1.1, meant for up to some 9,500 clients with the usual 20,000 descriptors. SIGTERM ends
its connections one by one over --drain; a second one at once. SIGHUP reads --limits again.`
}

// options gives the guard's.
func (v *guardVerb) options(e *env) (guard.Options, error) {
	o := guard.Options{
		Mode: guard.Mode(v.Mode), Key: v.Key, TrustedProxies: v.TrustedProxy, Forwarded: v.ForwardedHeader, Allow: v.Allow,
		Client: bucket.Limit{Rate: v.Rate, Burst: v.Burst}, Fleet: bucket.Limit{Rate: v.FleetRate, Burst: v.FleetBurst},
		Keys: v.Keys, Hold: v.Hold, Longest: v.LongestWait, Instances: v.Instances, Every: v.Every,
	}
	if err := v.limiting.check(); err != nil {
		return o, err
	}
	if o.Hold == 0 {
		o.Hold = -1
	}
	if v.Limits == "" {
		return o, nil
	}
	text, err := readAll(e, v.Limits)
	if err != nil {
		return o, err
	}
	o, err = guard.ReadConfig(text, o)
	return o, guard.InFile(v.Limits, err)
}

// check refuses what the guard's options would take for a default: on the command line zero is said, not left out.
func (l *limiting) check() error {
	switch {
	case l.Rate == 0:
		return usage("--rate", "0", "above 0 handshakes a second, or inf for no limit")
	case l.Burst < 1:
		return usage("--burst", strconv.FormatInt(l.Burst, 10), "1 handshake or more")
	case l.Hold < 0 || l.Hold > time.Minute:
		return usage("--hold", l.Hold.String(), "from 0s to 1m")
	case l.LongestWait < time.Second || l.LongestWait > 24*time.Hour:
		return usage("--longest-wait", l.LongestWait.String(), "from 1s to 24h")
	case l.Keys < 1 || l.Keys > 1<<30:
		return usage("--keys", strconv.Itoa(l.Keys), "from 1 to 1073741824")
	}
	return nil
}

// Run serves or replays.
func (v *guardVerb) Run(e *env) error {
	replays := "--replay"
	if v.Sample {
		replays = "--sample"
	}
	switch replay := len(v.Replay) > 0 || v.Sample; {
	case replay && v.Listen != "":
		return usage(replays, "given beside --listen", "one of both")
	case replay && v.To != "":
		return usage("--to", "given beside "+replays, "--listen: a replay has no backend")
	case replay && v.Metrics != "":
		return usage("--metrics", "given beside "+replays, "--listen: a replay serves nothing")
	case replay && v.Redis != "":
		return usage("--redis", "given beside "+replays, "--listen: a replay decides by itself")
	case v.Top < -1 || v.Top == 0:
		return usage("--top", strconv.Itoa(v.Top), "1 client or more, or -1 for all")
	case v.Redis == "" && v.Lease != 0:
		return usage("--lease", v.Lease.String(), "--redis beside it: the lease is of tokens in Redis")
	case replay:
		return v.replay(e)
	case v.Listen == "":
		return usage("--listen", "missing", "an address to serve on with --to BACKEND, or --replay LOG")
	case v.To == "":
		return usage("--to", "missing", "the backend behind --listen")
	case v.Drain < 0 || v.Drain > time.Hour:
		return usage("--drain", v.Drain.String(), "from 0s to 1h")
	}
	limits := watched{name: v.Limits}
	limits.changed() // before it is read: a change meanwhile is seen later
	o, err := v.options(e)
	if err != nil {
		return err
	}
	if o.Instances < 1 {
		return usage("--instances", strconv.Itoa(o.Instances), "1 guard or more")
	}
	o.Logger = slog.New(slog.NewTextHandler(e.stderr, nil))
	if v.Redis != "" {
		logging.Disable() // go-redis prints each failed attempt; the store says it once
		store, err := redisstore.New(redisstore.Options{URL: v.Redis, Lease: v.Lease, Down: redisstore.Down(v.RedisDown), Logger: o.Logger})
		if err != nil {
			return err
		}
		defer store.Close()
		o.Store = store
	} else if o.Instances != 1 {
		return usage("--instances", strconv.Itoa(o.Instances), "1 without --redis")
	}
	return v.serve(e, o, &limits)
}
