package compat

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/timeline"
)

// producer writes records in one way: key order, spacing, extra keys, kind of timestamp.
type producer struct {
	order             []int
	colon, comma, gap string
	extra             string
	stamp             int
	null              bool
}

func newProducer(rng *rand.Rand) producer {
	p := producer{order: rng.Perm(4), colon: []string{":", ": ", " : "}[rng.IntN(3)], comma: []string{",", ", ", ",\t"}[rng.IntN(3)], gap: []string{"", " ", "", ""}[rng.IntN(4)], stamp: rng.IntN(5), null: rng.IntN(2) == 0}
	if rng.IntN(3) == 0 {
		p.extra = []string{`"ua":"curl/8.0 (x)"`, `"a":{"b":[1,2.5e3,"c",{}],"d":true}`, `"status":%d`, `"msg":"caf\u00e9 é"`, `"l":[[],{"x":null}]`, `"long key that needs more than twenty-four bytes":-0.5`}[rng.IntN(6)]
	}
	return p
}

func (p producer) write(rng *rand.Rand) string {
	sec := rng.IntN(86400)
	clock := fmt.Sprintf("%02d:%02d:%02d", sec/3600, sec/60%60, sec%60)
	if rng.IntN(3) > 0 {
		clock = fmt.Sprintf("10:00:%02d", sec%60)
	}
	stamp := [...]string{`"2026-10-25T` + clock + `Z"`, `"2026-10-25T` + clock + `.123Z"`, `"2026-10-25 ` + clock + `+09:00"`, strconv.Itoa(1792922400 + sec), `"2026-10-25T` + clock[:5] + `Z"`}[p.stamp]
	client := [...]string{"192.0.2." + strconv.Itoa(rng.IntN(256)), "1.2.3.4", "2001:db8::" + strconv.FormatInt(rng.Int64N(1<<40), 16), "123.123.123.123", "sixteen bytes ok", "fifteen bytes o", "12345678", "1234567", "", "a" + strings.Repeat("b", rng.IntN(60))}[rng.IntN(10)]
	event := [...]string{"retry", "retry", "connect", "disconnect"}[rng.IntN(4)]
	fields := []string{`"timestamp"` + p.colon + stamp, `"client_ip"` + p.colon + `"` + client + `"`, `"event_type"` + p.colon + `"` + event + `"`}
	if event == "retry" {
		n := rng.Int64N(1 << rng.IntN(40))
		fields = append(fields, `"retry_interval_ms"`+p.colon+strconv.FormatInt(n, 10))
	} else if p.null {
		fields = append(fields, `"retry_interval_ms"`+p.colon+"null")
	}
	var out []string
	for _, i := range p.order {
		if i < len(fields) {
			out = append(out, fields[i])
		}
	}
	if p.extra != "" {
		extra := p.extra
		if strings.Contains(extra, "%d") {
			extra = fmt.Sprintf(extra, rng.IntN(600))
		}
		out = append(out, extra)
	}
	return "{" + p.gap + strings.Join(out, p.comma) + p.gap + "}"
}

// stream is an input of many records by one to four producers; now and then bytes of it are broken.
func stream(rng *rand.Rand, records int) string {
	list := make([]producer, 1+rng.IntN(4))
	if rng.IntN(6) == 0 {
		list = make([]producer, 200) // more than fits the trie
	}
	for i := range list {
		list[i] = newProducer(rng)
	}
	var b strings.Builder
	sep, array := []string{"\n", "\n", ",", ",\n", ", ", "\r\n", ",\n\n  "}[rng.IntN(7)], false
	if array = strings.HasPrefix(sep, ","); array {
		b.WriteByte('[')
	}
	for i := range records {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(list[rng.IntN(len(list))].write(rng))
	}
	if array {
		b.WriteByte(']')
	}
	text := []byte(b.String())
	if rng.IntN(2) == 0 && len(text) > 0 {
		for range 1 + rng.IntN(2) {
			at := rng.IntN(len(text))
			switch rng.IntN(4) {
			case 0:
				text[at] = byte(rng.IntN(256))
			case 1:
				text = append(text[:at], text[at+1:]...)
			case 2:
				text[at] = `{}[]",:\0n e1`[rng.IntN(13)]
			case 3:
				text = append(text[:at+1], text[at:]...)
			}
			if len(text) == 0 {
				break
			}
		}
	}
	return string(text)
}

// lanes runs a text with and without the fast lane and compares everything.
func lanes(t *testing.T, text string, sizes []int) (fast int64) {
	t.Helper()
	results := [2]string{}
	for i := range results {
		a, err := New(Options{Threshold: 5, Seed: 9}, timeline.Part{}, connlog.Lines)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			a.shapes = newShapes()
			a.general = true
		}
		feed(a, text, sizes)
		r, err := a.Finish()
		results[i] = fmt.Sprint(err, a.here.records, a.here.lines, a.here.first, a.here.last)
		if err == nil {
			results[i] += string(r.AppendJSON(nil))
		}
		if i == 0 {
			fast = a.quick
		}
	}
	if results[0] != results[1] {
		t.Fatalf("chunks of %v\n%s\nfast    %s\ngeneral %s", sizes, text, results[0], results[1])
	}
	return fast
}

func TestLanesAgree(t *testing.T) {
	const seed = 23
	rng := rand.New(rand.NewPCG(seed, 0))
	var fast, all int64
	rounds := 700
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		n := 2 + rng.IntN(60)
		if rng.IntN(50) == 0 {
			n = 3000
		}
		text := stream(rng, n)
		sizes := []int{len(text) + 1}
		if rng.IntN(2) == 0 {
			sizes = []int{50 + rng.IntN(1000), 100 + rng.IntN(3000)}
		}
		fast += lanes(t, text, sizes)
		all += int64(n)
		_ = round
	}
	if fast*4 < all {
		t.Errorf("only %d of %d records took the fast lane", fast, all)
	}
}

func FuzzLanes(f *testing.F) {
	for i := range 40 {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		f.Add([]byte(stream(rng, 4)), uint16(300))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint16) { lanes(t, string(text), []int{1 + int(size)}) })
}
