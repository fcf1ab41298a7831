package wrapper

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// CloudWatch peels the events of `aws logs filter-log-events` and of a subscription's message:
//
//	{"events":[{"timestamp":1796057166869,"message":"…"}]}     {"messageType":"DATA_MESSAGE","logEvents":[…]}
type CloudWatch struct{}

// Name is "cloudwatch".
func (CloudWatch) Name() string { return "cloudwatch" }

// Joins is false.
func (CloudWatch) Joins() bool { return false }

// Match wants one of the two lists.
func (CloudWatch) Match(text []byte) int {
	if len(text) == 0 || text[0] != '{' {
		return 0
	}
	if list(text, "events logEvents") != nil && bytes.Contains(text, []byte(`"message"`)) {
		return 95
	}
	return 0
}

// Peel gives the records of the list, each an envelope's line.
func (CloudWatch) Peel(out []connlog.Record, b *connlog.Batch, r connlog.Record) ([]connlog.Record, connlog.Reason) {
	text := b.Text(r.Span)
	span := list(text, "events logEvents")
	if span == nil {
		return out, connlog.BadLayout
	}
	one := CloudWatchLine
	one.only, one.needs = false, ""
	each(text, span[0], span[1], func(at, end int) {
		e := r
		e.Span = r.Sub(at, end-at)
		more, reason := one.Peel(out, b, e)
		if reason == connlog.Used {
			out = more
		}
	})
	return out, connlog.Used
}

// list finds the array under one of the keys at the top of an object.
func list(text []byte, keys string) []int {
	f := jsonscan.Fields{Data: text}
	if len(text) == 0 || !f.Open(jsonscan.Space(text, 0), 0) {
		return nil
	}
	var found []int
	for f.Next() {
		if text[f.At] == '[' && has(keys, text[f.KeyAt:f.KeyEnd]) {
			found = []int{f.At, f.End}
		}
	}
	if f.Bad >= 0 {
		return nil
	}
	return found
}

// each visits the elements of an array that is known to be valid.
func each(text []byte, at, end int, visit func(at, end int)) {
	i := jsonscan.Space(text, at+1)
	for i < end-1 {
		e := jsonscan.Skip(text, i, 1)
		if e < 0 {
			return
		}
		visit(i, e)
		i = jsonscan.Space(text, e)
		if i < end-1 && text[i] == ',' {
			i = jsonscan.Space(text, i+1)
		}
	}
}
