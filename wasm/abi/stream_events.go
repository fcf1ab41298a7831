package abi

import (
	"github.com/stormlint/stormlint/core/connlog"
)

// events is the stream "events": feed a log, get its events as lines of the base form, as they are read. finish gives the
// last of them.
type events struct {
	refusal
	head
	reader *connlog.Reader
	batch  connlog.Batch
	made   func() // nil, or called when there is a reader
}

func openEvents(s *Session, request []byte) (task, error) {
	asked, err := parsePart(request)
	if err != nil {
		return nil, err
	}
	e := &events{refusal: refusal{"events"}, head: head{session: s, asked: asked}}
	if asked.plan != nil {
		return e, e.begin(asked.plan)
	}
	return e, nil
}

func (e *events) begin(plan *connlog.Plan) (err error) {
	e.reader, err = connlog.NewReader(plan, e.session.catalogue(), e.asked.part.Index)
	if err == nil && e.made != nil {
		e.made()
	}
	return err
}

func (e *events) feed(chunk []byte) ([]byte, error) {
	if e.reader == nil {
		plan, err := e.more(chunk)
		if err != nil || plan == nil {
			return nil, err
		}
		if err := e.begin(plan); err != nil {
			return nil, err
		}
		chunk, e.text = e.text, nil
	}
	return e.read(chunk, false), nil
}

func (e *events) read(chunk []byte, last bool) []byte {
	var out []byte
	e.reader.Feed(chunk, last)
	for e.reader.Next(&e.batch) {
		if e.made != nil {
			continue // of a stream of records only those are wanted
		}
		for i := range e.batch.Events {
			out = append(connlog.Append(out, &e.batch, &e.batch.Events[i]), '\n')
		}
	}
	return out
}

func (e *events) finish() ([]byte, error) {
	var chunk []byte
	if e.reader == nil {
		plan, err := e.session.plan(e.asked.logs, e.text)
		if err != nil {
			return nil, err
		}
		if err := e.begin(plan); err != nil {
			return nil, err
		}
		chunk, e.text = e.text, nil
	}
	return e.read(chunk, true), nil
}
