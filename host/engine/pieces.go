package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/abi"
)

// arrival is an input that arrives in order: a pipe, decompressed data, a small file.
type arrival struct {
	g       *gathering
	ctx     context.Context // of the input: it ends with the whole and when the input is no longer wanted
	source  int
	from    io.ReadCloser
	left    bool // a read was left waiting; whoever did it closes the input
	any     bool // there was something beside white space
	ended   bool
	release func() // gives back the turn for a long head
}

// filled is what one fill came to.
type filled struct {
	n   int
	err error
}

// fill reads until the buffer is full or the input has ended, and gives how much there is. The buffer is lost where the
// context ended.
func (a *arrival) fill(buf []byte) (n int, err error) {
	if a.ended {
		return 0, nil
	}
	got, err := Await(a.ctx, func() (f filled) {
		for f.n < len(buf) && f.err == nil {
			var n int
			n, f.err = a.from.Read(buf[f.n:])
			f.n += n
			if f.err == nil {
				f.err = alive(a.ctx)
			}
		}
		return f
	}, func(filled) { a.from.Close() })
	if err != nil {
		a.left = true
		return 0, err
	}
	n, err = got.n, got.err
	a.any = a.any || len(bytes.Trim(buf[:n], " \t\r\n\ufeff")) > 0
	switch {
	case err == io.EOF:
		a.ended = true
	case err != nil && a.any && a.g.Damaged != nil && errors.Is(err, fault.BadSyntax):
		a.g.results[a.source].damage = err
		a.ended = true
	case err != nil:
		return n, err
	}
	if a.ended && !a.any {
		return n, Nothing(a.g.Inputs[a.source].Name, cmp.Or(a.g.Empty, "a log"))
	}
	return n, nil
}

func (a *arrival) close() {
	a.release()
	if !a.left {
		a.from.Close()
	}
}

// produceStream reads an input in order and hands it out: line by line apart where it can be cut, else to one worker.
func (g *gathering) produceStream(source int) error {
	type opened struct {
		from io.ReadCloser
		err  error
	}
	in, err := Await(g.inputs[source], func() (o opened) {
		o.from, o.err = g.Inputs[source].Open()
		return o
	}, func(o opened) {
		if o.err == nil && o.from != nil {
			o.from.Close()
		}
	})
	if err == nil {
		err = in.err
	}
	if err != nil {
		return err
	}
	a := &arrival{g: g, ctx: g.inputs[source], source: source, from: in.from, release: func() {}}
	defer a.close()
	q := g.question(firstHead)
	n, err := a.fill(q.head)
	if err != nil {
		return err
	}
	q.shorten(n)
	t, splits, err := g.plan(q, func() (*question, error) {
		if a.ended {
			return q, nil
		}
		if a.release, err = g.turn(a.ctx); err != nil {
			return nil, err
		}
		long := g.question(abi.HeadSize)
		n := copy(long.head, q.head)
		more, err := a.fill(long.head[n:])
		if err != nil {
			return nil, err
		}
		q = long
		q.shorten(n + more)
		return q, nil
	})
	if err != nil {
		return err
	}
	t.source = source
	_, native := g.engine.sessions.(native)
	if splits && native && t.framing == "lines" && g.Workers > 1 {
		return a.lines(t, q.head)
	}
	return a.whole(t, q.head)
}

// lines hands out pieces that end with a line, each a part.
func (a *arrival) lines(t task, head []byte) error {
	size := Piece
	if a.g.Part > 0 {
		size = int(a.g.Part)
	}
	for len(head) > size {
		cut := bytes.LastIndexByte(head[:size], '\n') + 1
		if cut == 0 {
			break
		}
		a.hand(&t, head[:cut], nil)
		head = head[cut:]
	}
	rest := append([]byte(nil), head...)
	head = nil
	a.release()
	for a.g.wanted(a.source) {
		if t.index > mostParts && t.index%mostParts == 0 {
			size *= 2 // so that the longest input has not too many parts
		}
		var buf []byte
		if size == Piece {
			buf = a.g.buffer()
		} else {
			buf = make([]byte, size)
		}
		if len(rest) >= len(buf) { // one long line
			return a.whole(t, rest)
		}
		n := copy(buf, rest)
		more, err := a.fill(buf[n:])
		if err != nil {
			return err
		}
		n += more
		if a.ended {
			a.hand(&t, buf[:n], buf)
			return nil
		}
		cut := bytes.LastIndexByte(buf[:n], '\n') + 1
		if cut == 0 {
			return a.whole(t, buf[:n])
		}
		rest = append([]byte(nil), buf[cut:n]...)
		a.hand(&t, buf[:cut], buf)
	}
	return nil
}

// hand hands out one piece; its buffer, if it has one, comes back.
func (a *arrival) hand(t *task, piece, buf []byte) {
	g := a.g
	t.feed = func(s *Stream) error { return s.Feed(g.ctx, piece) }
	t.done = func(*Stream) {
		if buf != nil {
			g.free(buf)
		}
	}
	g.tasks <- *t
	t.index++
}

// whole hands out what is left as one part, which is fed as it arrives.
func (a *arrival) whole(t task, head []byte) error {
	g := a.g
	pieces := make(chan []byte, 1)
	release := a.release
	t.feed = func(s *Stream) error {
		err := s.Feed(g.ctx, head)
		head = nil // which can be long, and the input longer still
		release()
		for err == nil {
			piece, more := <-pieces
			if !more {
				break
			}
			err = s.Feed(g.ctx, piece)
			g.free(piece)
		}
		return err
	}
	gone := make(chan struct{})
	t.done = func(*Stream) { close(gone) }
	g.tasks <- t
	defer func() { <-gone }()
	defer close(pieces)
	for !a.ended && g.wanted(a.source) {
		buf := g.buffer()
		n, err := a.fill(buf)
		if err != nil {
			return err
		}
		select {
		case pieces <- buf[:n]:
		case <-gone: // the worker passed it over, or failed
			return nil
		}
	}
	return nil
}
