package abi

import (
	"github.com/stormlint/stormlint/core/analyze/compat"
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
	"github.com/stormlint/stormlint/core/report"
	"github.com/stormlint/stormlint/core/timeline"
)

// compatible is the stream "compat": the original prototype's report. Its request is {"options":{"threshold",
// "evaluated_at", "line_limit", "seed"}, "part":{"source","index"}, "framing":"lines" or "array"}; framing is for parts
// after the first.
type compatible struct {
	refusal
	accumulator *compat.Accumulator
	report      *report.Compat
	written     int      // pieces of the report
	made        [][]byte // the next ones, where several are made at once
	rooms       [][]byte // theirs
	workers     int
	each        func(n int, do func(k int))
}

func openCompat(_ *Session, request []byte) (task, error) {
	o, part, framing, err := parseCompat(request)
	if err != nil {
		return nil, err
	}
	a, err := compat.New(o, part, framing)
	if err != nil {
		return nil, err
	}
	return &compatible{refusal: refusal{"compat"}, accumulator: a}, nil
}

func parseCompat(request []byte) (o compat.Options, part timeline.Part, framing connlog.Framing, err error) {
	var source, index int
	err = jsonscan.Object(request, func(key, value []byte) error {
		switch string(key) {
		case "options":
			return jsonscan.Object(value, func(key, value []byte) error {
				switch string(key) {
				case "threshold":
					return jsonscan.Read("abi", "threshold", value, &o.Threshold)
				case "evaluated_at":
					return instant("evaluated_at", value, &o.EvaluatedAt)
				case "line_limit":
					return jsonscan.Read("abi", "line_limit", value, &o.LineLimit)
				case "seed":
					return jsonscan.Read("abi", "seed", value, &o.Seed)
				}
				return jsonscan.Unknown("abi", key, "threshold, evaluated_at, line_limit, seed")
			})
		case "part":
			var name string
			return fields(value, "source, index, name", map[string]any{"source": &source, "index": &index, "name": &name})
		case "framing":
			var word string
			err := jsonscan.Read("abi", "framing", value, &word)
			if word == "array" {
				framing = connlog.Array
			} else if err == nil && word != "" && word != "lines" {
				err = fault.Value("abi", "framing", jsonscan.Sample(value), "lines or array")
			}
			return err
		}
		return jsonscan.Unknown("abi", key, "options, part, framing")
	})
	if err == nil && (source < 0 || index < 0) {
		err = fault.Value("abi", "part", "negative", "numbers from 0")
	}
	return o, timeline.Part{Source: uint32(source), Index: uint32(index)}, framing, err
}

// beginPart takes only the part and the framing from the request: the options are the stream's.
func (c *compatible) beginPart(request []byte) error {
	_, part, framing, err := parseCompat(request)
	if err != nil {
		return err
	}
	return c.accumulator.Begin(part, framing)
}

func (c *compatible) feed(chunk []byte) ([]byte, error) { return nil, c.accumulator.Feed(chunk) }
func (c *compatible) state() ([]byte, error)            { return c.accumulator.State(), nil }
func (c *compatible) merge(state []byte) error          { return c.accumulator.Merge(state) }

func (c *compatible) progress() (int64, bool) { return c.accumulator.Progress() }

// step writes a piece of the report, so that a long one is never held; it is valid until the next step.
func (c *compatible) step(int) (piece []byte, again bool, err error) {
	if c.report == nil {
		if c.report, err = c.accumulator.Finish(); err != nil {
			return nil, false, err
		}
	}
	left := c.report.Pieces() - 1 - c.written
	if left <= 0 {
		return nil, false, nil
	}
	if len(c.made) == 0 {
		n := min(max(c.workers, 1), left)
		c.rooms = append(c.rooms, make([][]byte, max(0, n-len(c.rooms)))...)
		make := func(k int) { c.rooms[k] = c.report.AppendPiece(c.rooms[k][:0], c.written+k) }
		if n == 1 {
			make(0)
		} else {
			c.each(n, make)
		}
		c.made = c.rooms[:n]
	}
	piece, c.made = c.made[0], c.made[1:]
	c.written++
	return piece, true, nil
}

func (c *compatible) finish() ([]byte, error) {
	if c.report == nil {
		var err error
		if c.report, err = c.accumulator.Finish(); err != nil {
			return nil, err
		}
	}
	var b []byte
	for ; c.written < c.report.Pieces(); c.written++ {
		b = c.report.AppendPiece(b, c.written)
	}
	return b, nil
}
