package storm

import (
	"strconv"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/fault"
)

// Expectation is one demand on a report: NAME<LIMIT or NAME<=LIMIT, with one of the names
//
//	recovery_p50, recovery_p99, recovery_last   a duration, the worst burst counts; not met while anybody is out
//	peak                                        attempts a second, or a multiple of the capacity: 1.5C
//	waste                                       failed attempts a client
//	out                                         clients that are not back at the burst's end
type Expectation struct {
	text     string
	name     string
	limit    float64 // s, attempts a second, or a count
	multiple bool    // of the capacity
	equal    bool    // <=
}

const expectForm = "NAME<LIMIT such as recovery_p99<30s, peak<1.5C, waste<0.1 or out<1"

// ParseExpectation reads one demand.
func ParseExpectation(text string) (Expectation, error) {
	bad := fault.Value("storm", "expect", strconv.Quote(text), expectForm)
	name, limit, ok := strings.Cut(strings.ReplaceAll(text, " ", ""), "<")
	if !ok {
		return Expectation{}, bad
	}
	e := Expectation{text: text, name: name}
	limit, e.equal = strings.CutPrefix(limit, "=")
	var err error
	switch name {
	case "recovery_p50", "recovery_p99", "recovery_last":
		var d time.Duration
		d, err = time.ParseDuration(limit)
		e.limit = d.Seconds()
	case "peak":
		limit, e.multiple = strings.CutSuffix(limit, "C")
		e.limit, err = strconv.ParseFloat(limit, 64)
	case "waste", "out":
		e.limit, err = strconv.ParseFloat(limit, 64)
	default:
		return Expectation{}, bad
	}
	if err != nil || !(e.limit >= 0) {
		return Expectation{}, bad
	}
	return e, nil
}

// Check says what falls short of the expectation, or nothing. capacity is the server's, 0 if it is not known.
func (e Expectation) Check(r *Report, capacity float64) string {
	if len(r.Bursts) == 0 {
		return e.text + ": no burst ran"
	}
	limit := e.limit
	if e.multiple {
		if capacity <= 0 {
			return e.text + ": the capacity is not known (--capacity)"
		}
		limit *= capacity
	}
	for i := range r.Bursts {
		b := &r.Bursts[i]
		out := b.Dropped - b.Back
		value, shown := 0.0, ""
		switch e.name {
		case "recovery_p50", "recovery_p99", "recovery_last":
			d := map[string]time.Duration{"recovery_p50": b.P50, "recovery_p99": b.P99, "recovery_last": b.Last}[e.name]
			value, shown = d.Seconds(), d.Round(time.Millisecond).String()
			if out > 0 {
				return e.text + ": burst " + strconv.Itoa(i+1) + " left " + strconv.Itoa(out) + " of " + strconv.Itoa(b.Dropped) + " clients out"
			}
		case "peak":
			value, shown = b.Peak, strconv.FormatFloat(b.Peak, 'f', 0, 64)+" a second"
		case "waste":
			value, shown = b.Waste, strconv.FormatFloat(b.Waste, 'f', 3, 64)+" a client"
		case "out":
			value, shown = float64(out), strconv.Itoa(out)
		}
		if value > limit || (value == limit && !e.equal) {
			return e.text + ": burst " + strconv.Itoa(i+1) + " had " + shown
		}
	}
	return ""
}
