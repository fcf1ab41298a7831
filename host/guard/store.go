package guard

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
)

// Scope says whose limit a limit is.
type Scope string

// The scopes.
const (
	Process Scope = "process" // each process admits as much on its own
	Cluster Scope = "cluster" // all processes of the store together
)

// Limits are the rules that a Store keeps; nil means no such limit.
type Limits struct {
	Client, Fleet *bucket.Rule
	Hold          time.Duration // how long an admission may wait for the fleet's next token
	Keys          int           // clients expected to be live at once
	Instances     int           // processes that share the limits; 0 is 1
}

// Ruling is what a Store answers.
type Ruling struct {
	bucket.Decision
	Gate   bucket.Gate   // who refused
	Wait   time.Duration // about how long the fleet's token of this admission takes to come
	Scope  Scope         // of the gate that refused, or of the client's limit
	Source string        // what decided: "memory"; a shared store has more words
}

// Store keeps the buckets. Take must answer soon whatever happens to the machine behind it.
type Store interface {
	// Set gives the store its limits, at the start and whenever they change.
	Set(Limits) error
	// Take asks for one admission; now is a monotonic instant in ns, and the context is the request's.
	Take(ctx context.Context, key Key, now int64) Ruling
}

var _ Store = (*Memory)(nil)

// Memory is the Store in this process: a bucket.Door behind a mutex. The zero Memory is ready for Set.
type Memory struct {
	mu      sync.Mutex
	door    bucket.Door
	clients *bucket.Table
	fleet   bucket.Bucket
	free    int64 // ns of debt of the fleet's bucket that need no waiting
	hold    bool
}

// Set implements Store: all of the limits or, with an error, none. Buckets keep their debts, and the table its first size.
func (m *Memory) Set(l Limits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var rule bucket.Rule
	if l.Fleet != nil {
		var err error
		if rule, err = patient(*l.Fleet, l.Hold); err != nil {
			return err
		}
	}
	if l.Client != nil && m.clients == nil {
		t, err := bucket.NewTable(*l.Client, l.Keys)
		if err != nil {
			return err
		}
		m.clients = t
	}
	m.door = bucket.Door{}
	if l.Client != nil {
		m.clients.SetRule(*l.Client)
		m.door.Clients = m.clients
	}
	if l.Fleet != nil {
		m.fleet.Rule, m.free, m.hold = rule, int64(l.Fleet.Span()), l.Hold > 0
		m.door.Fleet = &m.fleet
	}
	return nil
}

// patient is a rule whose burst is longer by as many tokens as grow while an admission may wait.
func patient(r bucket.Rule, hold time.Duration) (bucket.Rule, error) {
	l := r.Limit()
	if t := r.Interval(); t > 0 {
		l.Burst += int64(hold / t)
	}
	return l.Compile()
}

// Take implements Store.
func (m *Memory) Take(_ context.Context, key Key, now int64) Ruling {
	r := Ruling{Scope: Process, Source: "memory"}
	m.mu.Lock()
	defer m.mu.Unlock()
	if key.FleetOnly {
		r.Decision, r.Gate = m.door.TakeFleet(now)
	} else {
		r.Decision, r.Gate = m.door.Take(key.ID, now)
	}
	if r.Allowed && m.hold && m.door.Fleet != nil {
		r.Wait = time.Duration(max(0, int64(m.fleet.Take(now, 0).ResetAfter)-m.free))
	}
	return r
}

// Look tells what the client's own bucket holds, without taking.
func (m *Memory) Look(key Key, now int64) Ruling {
	r := Ruling{Scope: Process, Source: "memory"}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.door.Clients == nil {
		r.Decision = bucket.Decision{Allowed: true, Remaining: math.MaxInt64}
	} else {
		r.Decision = m.door.Clients.Take(key.ID, now, 0)
	}
	return r
}

// Displaced counts the live keys that the table had to push out for newcomers: more than a few ask for more Keys.
func (m *Memory) Displaced() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.clients == nil {
		return 0
	}
	return m.clients.Displaced()
}
