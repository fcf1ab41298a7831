package door

import (
	"math/bits"
	"time"

	"github.com/stormlint/stormlint/core/address"
	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/wasm/filter/setting"
)

// Reason says why a handshake was let in without a decision.
type Reason uint8

// The reasons; Known is that there was a decision.
const (
	Known      Reason = iota
	Store             // the host's shared data failed
	Contention        // other workers were always faster
)

// String is the word in metrics: "", "store", "contention".
func (r Reason) String() string { return [...]string{"", "store", "contention"}[min(r, Contention)] }

// Outcome is what became of a handshake at the door.
type Outcome uint8

// The outcomes.
const (
	Admitted    Outcome = iota
	Refused             // it is to be answered by Answer
	WouldRefuse         // shadow: let in all the same
	Exempt              // on the allow list
)

// String is the word in metrics: "admitted", "refused", "would_refuse", "exempt".
func (o Outcome) String() string {
	return [...]string{"admitted", "refused", "would_refuse", "exempt"}[min(o, Exempt)]
}

// Verdict is the decision over one handshake.
type Verdict struct {
	Caller
	bucket.Decision
	Outcome   Outcome
	Gate      bucket.Gate
	Hint      time.Duration // what a refused client is told to wait; 0 for the others
	Open      Reason        // not Known: let in because the state could not be had
	Suspended bool          // the client's limit was not asked: its address looks like a proxy that nobody declared
	News      bool          // that has just begun
	Nameless  bool          // there was neither an address nor a header: the fleet's limit alone was asked
	Retries   int           // compare-and-sets that somebody else won
	Foreign   int           // shared values that were not ours, replaced
}

// Door decides for one worker. It is not safe for concurrent use: a worker is one thread.
type Door struct {
	settings *setting.Settings
	random   func() uint64
	seed     uint64
	suspects address.Suspects
	queue    *bucket.Queue

	process bool // the limits are in shared data
	shared  Shared
	clients *shards
	fleet   *shards
	head    []byte // key of the queue's end
	drained bool   // nothing was left of the fleet's bucket when it was last seen

	local bucket.Door // the worker's own

	list, text []byte // of the request at hand
	answer     Answer
}

// waiting is how many refused clients a worker remembers, so that asking again does not lengthen the queue: 384 KiB.
const waiting = 8192

// New makes a worker's door. Where the settings ask for the process's limits and the shared data works, they are shared;
// else the worker has limits of its own (see Process). random gives 64 random bits.
func New(s *setting.Settings, shared Shared, random func() uint64) (*Door, error) {
	d := &Door{settings: s, random: random, seed: random(), shared: shared}
	if s.Process && shared != nil {
		d.process = d.agree()
	}
	if s.Fleet != nil {
		var err error
		if d.queue, err = bucket.NewQueue(*s.Fleet, 0, s.Longest, waiting); err != nil {
			return nil, err
		}
		d.head = []byte(Prefix + "q/" + s.Share)
	}
	if d.process {
		if s.Client != nil {
			d.clients = newShards(shared, s.Client, "c", s.Share, s.Clients)
		}
		if s.Fleet != nil {
			d.fleet = newShards(shared, s.Fleet, "f", s.Share, 1)
			d.fleet.n = 1
		}
		return d, nil
	}
	if s.Client != nil {
		t, err := bucket.NewTable(*s.Client, s.Clients)
		if err != nil {
			return nil, err
		}
		d.local.Clients = t
	}
	if s.Fleet != nil {
		d.local.Fleet = &bucket.Bucket{Rule: *s.Fleet}
	}
	return d, nil
}

// agree makes the workers hash alike: the first leaves its seed, the others take it over. False: no shared data.
func (d *Door) agree() bool {
	ok, _ := Update(d.shared, []byte(Prefix+"seed"), Tries, func(value []byte) []byte {
		if len(value) == 8 {
			d.seed = little(value)
			return nil
		}
		return appendLittle(nil, d.seed)
	})
	return ok
}

// Process reports that the limits are the process's; else they are this worker's.
func (d *Door) Process() bool { return d.process }

// Judge decides over a handshake from a peer at an instant of a clock that does not step (ns).
func (d *Door) Judge(r *Request, peer string, now int64) (v Verdict) {
	s := d.settings
	v.Caller = d.caller(r, peer)
	if len(s.Allow) > 0 && !v.Client.IsZero() && s.Allow.Trust(v.Client) {
		v.Outcome, v.Allowed = Exempt, true
		return v
	}
	v.Nameless = !v.Known() && s.Key != setting.None
	if v.direct && v.Known() {
		v.Suspended, v.News = d.suspects.Observe("", v.ID, d.forwarded(v.through), now) // nobody asks for the list of names
	}
	alone := v.Nameless || v.Suspended || s.Key == setting.None
	if d.process {
		var e effects
		v.Decision, v.Gate = d.ask(v.ID, now, alone, &e)
		v.Open, v.Retries, v.Foreign = e.open, e.retries, e.foreign
	} else if alone {
		v.Decision, v.Gate = d.local.TakeFleet(now)
	} else {
		v.Decision, v.Gate = d.local.Take(v.ID, now)
	}
	if v.Allowed {
		return v
	}
	v.Outcome = WouldRefuse
	if s.Enforce {
		v.Outcome = Refused
	}
	v.Hint = d.hint(&v, now)
	return v
}

// ask is bucket.Door.Take over shards: both limits are charged or neither. The fleet's bucket is looked at first only where
// it was empty the last time. Where it turns out to be empty after the client's was charged, be it that another worker has
// emptied it, the client gets its token back.
func (d *Door) ask(id uint64, now int64, alone bool, e *effects) (bucket.Decision, bucket.Gate) {
	if d.clients == nil || alone {
		if d.fleet == nil {
			return bucket.Decision{Allowed: true}, bucket.Open
		}
		f := d.charge(now, e)
		return f, gate(f, bucket.Fleet)
	}
	if d.drained && d.fleet.take(0, now, 0, e).Remaining < 1 && e.open == Known {
		if c := d.clients.take(id, now, 0, e); c.Remaining < 1 && e.open == Known {
			c = d.clients.take(id, now, 1, e)
			return c, gate(c, bucket.Client)
		}
		f := d.charge(now, e)
		return f, gate(f, bucket.Fleet)
	}
	c := d.clients.take(id, now, 1, e)
	if !c.Allowed || d.fleet == nil || e.open != Known {
		return c, gate(c, bucket.Client)
	}
	f := d.charge(now, e)
	if !f.Allowed {
		d.clients.giveBack(id, now, e)
		return f, bucket.Fleet
	}
	return c, bucket.Open
}

// charge takes from the fleet's bucket.
func (d *Door) charge(now int64, e *effects) bucket.Decision {
	f := d.fleet.take(0, now, 1, e)
	d.drained = f.Remaining < 1 && e.open == Known
	return f
}

func gate(d bucket.Decision, g bucket.Gate) bucket.Gate {
	if d.Allowed {
		return bucket.Open
	}
	return g
}

// hint is when a refused client should come again: never a constant, and never sooner than the limit allows.
func (d *Door) hint(v *Verdict, now int64) time.Duration {
	if v.Gate == bucket.Fleet && d.queue != nil {
		if !d.process {
			return d.queue.Wait(v.ID, now, d.random())
		}
		return d.inLine(v, now)
	}
	least := min(max(v.RetryAfter, 0), d.settings.Longest)
	extra, _ := bits.Mul64(d.random(), uint64(max(least, time.Second)))
	return min(least+time.Duration(extra), d.settings.Longest)
}

// inLine hands out a moment of a queue whose end the workers share. A moment is a hint: when the end cannot be written,
// two clients may be told the same.
func (d *Door) inLine(v *Verdict, now int64) time.Duration {
	if value, _, s := d.shared.Get(d.head); s == OK && len(value) == 8 {
		d.queue.Meet(int64(little(value)), now)
	}
	id := v.ID
	if !v.Known() {
		id = d.random() // nobody knows who it is: a stranger each time
	}
	before := d.queue.End()
	wait := d.queue.Wait(id, now, d.random())
	if end := d.queue.End(); end != before {
		Update(d.shared, d.head, 4, func(value []byte) []byte {
			if len(value) == 8 && int64(little(value)) >= end && int64(little(value)) < now+int64(24*time.Hour) {
				return nil
			}
			return appendLittle(nil, uint64(end))
		})
	}
	return wait
}

// forwarded names a forwarded address; 0 without one.
func (d *Door) forwarded(entry []byte) uint64 {
	if len(entry) == 0 {
		return 0
	}
	return bucket.Hash(d.seed, entry) | 1
}

func little(b []byte) (v uint64) {
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

func appendLittle(b []byte, v uint64) []byte {
	for i := range 8 {
		b = append(b, byte(v>>(8*i)))
	}
	return b
}
