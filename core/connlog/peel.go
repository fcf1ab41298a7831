package connlog

// peeler takes the plan's layers off records and joins what a layer had cut.
type peeler struct {
	layers  [][]Record // scratch, one list a layer
	streams []stream
	before  []byte // the record before, for folded repeats; kept only where a wrapper joins
}

// stream is one of a wrapper's interleaved streams with the beginning of an unfinished record.
type stream struct {
	id   uint32
	open bool
	head []byte
	rec  Record
}

// peel takes the layers off one framed record and gives what is inside to the formats.
func (p *peeler) peel(r *Reader, b *Batch, rec Record) {
	if p.layers == nil {
		p.layers = make([][]Record, len(r.wrappers))
	}
	p.layer(r, b, rec, 0)
}

func (p *peeler) layer(r *Reader, b *Batch, rec Record, depth int) {
	if depth == len(r.wrappers) {
		p.inner(r, b, rec)
		return
	}
	inside, why := r.wrappers[depth].Peel(p.layers[depth][:0], b, rec)
	p.layers[depth] = inside
	if why == BadLayout || why == BadJSON || why == NotObject {
		p.layer(r, b, rec, depth+1)
		return
	}
	if why != Used {
		r.Counts.add(why, r.Counts.Lines, func() string { return r.sample(b.Text(rec.Span)) })
		return
	}
	for i := range inside {
		one := inside[i]
		if one.Written == None {
			one.Written, one.Resolution = rec.Written, rec.Resolution
		}
		if one, whole := p.join(b, one, r.plan.limit()); whole {
			p.layer(r, b, one, depth+1)
		}
	}
}

// join collects the pieces of a record that its wrapper cut; whole is false while pieces are missing.
func (p *peeler) join(b *Batch, rec Record, limit int) (out Record, whole bool) {
	at := -1
	for i := range p.streams {
		if p.streams[i].id == rec.Stream {
			at = i
		}
	}
	if !rec.Partial && (at < 0 || !p.streams[at].open) {
		return rec, true
	}
	if at < 0 {
		p.streams = append(p.streams, stream{id: rec.Stream})
		at = len(p.streams) - 1
	}
	s := &p.streams[at]
	if !s.open {
		s.open, s.head, s.rec = true, s.head[:0], rec
	}
	if len(s.head)+int(rec.Len) <= limit {
		s.head = append(s.head, b.Text(rec.Span)...)
	}
	if rec.Partial {
		return rec, false
	}
	s.open = false
	rec.Span = b.Keep(s.head)
	return rec, true
}

// inner reads a record without layers left.
func (p *peeler) inner(r *Reader, b *Batch, rec Record) {
	if rec.Repeat > 0 && rec.Len == 0 {
		if len(p.before) == 0 {
			r.Counts.add(Ignored, r.Counts.Lines, nil)
			return
		}
		rec.Span = b.Keep(p.before)
		r.read(b, rec, false)
		return
	}
	if r.plan.Joined {
		p.before = append(p.before[:0], b.Text(rec.Span)...)
	}
	if blank(b.Text(rec.Span)) {
		r.Counts.add(Ignored, r.Counts.Lines, nil)
		return
	}
	r.read(b, rec, false)
}

// flush reads what is left unfinished at the end of the input.
func (p *peeler) flush(r *Reader, b *Batch) {
	for i := range p.streams {
		s := &p.streams[i]
		if !s.open {
			continue
		}
		s.open = false
		rec := s.rec
		rec.Span, rec.Partial = b.Keep(s.head), false
		r.read(b, rec, true)
	}
}
