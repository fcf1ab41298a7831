package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/decoder"

	"github.com/stormlint/stormlint/core/analyze"
	"github.com/stormlint/stormlint/core/analyze/compat"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/timeline"
)

// result is what every candidate must come to.
type result struct {
	records, clients uint64
	jittery, digest  uint64
}

type candidate struct {
	name  string
	ours  bool
	lines bool                                                 // it reads lines, not arrays
	shape string                                               // the only one it reads; "" for any
	run   func(data []byte) (digest func() *result, err error) // the digest is not timed
}

func (c candidate) takes(shape string) bool {
	return (!c.lines || shape != "array") && (c.shape == "" || c.shape == shape)
}

const chunk = 1 << 20

var candidates = []candidate{
	{name: "floor: sum of 8-byte words", run: floor},
	{name: "stormlint compat", ours: true, run: ours},
	{name: "stormlint reader: events alone", run: events},
	{name: "stormlint analyze: reading and timelines", run: normal},
	{name: "sonic decoder over the text, reused struct", lines: true, run: sonicStream},
	{name: "sonic Unmarshal per line", lines: true, run: perLine(func(line []byte, e *event) error { return sonic.Unmarshal(line, e) })},
	{name: "Go regexp per line", shape: "lines", run: byPattern},
	{name: "encoding/json Unmarshal per line", lines: true, run: perLine(func(line []byte, e *event) error { return json.Unmarshal(line, e) })},
}

var sink uint64

func floor(data []byte) (func() *result, error) {
	var sum uint64
	for ; len(data) >= 8; data = data[8:] {
		sum += uint64(data[0]) | uint64(data[1])<<8 | uint64(data[2])<<16 | uint64(data[3])<<24 | uint64(data[4])<<32 | uint64(data[5])<<40 | uint64(data[6])<<48 | uint64(data[7])<<56
	}
	sink = sum
	return nil, nil
}

func ours(data []byte) (func() *result, error) {
	a, err := compat.New(compat.Options{Threshold: 5, Seed: 42}, timeline.Part{}, connlog.Lines)
	if err != nil {
		return nil, err
	}
	if err := feed(data, a.Feed); err != nil {
		return nil, err
	}
	r, err := a.Finish()
	if err != nil {
		return nil, err
	}
	return func() *result {
		out := &result{clients: uint64(r.Clients)}
		for i := range r.Clients {
			c := r.Client(i, nil)
			out.records += c.Total
			out.client(c.IP, c.Total, c.Mean, c.HasJitter)
		}
		return out
	}, nil
}

// feed hands data to f in chunks.
func feed(data []byte, f func([]byte) error) error {
	for ; len(data) > chunk; data = data[chunk:] {
		if err := f(data[:chunk]); err != nil {
			return err
		}
	}
	return f(data)
}

func events(data []byte) (func() *result, error) {
	plan, err := connlog.Sniff(connlog.Catalogue{}, data[:min(chunk, len(data))], connlog.Options{})
	if err != nil {
		return nil, err
	}
	r, err := connlog.NewReader(plan, connlog.Catalogue{}, 0)
	if err != nil {
		return nil, err
	}
	var b connlog.Batch
	return nil, feed(data, func(chunk []byte) error {
		r.Feed(chunk, false)
		for r.Next(&b) {
			sink += uint64(len(b.Events))
		}
		return nil
	})
}

func normal(data []byte) (func() *result, error) {
	plan, err := connlog.Sniff(connlog.Catalogue{}, data[:min(chunk, len(data))], connlog.Options{})
	if err != nil {
		return nil, err
	}
	a, err := analyze.New(analyze.Options{}, plan, connlog.Catalogue{}, analyze.Part{})
	if err != nil {
		return nil, err
	}
	return nil, feed(data, a.Feed)
}

// client adds one client to the digest; the order does not matter.
func (r *result) client(key []byte, total uint64, mean float64, jitter bool) {
	if jitter {
		r.jittery++
	}
	r.digest += connlog.Hash(1, fmt.Appendf(nil, "%s %d %.2f %v", key, total, mean, jitter))
}

// event is what the peers decode into.
type event struct {
	Timestamp string `json:"timestamp"`
	ClientIP  string `json:"client_ip"`
	EventType string `json:"event_type"`
	Interval  *int64 `json:"retry_interval_ms"`
}

// sums is what the peers keep for a client.
type sums struct {
	total, n uint64
	sum, sq  int64
}

type table map[string]*sums

var errBad = errors.New("a record is bad")

func (t table) add(e *event) error {
	if len(e.Timestamp) < 20 || e.Timestamp[4] != '-' || e.Timestamp[10] != 'T' || e.Timestamp[13] != ':' {
		return errBad
	}
	for i, c := range []byte(e.Timestamp[:19]) {
		if i != 4 && i != 7 && i != 10 && i != 13 && i != 16 && c-'0' > 9 {
			return errBad
		}
	}
	switch e.EventType {
	case "retry", "connect", "disconnect":
	default:
		return errBad
	}
	s := t[e.ClientIP]
	if s == nil {
		s = &sums{}
		t[string(append([]byte(nil), e.ClientIP...))] = s
	}
	s.total++
	if e.Interval != nil {
		s.n++
		s.sum += *e.Interval
		s.sq += *e.Interval * *e.Interval
	}
	return nil
}

func (t table) result() *result {
	r := &result{clients: uint64(len(t))}
	for key, s := range t {
		r.records += s.total
		mean := 0.0
		if s.n > 0 {
			mean = float64(s.sum) / float64(s.n)
		}
		jitter := s.n == 0 || s.n > 1 && !(s.sum > 0 && 400*(float64(s.n)*float64(s.sq)-float64(s.sum)*float64(s.sum)) < float64(s.sum)*float64(s.sum))
		r.client([]byte(key), s.total, mean, jitter)
	}
	return r
}

func perLine(decode func([]byte, *event) error) func([]byte) (func() *result, error) {
	return func(data []byte) (func() *result, error) {
		t := table{}
		var e event
		var interval int64
		for len(data) > 0 {
			n := bytes.IndexByte(data, '\n')
			if n < 0 {
				n = len(data) - 1
			}
			// The pointer is given, so that no candidate allocates it; whether a value came is seen by its sentinel.
			interval = -1 << 62
			e = event{Interval: &interval}
			if err := decode(data[:n], &e); err != nil {
				return nil, err
			}
			if interval == -1<<62 {
				e.Interval = nil
			}
			if err := t.add(&e); err != nil {
				return nil, err
			}
			data = data[n+1:]
		}
		return t.result, nil
	}
}

func sonicStream(data []byte) (func() *result, error) {
	t := table{}
	var interval int64
	for len(data) > 0 {
		block := data[:min(chunk, len(data))]
		if n := bytes.LastIndexByte(block, '\n'); n >= 0 {
			block = block[:n+1]
		}
		data = data[len(block):]
		d := decoder.NewDecoder(string(block))
		for d.Pos() < len(block)-1 {
			interval = -1 << 62
			e := event{Interval: &interval}
			if err := d.Decode(&e); err != nil {
				return nil, err
			}
			if interval == -1<<62 {
				e.Interval = nil
			}
			if err := t.add(&e); err != nil {
				return nil, err
			}
		}
	}
	return t.result, nil
}
