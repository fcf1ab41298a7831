package format_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// stretch repeats a recording's lines to a quarter of a mebibyte.
func stretch(data []byte) []byte {
	var out []byte
	for len(out) < 1<<18 {
		out = append(out, data...)
		if data[len(data)-1] != '\n' {
			out = append(out, '\n')
		}
	}
	return out
}

// feed reads every line of text as a reader does: the batch is emptied every 64 KiB.
func feed(f connlog.Format, b *connlog.Batch, text []byte) (events int) {
	for len(text) > 0 {
		part := text[:min(len(text), 1<<16)]
		if n := bytes.LastIndexByte(part, '\n'); n >= 0 {
			part = part[:n+1]
		}
		text = text[len(part):]
		b.Reset(part)
		for at := 0; at < len(part); {
			end := bytes.IndexByte(part[at:], '\n')
			if end < 0 {
				end = len(part) - at
			}
			f.Read(b, connlog.Record{Span: connlog.Span{Off: uint32(at), Len: uint32(end)}, Written: connlog.None})
			at += end + 1
		}
		events += len(b.Events)
	}
	return events
}

// measure runs work over size bytes and reports, beside the mean, the best pass (a pass takes about a millisecond, which the
// machine's other work seldom interrupts) and how many times as fast it is as Go's regexp on nginx lines, which runs in turn
// with it: a figure that a busy machine changes little; x-best compares the best passes of both.
func measure(b *testing.B, size int, work func()) {
	b.SetBytes(int64(size))
	text := traffic()[:1<<13]
	best, bestReference := time.Duration(1<<62), time.Duration(1<<62)
	var own, reference time.Duration
	passes := 0
	for b.Loop() {
		start := time.Now()
		work()
		took := time.Since(start)
		best = min(best, took)
		own += took
		start = time.Now()
		byRegexp(text)
		took = time.Since(start)
		bestReference = min(bestReference, took)
		reference += took
		passes++
	}
	b.ReportMetric(float64(size)/1e6/best.Seconds(), "best-MB/s")
	b.ReportMetric(float64(size)/best.Seconds()/(float64(len(text))/bestReference.Seconds()), "x-best")
	b.ReportMetric(float64(size)/own.Seconds()/(float64(len(text))/reference.Seconds()), "x-regexp")
}

var combined = regexp.MustCompile(`^(\S+) \S+ (\S+) \[([^\]]+)\] "(\S+) ([^" ]+) ?([^"]*)" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"`)

// byRegexp reads lines of nginx's combined log as one would.
func byRegexp(text []byte) (n int) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if combined.FindSubmatchIndex(line) != nil {
			n++
		}
		text = rest
	}
	return n
}

// BenchmarkRead measures each format over its recording, through the whole reader: framing, wrappers, the format, and the
// masking of what must not be kept. Most lines give one or two events.
func BenchmarkRead(b *testing.B) {
	for _, e := range index(b) {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(e.format+"/"+e.file, func(b *testing.B) {
			c := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
			o := connlog.Options{Paths: e.paths, Day: e.day}
			if !e.wrapped {
				o.Format = e.format
			}
			if e.tz != 0 {
				o.Zone = zone(e.tz)
			}
			p, err := connlog.Sniff(c, data, o)
			if err != nil {
				b.Fatal(err)
			}
			r, err := connlog.NewReader(p, c, 0)
			if err != nil {
				b.Fatal(err)
			}
			text := stretch(data)
			var batch connlog.Batch
			measure(b, len(text), func() {
				r.Feed(text, false)
				for r.Next(&batch) {
				}
			})
		})
	}
}

// traffic makes lines of nginx's combined log of which one in ten is about a WebSocket, as a gateway's log is.
func traffic() []byte {
	var out []byte
	for i := 0; len(out) < 1<<18; i++ {
		out = append(out, "192.0.2."...)
		out = strconv.AppendInt(out, int64(i%250), 10)
		out = append(out, ` - - [30/Nov/2026:16:46:`...)
		out = append(out, byte('0'+i/10%6), byte('0'+i%10))
		out = append(out, ` +0000] "GET `...)
		if i%10 == 0 {
			out = append(out, `/ws?v=4.5.6 HTTP/1.1" 101 4096`...)
		} else {
			out = append(out, `/static/app.`...)
			out = strconv.AppendInt(out, int64(i), 10)
			out = append(out, `.js HTTP/1.1" 200 15320`...)
		}
		out = append(out, ` "https://www.example.com/" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"`+"\n"...)
	}
	return out
}

func BenchmarkTraffic(b *testing.B) {
	text := traffic()
	b.Run("nginx", func(b *testing.B) {
		f := configure(b, "nginx", lines(text[:1<<14]), entry{})
		var batch connlog.Batch
		measure(b, len(text), func() { feed(f, &batch, text) })
	})
	b.Run("regexp", func(b *testing.B) {
		measure(b, len(text), func() {
			if byRegexp(text) == 0 {
				b.Fatal("no match")
			}
		})
	})
}

// Reading allocates nothing once the batch has its memory, whatever the format.
func TestReadDoesNotAllocate(t *testing.T) {
	for _, e := range index(t) {
		if e.wrapped {
			continue
		}
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		f := configure(t, e.format, lines(data), e)
		var batch connlog.Batch
		text := append(data, '\n')
		feed(f, &batch, text)
		if n := testing.AllocsPerRun(5, func() { feed(f, &batch, text) }); n > 0 {
			t.Errorf("%s: %.0f allocations in %d lines", e.file, n, len(lines(data)))
		}
	}
}
