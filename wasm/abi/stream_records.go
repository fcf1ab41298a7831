package abi

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// records is the stream "records": feed a log, get the records that its request names by their numbers, which count from 1
// as those of a report's evidence do. Each is a line {"record","line","offset","sample"}: the line counts from 1, the offset
// is the record's first byte, the sample is masked. Whoever has got what it wanted need not feed the rest.
type records struct {
	events
	out []byte
}

func openRecords(s *Session, request []byte) (task, error) {
	asked, err := parsePart(request)
	if err != nil {
		return nil, err
	}
	r := &records{events: events{refusal: refusal{"records"}, head: head{session: s, asked: asked}}}
	r.events.made = func() {
		wanted := make([]int64, len(asked.records))
		for i, n := range asked.records {
			wanted[i] = n - 1
		}
		r.reader.Show(wanted, r.add)
	}
	if asked.plan != nil {
		return r, r.begin(asked.plan)
	}
	return r, nil
}

func (r *records) add(s connlog.Shown) {
	b := jsonwrite.Object(nil)
	b = jsonwrite.Int(jsonwrite.Key(b, "record"), s.Record+1)
	b = jsonwrite.Int(jsonwrite.Key(b, "line"), s.Line+1)
	b = jsonwrite.Int(jsonwrite.Key(b, "offset"), s.Offset)
	b = jsonwrite.String(jsonwrite.Key(b, "sample"), s.Sample)
	r.out = append(append(r.out, jsonwrite.End(b, '}')...), '\n')
}

func (r *records) feed(chunk []byte) ([]byte, error) {
	r.out = r.out[:0]
	_, err := r.events.feed(chunk)
	return r.out, err
}

func (r *records) finish() ([]byte, error) {
	r.out = r.out[:0]
	_, err := r.events.finish()
	return r.out, err
}
