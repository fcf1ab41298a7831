package main

import (
	"io"

	"github.com/schollz/progressbar/v3"

	"github.com/stormlint/stormlint/host/source"
)

// bar shows how far a long reading is, if standard error is a screen. A nil bar shows nothing.
type bar struct {
	shown  *progressbar.ProgressBar
	before int64 // bytes of the sources that are done
	name   string
	last   int64
}

// noticeable is the size from which a bar is worth its place.
const noticeable = 32 << 20

func progress(e *env, list []source.Source) *bar {
	total := int64(0)
	for _, s := range list {
		total += max(s.Size, 0)
	}
	if total < noticeable || !terminal(e.stderr) {
		return nil
	}
	return &bar{shown: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(e.stderr),
		progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100_000_000),
	)}
}

// read adds what was read of any source; several goroutines may call it.
func (b *bar) read(n int) {
	if b != nil {
		b.shown.Add(n)
	}
}

// counted is an opened source whose reading the bar shows, compressed as it is.
func (b *bar) counted(r io.ReadCloser, err error) (io.ReadCloser, error) {
	if b == nil || err != nil {
		return r, err
	}
	return &countedReader{r, b, 0}, nil
}

type countedReader struct {
	io.ReadCloser
	bar  *bar
	told int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	raw := source.Raw(c.ReadCloser)
	c.bar.read(int(raw - c.told))
	c.told = raw
	return n, err
}

// at says how much of a source is read.
func (b *bar) at(s source.Source, r io.Reader) {
	if b == nil {
		return
	}
	if s.Name != b.name {
		b.before += b.last
		b.name, b.last = s.Name, 0
	}
	b.last = source.Raw(r)
	b.shown.Set64(b.before + b.last)
}

func (b *bar) end() {
	if b != nil {
		b.shown.Finish()
	}
}
