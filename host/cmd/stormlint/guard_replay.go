package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/render"
	"github.com/stormlint/stormlint/host/engine"
	"github.com/stormlint/stormlint/host/guard/replay"
)

// replay decides over logs.
func (v *guardVerb) replay(e *env) error {
	o, err := v.options(e)
	if err != nil {
		return err
	}
	r, err := replay.New(o)
	if err != nil {
		return err
	}
	logs := &analyzeVerb{Input: v.Replay, Sample: v.Sample, reading: v.reading, counting: counting{Key: "ip"}}
	options, err := logs.options(e)
	if err != nil {
		return err
	}
	list, err := logs.sources(e)
	if err != nil {
		return err
	}
	show := progress(e, list)
	defer show.end()
	// Each log is read twice at once: as events, which the guard decides over, and as a report, which says what became of
	// every record.
	var whole *engine.Stream
	var empty voids
	for i, s := range list {
		events, err := e.open("events", options, i, s)
		if err != nil {
			return err
		}
		defer events.Close()
		account, err := e.open("analyze", options, i, s)
		if err != nil {
			return err
		}
		defer account.Close()
		reader, err := newEventReader(r)
		if err != nil {
			return err
		}
		events.Out = reader
		if err := feed(e, both{events, account}, s, show, false); err != nil {
			if err = empty.spare(err); err != nil {
				return err
			}
			continue
		}
		last, err := events.Finish(e.ctx)
		if err != nil {
			return engine.Named(err, s.Name)
		}
		reader.Write(last)
		reader.end()
		if whole == nil {
			whole = account
		} else if err := join(e.ctx, whole, account); err != nil {
			return err
		}
	}
	show.end()
	if err := empty.tell(e, len(list)); err != nil {
		return err
	}
	text, err := whole.Finish(e.ctx)
	if err != nil {
		return engine.Named(err, list[0].Name)
	}
	var report struct{ Input json.RawMessage }
	var in replay.Input
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	if err := json.Unmarshal(report.Input, &in); err != nil {
		return err
	}
	result, err := r.Result()
	if err != nil {
		return engine.Named(err, list[0].Name)
	}
	if v.Output == "json" {
		fmt.Fprintf(e.stdout, "%s\n", result.AppendJSON(nil, report.Input, v.Top))
		return nil
	}
	e.stdout.Write(result.Page(in, render.Options{Top: v.Top, Color: e.color}))
	return nil
}

// join merges one stream into another and closes it.
func join(ctx context.Context, whole, part *engine.Stream) error {
	defer part.Close()
	state, err := part.State(ctx)
	if err != nil {
		return err
	}
	return whole.Merge(ctx, state)
}

// both feeds two streams alike.
type both [2]*engine.Stream

func (b both) Feed(ctx context.Context, chunk []byte) error {
	if err := b[0].Feed(ctx, chunk); err != nil {
		return err
	}
	return b[1].Feed(ctx, chunk)
}

// eventReader reads events in the base form, as the core prints them, into a replay.
type eventReader struct {
	reader *connlog.Reader
	batch  connlog.Batch
	to     *replay.Replay
}

func newEventReader(to *replay.Replay) (*eventReader, error) {
	r, err := connlog.NewReader(&connlog.Plan{}, connlog.Catalogue{}, 0)
	return &eventReader{reader: r, to: to}, err
}

// Write implements io.Writer.
func (r *eventReader) Write(b []byte) (int, error) {
	r.feed(b, false)
	return len(b), nil
}

func (r *eventReader) end() { r.feed(nil, true) }

func (r *eventReader) feed(b []byte, last bool) {
	r.reader.Feed(b, last)
	for r.reader.Next(&r.batch) {
		for i := range r.batch.Events {
			r.to.Add(&r.batch, &r.batch.Events[i])
		}
	}
}
