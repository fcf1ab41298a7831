package connlog

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// shape writes records in one way: key order, spacing, kind of timestamp, further keys.
type shape struct {
	order        []int
	colon, comma string
	stamp        int
	extra        string
}

func newShape(rng *rand.Rand) shape {
	return shape{order: rng.Perm(5), colon: []string{":", ": "}[rng.IntN(2)], comma: []string{",", ", "}[rng.IntN(2)], stamp: rng.IntN(5),
		extra: []string{"", "", `"user_agent":"sdk/1 (x)"`, `"path":"/room/7?token=a"`, `"meta":{"a":[1,"b"],"c":null}`, `"conn":"c-17","host":"h"`, `"status":429`, `"request_id":"0123456789abcdef"`, `"X-Request-ID":"a-` + strconv.Itoa(rng.IntN(100)) + `"`, `"id":"a","requestId":"b"`}[rng.IntN(10)]}
}

func (s shape) write(rng *rand.Rand) string {
	sec := rng.IntN(86400)
	clock := fmt.Sprintf("%02d:%02d:%02d", sec/3600, sec/60%60, sec%60)
	if rng.IntN(3) > 0 {
		clock = fmt.Sprintf("10:00:%02d", sec%60)
	}
	stamp := [...]string{`"2026-10-25T` + clock + `Z"`, `"2026-10-25T` + clock + `.1234567Z"`, `"2026-10-25 ` + clock + `+09:00"`, strconv.Itoa(1792922400 + sec), `"2026-10-25T` + clock + `"`}[s.stamp]
	client := [...]string{"192.0.2." + strconv.Itoa(rng.IntN(256)), "1.2.3.4", "2001:db8::" + strconv.FormatInt(rng.Int64N(1<<40), 16), "sixteen bytes ok", "", "a" + strings.Repeat("b", rng.IntN(60))}[rng.IntN(6)]
	event := [...]string{"retry", "retry", "connect", "disconnect", "open"}[rng.IntN(4)+rng.IntN(40)/39]
	wait := [...]string{"null", strconv.Itoa(rng.IntN(1 << rng.IntN(40))), "12.5", "1e3", "-1"}[(rng.IntN(20)+3)/4%5]
	fields := []string{`"timestamp"` + s.colon + stamp, `"client_ip"` + s.colon + `"` + client + `"`, `"event_type"` + s.colon + `"` + event + `"`, s.extra, `"retry_interval_ms"` + s.colon + wait}
	if event != "retry" {
		fields = fields[:4]
	}
	var out []string
	for _, i := range s.order {
		if i < len(fields) && fields[i] != "" {
			out = append(out, fields[i])
		}
	}
	return "{" + strings.Join(out, s.comma) + "}"
}

func streamOf(rng *rand.Rand, records int) string {
	shapes := make([]shape, 1+rng.IntN(4))
	for i := range shapes {
		shapes[i] = newShape(rng)
	}
	list := make([]string, records)
	for i := range list {
		list[i] = shapes[rng.IntN(len(shapes))].write(rng)
	}
	sep := []string{"\n", "\n", "\r\n", "\n\n", " \n  ", ",", ",\n "}[rng.IntN(7)]
	text := []byte(strings.Join(list, sep))
	if sep[0] == ',' {
		text = append(append([]byte{'['}, text...), ']')
	}
	if rng.IntN(2) == 0 {
		for range 1 + rng.IntN(3) {
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
		}
	}
	return string(text)
}

// lanes reads a text with and without the fast lane and compares events and accounts.
func lanes(t *testing.T, text string, sizes ...int) (quick int64) {
	t.Helper()
	p := planOf(t, text)
	var events [2][]string
	var counts [2]Counts
	for i := range events {
		r, err := NewReader(p, Catalogue{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			r.lane = nil
		}
		events[i] = drain(r, text, sizes...)
		counts[i] = r.Counts
		if i == 0 {
			quick = r.quick
		}
	}
	if !reflect.DeepEqual(events[0], events[1]) || !reflect.DeepEqual(counts[0], counts[1]) {
		for i := range min(len(events[0]), len(events[1])) {
			if events[0][i] != events[1][i] {
				t.Errorf("event %d\nfast    %s\ngeneral %s", i, events[0][i], events[1][i])
				break
			}
		}
		t.Fatalf("chunks of %v\n%s\nfast    %d events, %+v\ngeneral %d events, %+v", sizes, text, len(events[0]), counts[0], len(events[1]), counts[1])
	}
	return quick
}

func TestLanesAgree(t *testing.T) {
	const seed = 29
	rng := rand.New(rand.NewPCG(seed, 0))
	var quick, all int64
	rounds := 700
	if testing.Short() {
		rounds = 150
	}
	for range rounds {
		n := 2 + rng.IntN(60)
		if rng.IntN(50) == 0 {
			n = 2000
		}
		text := streamOf(rng, n)
		sizes := []int{len(text) + 1}
		if rng.IntN(2) == 0 {
			sizes = []int{50 + rng.IntN(1000), 100 + rng.IntN(3000)}
		}
		quick += lanes(t, text, sizes...)
		all += int64(n)
	}
	if quick*3 < all {
		t.Errorf("only %d of %d records took the fast lane", quick, all)
	}
}

func FuzzLanes(f *testing.F) {
	for i := range 30 {
		f.Add([]byte(streamOf(rand.New(rand.NewPCG(uint64(i), 1)), 5)), uint16(400))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint16) {
		if _, err := Sniff(Catalogue{}, text, Options{}); err == nil {
			lanes(t, string(text), 1+int(size))
		}
	})
}
