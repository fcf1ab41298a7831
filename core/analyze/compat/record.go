package compat

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/lax"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// The fields, in the order in which a refusal names them.
const (
	timestamp = iota
	clientIP
	eventType
	interval
	fields
)

var names = [fields]string{"timestamp", "client_ip", "event_type", "retry_interval_ms"}

var expected = [fields]string{
	"an ISO 8601 date and time, or a number of seconds or milliseconds since 1970",
	"a string",
	"one of connect, disconnect, retry",
	"a whole number of milliseconds, or null",
}

// sound is what the record just read says; take counts it.
type sound struct {
	key      []byte
	interval int64
	has      uint64
}

// record reads the object that f has opened at offset at of text, by the general lane, and reports whether it is sound; if
// not, it has been refused.
func (a *Accumulator) record(f *jsonscan.Fields, text []byte, at int) bool {
	var value [fields][]byte
	for f.Next() {
		key := text[f.KeyAt:f.KeyEnd]
		if !f.Plain {
			key = f.Key()
		}
		switch string(key) {
		case "timestamp":
			value[timestamp] = text[f.At:f.End]
		case "client_ip":
			value[clientIP] = text[f.At:f.End]
		case "event_type":
			value[eventType] = text[f.At:f.End]
		case "retry_interval_ms":
			value[interval] = text[f.At:f.End]
		}
	}
	if f.Bad >= 0 {
		a.refuse(syntax(text, f.Bad, "not valid JSON"))
		return false
	}
	if !whole(text[at:f.Past]) {
		a.refuse(&fault.Error{Code: fault.BadSyntax, Package: "compat", Message: "text that is not Unicode", Expected: "valid UTF-8, and no halves of surrogate pairs"})
		return false
	}
	var bad [fields]bool
	bad[timestamp] = !isTime(value[timestamp])
	client := value[clientIP]
	bad[clientIP] = jsonscan.KindOf(client) != jsonscan.String
	if !bad[clientIP] {
		if jsonscan.Plain(client) {
			a.sound.key = client[1 : len(client)-1]
		} else {
			a.scratch = jsonscan.AppendText(a.scratch[:0], client)
			a.sound.key = a.scratch
		}
	}
	bad[eventType] = !isEvent(value[eventType])
	a.sound.interval, a.sound.has = 0, 0
	switch jsonscan.KindOf(value[interval]) {
	case jsonscan.None, jsonscan.Null:
	default:
		v, ok := lax.Int(value[interval])
		a.sound.interval, a.sound.has, bad[interval] = v, 1, !ok
	}
	if bad == [fields]bool{} {
		return true
	}
	a.refuse(badFields(&bad, &value))
	a.here.hollow = a.here.framing == connlog.Lines && (f.Past-at == 2 || jsonscan.Space(text, at+1) == f.Past-1)
	return false
}

// take counts the record just read, which began at an offset of the text in hand.
func (a *Accumulator) take(at int) {
	a.took = at
	a.here.records++
	a.table.count(a.table.find(a.sound.key), a.sound.interval, a.sound.has)
	if a.table.n >= spillFrom && a.crowded() {
		a.spill()
	}
}

// whole is jsonscan.Whole with a quick way for plain text.
func whole(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 || c == '\\' {
			return jsonscan.Whole(text)
		}
	}
	return true
}

func isTime(raw []byte) bool {
	_, ok := lax.Time(raw)
	return ok
}

func isEvent(raw []byte) bool {
	switch string(raw) {
	case `"retry"`, `"connect"`, `"disconnect"`:
		return true
	}
	switch word, _ := jsonscan.Text(raw); word {
	case "retry", "connect", "disconnect":
		return true
	}
	return false
}

// badFields is the refusal of one element: the first bad field in its places, the others in the text.
func badFields(bad *[fields]bool, value *[fields][]byte) *fault.Error {
	var e *fault.Error
	for i := range fields {
		if !bad[i] {
			continue
		}
		shown := "missing"
		if value[i] != nil {
			shown = sample(value[i])
		}
		if e == nil {
			e = fault.Value("compat", names[i], shown, expected[i])
		} else {
			e.Expected += "; " + names[i] + " is " + shown + ", expected " + expected[i]
		}
	}
	return e
}
