package door

import (
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Answer is what a refused client is told.
type Answer struct {
	Status  uint32
	Headers []Header
	Body    []byte
	text    []byte
}

// Header is a header of an answer.
type Header struct {
	Name  string
	Value []byte
}

// Answer tells a refused client: 429 by its own limit, 503 by the fleet's; Retry-After in whole seconds and in ms, the
// fields of draft-ietf-httpapi-ratelimit-headers, and a body that says the same. It is valid until the next call.
func (d *Door) Answer(v *Verdict) *Answer {
	a, limit, scope := &d.answer, d.settings.ClientLimit, "worker"
	a.Status = 429
	if v.Gate == bucket.Fleet {
		a.Status, limit = 503, d.settings.FleetLimit
	}
	if d.process {
		scope = "process"
	}
	a.Headers, a.text = a.Headers[:0], a.text[:0]
	a.add("retry-after", strconv.AppendInt(a.text, seconds(v.Hint), 10))
	a.add("retry-after-ms", strconv.AppendInt(a.text, millis(v.Hint), 10))
	span := int64(max(1, float64(limit.Burst)/limit.Rate+0.5))
	b := strconv.AppendInt(append(quoted(a.text, v.Gate), ";q="...), limit.Burst, 10)
	b = strconv.AppendInt(append(b, ";w="...), span, 10)
	a.add("ratelimit-policy", append(append(b, ";scope="...), scope...))
	b = strconv.AppendInt(append(quoted(a.text, v.Gate), ";r="...), v.Remaining, 10)
	a.add("ratelimit", strconv.AppendInt(append(b, ";t="...), seconds(v.RetryAfter), 10))
	a.add("cache-control", append(a.text, "no-store"...))
	a.add("content-type", append(a.text, "application/json"...))
	b = jsonwrite.Object(a.Body[:0])
	b = jsonwrite.String(jsonwrite.Key(b, "error"), "try again later")
	b = jsonwrite.String(jsonwrite.Key(b, "limit"), v.Gate.String())
	b = jsonwrite.String(jsonwrite.Key(b, "scope"), scope)
	b = jsonwrite.Int(jsonwrite.Key(b, "retry_after_ms"), millis(v.Hint))
	a.Body = append(jsonwrite.End(b, '}'), '\n')
	return a
}

func quoted(b []byte, g bucket.Gate) []byte {
	return append(append(append(b, '"'), g.String()...), '"')
}

// add takes what was appended to the text as a header's value.
func (a *Answer) add(name string, text []byte) {
	a.Headers = append(a.Headers, Header{name, text[len(a.text):len(text):len(text)]})
	a.text = text
}

// seconds rounds up, to at least 1; "never" is a day.
func seconds(d time.Duration) int64 {
	d = min(d, 24*time.Hour)
	return max(1, int64((d+time.Second-1)/time.Second))
}

func millis(d time.Duration) int64 {
	return int64((min(d, 24*time.Hour) + time.Millisecond - 1) / time.Millisecond)
}
