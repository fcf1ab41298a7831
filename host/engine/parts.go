package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"sync"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/abi"
)

const (
	firstHead = 1 << 20  // decides how an input is read, unless its paths are to be learned
	leastPart = 4 << 20  // of a file: below it, beginning a part shows
	mostPart  = 64 << 20 // of a file: above it, workers end at different times
	mostParts = 1 << 14  // of an input, about; there is room for four times as many
)

// produce cuts one input into tasks.
func (g *gathering) produce(source int) error {
	in := &g.Inputs[source]
	if in.File != nil && g.Workers > 1 {
		file, size, ok, err := in.File()
		if err != nil {
			return err
		}
		if ok {
			defer file.Close()
			if done, err := g.produceFile(source, file, size); done || err != nil {
				return err
			}
		}
	}
	return g.produceStream(source)
}

// question is the beginning of an input as the module is asked about it: the options, a line end, and the head.
type question struct{ text, head []byte }

// question makes one with room for a head, which is read into its place: it may be long, and is never copied.
func (g *gathering) question(size int) *question {
	at := len(g.Options) + 1
	text := make([]byte, at+size)
	text[copy(text, g.Options)] = '\n'
	return &question{text, text[at:]}
}

func (q *question) shorten(n int) {
	q.text = q.text[:len(q.text)-len(q.head)+n]
	q.head = q.head[:n]
}

// plan decides how an input is read: for compat by its first byte, else by the module's word. more gives a longer head.
func (g *gathering) plan(q *question, more func() (*question, error)) (t task, splits bool, err error) {
	if g.Kind == "compat" {
		start := bytes.TrimLeft(bytes.TrimPrefix(q.head, []byte("\ufeff")), " \t\r\n")
		t.framing = "lines"
		if len(start) > 0 && start[0] == '[' {
			t.framing = "array"
		}
		return t, len(start) > 0, nil
	}
	for {
		t.plan, err = g.engine.Call(g.ctx, "sniff", q.text)
		if err != nil {
			return t, false, err
		}
		answer, err := g.engine.Call(g.ctx, "plan", t.plan)
		if err != nil {
			return t, false, err
		}
		var about struct{ Splits, Settled bool }
		var p struct{ Framing string }
		if err := errors.Join(json.Unmarshal(answer, &about), json.Unmarshal(t.plan, &p)); err != nil {
			return t, false, err
		}
		t.framing = p.Framing
		if about.Settled || more == nil {
			return t, about.Splits, nil
		}
		if q, err = more(); err != nil {
			return t, false, err
		}
		more = nil
	}
}

func (g *gathering) read(n int) {
	if g.Read != nil {
		g.Read(n)
	}
}

// buffer gives a piece's worth of bytes; give it back with free.
func (g *gathering) buffer() []byte {
	if b, ok := g.buffers.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, Piece)
}

func (g *gathering) free(b []byte) {
	if b = b[:cap(b)]; len(b) == Piece {
		g.buffers.Put(&b)
	}
}

// produceFile cuts a file into ranges; done is false where it is to be read in order.
func (g *gathering) produceFile(source int, file File, size int64) (done bool, err error) {
	part := g.Part
	if part == 0 {
		part = max(leastPart, min(size/int64(8*g.Workers), mostPart), size/mostParts)
		if _, native := g.engine.sessions.(native); !native {
			part = max(leastPart, size/int64(g.Workers)+1)
		}
	}
	if size < 2*part {
		return false, nil
	}
	q := g.question(int(min(size, firstHead)))
	n, err := file.ReadAt(q.head, 0)
	if q.shorten(n); len(bytes.Trim(q.head, " \t\r\n\ufeff")) == 0 {
		return false, nil // nothing yet, or a file that cannot be read, which is told in order
	}
	release := func() {}
	t, splits, err := g.plan(q, func() (*question, error) {
		var err error
		if release, err = g.turn(g.inputs[source]); err != nil {
			return nil, err
		}
		q := g.question(int(min(size, abi.HeadSize)))
		n, err := file.ReadAt(q.head, 0)
		if err == io.EOF {
			err = nil
		}
		q.shorten(n)
		return q, err
	})
	release()
	if err != nil || !splits {
		return false, err
	}
	t.source = source
	if t.framing == "array" {
		return true, g.produceArray(t, file, size)
	}
	var reading sync.WaitGroup // the file is closed when all ranges are read
	defer reading.Wait()
	t.done = func(*Stream) { reading.Done() }
	for from := int64(0); from < size && g.wanted(source); from += part {
		to := from + part
		if to >= size {
			to = math.MaxInt64 // up to the end, where it may be by then
		}
		t.feed = func(s *Stream) error { return g.feedLines(s, file, from, to) }
		reading.Add(1)
		g.tasks <- t
		t.index++
	}
	return true, nil
}

// feedLines gives a stream the lines that begin in a range of a file: those after the first line end at from-1 or later, up
// to the first line end at to-1 or later.
func (g *gathering) feedLines(s *Stream, file File, from, to int64) error {
	buf := g.buffer()
	defer g.free(buf)
	if g.Part > 0 {
		buf = buf[:min(g.Part, Piece)]
	}
	at, begun := from, from == 0
	if !begun {
		at--
	}
	for {
		n, err := file.ReadAt(buf, at)
		piece := buf[:n]
		g.read(n)
		if err != nil && err != io.EOF {
			return unreadable(err)
		}
		if !begun {
			if i := bytes.IndexByte(piece, '\n'); i >= 0 {
				begun = true
				piece = piece[i+1:]
				if at+int64(i)+1 >= to {
					return nil // no line begins in the range
				}
			}
		}
		if begun {
			start := at + int64(n-len(piece))
			if beyond := start + int64(len(piece)) - to; beyond >= 0 {
				last := max(0, len(piece)-int(beyond)-1) // the byte at to-1
				if i := bytes.IndexByte(piece[last:], '\n'); i >= 0 {
					return s.Feed(g.ctx, piece[:last+i+1])
				}
			}
			if len(piece) > 0 {
				if err := s.Feed(g.ctx, piece); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		at += int64(n)
	}
}

// feedRange gives a stream a range of a file as it is.
func (g *gathering) feedRange(s *Stream, file File, from, to int64) error {
	buf := g.buffer()
	defer g.free(buf)
	for at := from; at < to; {
		n, err := file.ReadAt(buf[:min(int64(len(buf)), to-at)], at)
		g.read(n)
		at += int64(n)
		if n > 0 {
			if err := s.Feed(g.ctx, buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
	}
	return nil
}

func unreadable(err error) error {
	return &fault.Error{Code: fault.Unreadable, Package: "engine", Message: err.Error()}
}

// produceArray cuts an array into a range for each worker. Where a range begins is a guess; it is right if the reader of the
// range before stands between two elements there. If not, that reader reads the range too.
func (g *gathering) produceArray(t task, file File, size int64) error {
	cuts := []int64{0}
	for i := range int64(g.Workers - 1) {
		at, err := guess(file, max(size*(i+1)/int64(g.Workers), cuts[len(cuts)-1]+1), size)
		if err != nil {
			return err
		}
		if at < size && at > cuts[len(cuts)-1] {
			cuts = append(cuts, at)
		}
	}
	cuts = append(cuts, math.MaxInt64)
	streams := make([]*Stream, len(cuts)-1)
	var reading sync.WaitGroup
	for i := range streams {
		own := t
		own.index, own.apart = i, true
		own.feed = func(s *Stream) error { return g.feedRange(s, file, cuts[i], cuts[i+1]) }
		own.done = func(s *Stream) {
			streams[i] = s
			reading.Done()
		}
		reading.Add(1)
		g.tasks <- own
	}
	reading.Wait()
	defer func() { g.results[t.source].extra = streams }()
	if !g.wanted(t.source) {
		return nil
	}
	for left, right := 0, 1; right < len(streams); right++ {
		between, err := streams[left].between(g.ctx)
		if err != nil {
			return err
		}
		if between {
			left = right
			continue
		}
		if err := g.feedRange(streams[left], file, cuts[right], cuts[right+1]); err != nil {
			return err
		}
		streams[right].Close()
		t.index = right
		request, err := g.request(&t)
		if err == nil {
			streams[right], err = g.engine.Open(g.ctx, g.Kind, request)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// guess finds where an element of an array may begin, at or after an offset.
func guess(file File, at, size int64) (int64, error) {
	buf := make([]byte, 256<<10)
	for at < size {
		n, err := file.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := connlog.Guess(&connlog.Plan{Framing: connlog.Array}, buf[:n], 0); i >= 0 {
			return at + int64(i), nil
		}
		if err == io.EOF {
			break
		}
		at += int64(n - min(n-1, 1024)) // what tells a boundary may lie across the end
	}
	return size, nil
}

// between reports whether what was fed ends between two records.
func (s *Stream) between(ctx context.Context) (bool, error) {
	if err := s.check(ctx); err != nil {
		return false, err
	}
	answer, err := s.session.Progress(s.handle)
	var p struct{ Between bool }
	if err == nil {
		err = json.Unmarshal(answer, &p)
	}
	return p.Between, err
}
