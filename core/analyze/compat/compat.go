// Package compat gives the original prototype's report, exactly: which clients asked too often, and which of them wait
// without jitter.
//
// For each client, keyed by the raw text of client_ip and listed in order of first appearance, over the n intervals that
// its records state (Σ x = S):
//
//	jitter        n = 0: yes   n = 1: no   else no if S > 0 and 400(nΣx² − S²) < S², which is σ/μ < 5 % in whole numbers
//	total ≥ T     rate limited, CRITICAL without jitter, HIGH with
//	else          without jitter and total ≥ T/2: rate limited, MEDIUM;  everything else LOW
//	mean          S/n to two decimals, half to even on the binary value; 0 without intervals
//
// The input is one JSON array of objects, or NDJSON with two records or more, read as a stream: memory grows with the
// clients, not with the file. One bad element refuses the whole input, as the prototype did; the error names the first bad
// element's record, line, and every bad field. What is accepted, value by value, is package lax's matter.
//
// An Accumulator takes one part of an input; states of any split merge in any order to the same bytes. Sums are exact
// integers, order comes from (source, part, place), and what a part alone cannot judge (a comma on each side of a cut, a
// missing end, one lone object) is judged at Finish.
//
// Several accumulators, each in its own thread, share a Crowd once their clients are many (32,768): one entry a client in one
// of 64 tables. At 1,000,000 clients two threads are then 1.3 to 1.65 times as fast as one (1.03 with a table for each and a
// merge in the end), and cost 1.04 to 1.23 times its processor time (1.65).
//
// Where the time goes, by samples at 10,000 clients: the loop of fast 58 %, flush 25 %, comparing long keys 8 %, searches
// beyond the first slot 7 % (before flush looked at two slots at once, which spares most of them), hashing long keys 2 %.
// What made the difference, in order: literals learned instead of scanned; look-ups in batches, so that misses of the
// cache overlap; what is needed once a record kept in memory, so that the loop's registers hold what every step needs.
// What made none: comparing two words of a literal instead of three, and fewer branches around a value.
package compat

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// DefaultThreshold is the library's default; the command line uses 5, as the prototype's did.
const DefaultThreshold = 60

// Options of a compat analysis. The zero value is the documented default.
type Options struct {
	Threshold   int64  // requests from which a client counts as rate limited; 0 is DefaultThreshold, negative is refused
	EvaluatedAt int64  // ns since 1970 UTC, copied into the report
	Seed        uint64 // of the hash over clients, best a secret; no result depends on it
	LineLimit   int    // bytes; the longest record, 0 is connlog.DefaultLineLimit
}

// Accumulator collects one part of an input, and the states of others.
type Accumulator struct {
	options Options
	table   *table
	here    piece   // the part that Feed reads
	others  []piece // merged ones
	carry   []byte  // a record that began in an earlier chunk
	scratch []byte
	sound   sound
	took    int // where the record began that step has just taken, -1 if it took none
	shapes  *jsonscan.Shapes
	general bool      // for tests: the general lane alone
	quick   int64     // records that took the fast lane
	minute  [2]uint64 // the first 16 bytes of a timestamp that was found good
	queue   [batch]pending
	crowd   *Crowd         // nil for none
	routes  *[Tables]route // nil until the accumulator's own table has spilled
	workers int            // that may share Finish
	each    func(n int, do func(k int))
	end     int  // where the last record ended that the fast lane took
	start   bool // nothing but white space so far, in part 0
	closed  bool
}

// New begins a part: part 0 finds out the framing by itself, others are told.
func New(o Options, p timeline.Part, framing connlog.Framing) (*Accumulator, error) {
	switch {
	case o.Threshold < 0:
		return nil, fault.Value("compat", "threshold", "negative", "a number of requests, 0 for the default")
	case o.LineLimit < 0:
		return nil, fault.Value("compat", "line_limit", "negative", "a number of bytes, 0 for the default")
	case p.Source >= 1<<16 || p.Index >= 1<<16:
		return nil, beyond()
	}
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.LineLimit == 0 {
		o.LineLimit = connlog.DefaultLineLimit
	}
	a := &Accumulator{options: o, table: newTable(o.Seed), start: p.Index == 0, shapes: newShapes()}
	a.here = piece{part: p, framing: framing}
	a.table.part = a.here.order() << 32
	return a, nil
}

// Begin ends the part and begins another, as if that had been read by an accumulator of its own and merged; but it costs
// nothing. Part 0 of a source finds out the framing by itself, others are told.
func (a *Accumulator) Begin(p timeline.Part, framing connlog.Framing) error {
	if p.Source >= 1<<16 || p.Index >= 1<<16 {
		return beyond()
	}
	a.close()
	a.others = append(a.others, a.here)
	a.here = piece{part: p, framing: framing}
	a.table.part, a.table.next = a.here.order()<<32, 0
	a.start, a.closed = p.Index == 0, false
	return nil
}

func beyond() error {
	return fault.Value("compat", "part", "beyond 65535", "at most 65,536 sources of at most 65,536 parts")
}

// Refused reports whether the part read so far holds a bad element: nothing that follows in it can change the outcome.
func (a *Accumulator) Refused() bool { return a.here.bad != nil && !a.here.hollow }

// Progress tells how many sound records the own part has had so far, and whether it could end here: what was fed ends
// between two records of the array or the lines, or nothing that follows matters.
func (a *Accumulator) Progress() (records int64, between bool) {
	return a.here.records, a.Refused() || len(a.carry) == 0 && !a.start && (a.here.framing == connlog.Lines || a.here.last != closing)
}

// Finish ends the part, puts the merged ones beside it and gives the report, or the earliest fault of the whole input.
func (a *Accumulator) Finish() (*report.Compat, error) {
	a.close()
	if err := resolve(append([]piece{a.here}, a.others...)); err != nil {
		return nil, err
	}
	all := a.tables()
	numbers := all.ordered(a.workers, a.each)
	return &report.Compat{
		EvaluatedAt: a.options.EvaluatedAt, Threshold: a.options.Threshold, Clients: len(numbers),
		Client: func(i int, room []byte) report.CompatClient {
			t, place := all.at(numbers[i])
			s := t.sums(place)
			c := report.CompatClient{IP: t.key(room, place), Total: s.total, Mean: s.mean(), HasJitter: s.jitter(), Risk: "LOW"}
			total, threshold := s.total, uint64(a.options.Threshold)
			switch {
			case total >= threshold && c.HasJitter:
				c.RateLimited, c.Risk = true, "HIGH"
			case total >= threshold:
				c.RateLimited, c.Risk = true, "CRITICAL"
			case !c.HasJitter && 2*total >= threshold:
				c.RateLimited, c.Risk = true, "MEDIUM"
			}
			return c
		},
	}, nil
}
