package engine

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/abi"
)

// arrival is an input that arrives in order: a pipe, decompressed data, a small file.
type arrival struct {
	g      *gathering
	source int
	from   io.Reader
	any    bool // there was something beside white space
	ended  bool
}

// fill reads until the buffer is full or the input has ended, and gives how much there is.
func (a *arrival) fill(buf []byte) (n int, err error) {
	for n < len(buf) && !a.ended {
		var got int
		got, err = a.from.Read(buf[n:])
		a.any = a.any || len(bytes.Trim(buf[n:n+got], " \t\r\n\ufeff")) > 0
		n += got
		switch {
		case err == io.EOF:
			a.ended = true
		case err != nil && a.any && a.g.Damaged != nil && errors.Is(err, fault.BadSyntax):
			a.g.results[a.source].damage = err
			a.ended = true
		case err != nil:
			return n, err
		}
	}
	if a.ended && !a.any {
		return n, &fault.Error{Code: fault.Unreadable, Message: "the input is empty", Expected: cmp.Or(a.g.Empty, "a log")}
	}
	return n, nil
}

// produceStream reads an input in order and hands it out: line by line apart where it can be cut, else to one worker.
func (g *gathering) produceStream(source int, from io.Reader) error {
	a := &arrival{g: g, source: source, from: from}
	head := make([]byte, firstHead)
	n, err := a.fill(head)
	if err != nil {
		return err
	}
	head = head[:n]
	t, splits, err := g.plan(head, func() ([]byte, error) {
		for len(head) < abi.HeadSize && !a.ended {
			more := make([]byte, min(8*firstHead, abi.HeadSize-len(head)))
			n, err := a.fill(more)
			if err != nil {
				return nil, err
			}
			head = append(head, more[:n]...)
		}
		return head, nil
	})
	if err != nil {
		return err
	}
	t.source = source
	_, native := g.engine.sessions.(native)
	if splits && native && t.framing == "lines" && g.Workers > 1 {
		return a.lines(t, head)
	}
	return a.whole(t, head)
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
	rest := head
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
	t.feed = func(s *Stream) error {
		err := s.Feed(g.ctx, head)
		for piece := range pieces {
			if err == nil {
				err = s.Feed(g.ctx, piece)
			}
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
		case <-gone: // the worker passed it over
			return nil
		}
	}
	return nil
}
