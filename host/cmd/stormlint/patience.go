package main

import (
	"io"
	"os"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/host/source"
)

// waiting is an opened source that is left behind when the verb's context ends while a read waits, as one from an idle pipe
// does. What was read into is lost then.
type waiting struct {
	e    *env
	from io.ReadCloser
	left bool
}

// patient opens a source; that can wait too, because its first bytes tell how it is compressed.
func patient(e *env, s source.Source) (*waiting, error) {
	var failed error
	from, err := engine.Await(e.ctx, func() (r io.ReadCloser) {
		r, failed = s.Open()
		return r
	}, func(r io.ReadCloser) {
		if r != nil {
			r.Close()
		}
	})
	if err == nil {
		err = failed
	}
	return &waiting{e: e, from: from}, err
}

// Read implements io.Reader.
func (w *waiting) Read(b []byte) (int, error) {
	var failed error
	n, err := engine.Await(w.e.ctx, func() (n int) {
		n, failed = w.from.Read(b)
		return n
	}, func(int) { w.from.Close() })
	if err != nil {
		w.left = true
		return 0, err
	}
	return n, failed
}

// Close closes the source, or leaves that to the read that still waits.
func (w *waiting) Close() error {
	if w.left {
		return nil
	}
	return w.from.Close()
}

// readAll reads a small input whole, - for standard input; it is left when the verb's context ends, as a pipe may wait for ever.
func readAll(e *env, name string) ([]byte, error) {
	const most = 64 << 20
	type read struct {
		data []byte
		err  error
	}
	got, err := engine.Await(e.ctx, func() (r read) {
		var from io.Reader = e.stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return read{err: err}
			}
			defer f.Close()
			from = f
		}
		r.data, r.err = io.ReadAll(io.LimitReader(from, most+1))
		return r
	}, nil)
	if err == nil {
		err = got.err
	}
	if err == nil && len(got.data) > most {
		err = &fault.Error{Code: fault.TooLarge, Source: name, Message: "more than 64 MiB", Expected: "a small file"}
	}
	return got.data, err
}
