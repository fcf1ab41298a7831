package timeline

import (
	"strconv"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/fault"
)

// version of the bytes that AppendState writes; another one is refused by name.
const version = 2

// AppendState appends everything that Merge needs. Its size is that of the kept events and the keys.
func (t *Table) AppendState(b []byte) []byte {
	for i := range t.clients {
		t.shorten(uint32(i))
		if t.clients[i].more > 0 {
			t.moments = t.read(uint32(i), t.moments[:0], &t.scratch)
			t.rewrite(uint32(i), t.moments)
		}
	}
	b = append(b, "stormlint timeline"...)
	b = appendUint(b, version)
	b = appendUint(b, uint64(t.limit))
	b = appendUint(b, uint64(len(t.parts)))
	for _, p := range t.parts {
		b = appendUint(b, uint64(p.Source))
		b = appendUint(b, uint64(p.Index))
	}
	b = appendUint(b, uint64(len(t.words)-1))
	for _, w := range t.words[1:] {
		b = append(appendUint(b, uint64(len(w))), w...)
	}
	b = appendUint(b, uint64(len(t.signatures)))
	for i := range t.signatures {
		b = t.signatures[i].append(b)
	}
	b = appendUint(b, uint64(len(t.clients)))
	for i := range t.clients {
		c := &t.clients[i]
		key := t.index.key(uint32(i))
		b = append(appendUint(b, uint64(len(key))), key...)
		length := c.length()
		b = appendUint(b, uint64(length))
		b = t.slab.bytes(c.head, length, b)
		for at := c.rest; at > 0; at = t.rests[at-1].next {
			b = t.rests[at-1].append(b)
		}
		b = append(b, 0)
	}
	b = appendUint(b, uint64(len(t.beyond)))
	for i := range t.beyond {
		b = appendUint(b, uint64(t.beyond[i].source))
		for k := range t.beyond[i].kinds {
			b = t.beyond[i].kinds[k].append(b)
		}
	}
	return b
}

func (r *rest) append(b []byte) []byte {
	b = appendUint(b, uint64(len(r.counts)))
	b = appendUint(b, uint64(r.source))
	for _, n := range r.counts {
		b = appendUint(b, uint64(n.signature))
		b = appendUint(b, n.count)
	}
	b = appendInt(b, r.first)
	b = appendInt(b, r.last)
	return r.minutes.append(b)
}

func (s *Signature) append(b []byte) []byte {
	for _, w := range [...]Word{s.UserAgent, s.Path, s.Host, s.Group, s.Cause} {
		b = appendUint(b, uint64(w))
	}
	b = appendUint(b, uint64(s.Status))
	b = appendUint(b, uint64(s.CloseCode))
	return append(b, byte(s.Kind), byte(s.Outcome), byte(s.ClosedBy), byte(s.Transport), s.resolution, s.unit, byte(s.has))
}

func (t *tally) append(b []byte) []byte {
	b = appendUint(append(b, t.shift), uint64(len(t.bins)))
	last := int64(0)
	for _, x := range t.bins {
		b = appendInt(b, x.at-last)
		b = appendUint(b, uint64(x.count))
		last = x.at
	}
	return b
}

// Merge adds what another table's AppendState wrote and returns what follows it. The bytes are not trusted; after an
// error the table holds part of them and refuses everything else.
func (t *Table) Merge(state []byte) (following []byte, err error) {
	if t.broken || t.frozen {
		return nil, &fault.Error{Code: fault.BadState, Package: "timeline", Message: "the table takes no more states"}
	}
	t.broken = true
	following, err = t.merge(state)
	t.broken = err != nil
	return following, err
}

func (t *Table) merge(state []byte) ([]byte, error) {
	const magic = "stormlint timeline"
	if len(state) < len(magic) || string(state[:len(magic)]) != magic {
		return nil, errBad("beginning")
	}
	r := &reader{data: state[len(magic):]}
	if v := r.uint(); v != version {
		return nil, &fault.Error{Code: fault.Mismatch, Package: "timeline", Field: "version of the state", Value: strconv.FormatUint(v, 10), Expected: strconv.Itoa(version)}
	}
	if r.uint() != uint64(t.limit) {
		return nil, errBad("limit")
	}
	parts, err := t.mergeParts(r)
	if err != nil {
		return nil, err
	}
	words := make([]Word, r.count(1)+1)
	for i := 1; i < len(words); i++ {
		text := r.bytes()
		if len(text) == 0 || len(text) > longestWord {
			return nil, errBad("word")
		}
		words[i] = t.word(text)
	}
	signatures, numbers, err := t.mergeSignatures(r, words)
	if err != nil {
		return nil, err
	}
	n := r.count(3)
	for range n {
		if err := t.mergeClient(r, parts, signatures, numbers); err != nil {
			return nil, err
		}
	}
	next := uint64(0)
	for range r.count(4) {
		source := r.uint()
		if source < next || source >= 1<<32 {
			return nil, errBad("source")
		}
		next = source + 1
		seconds := t.overflowOf(uint32(source))
		for k := range seconds {
			o, ok := readTally(r, mostSeconds)
			if !ok {
				return nil, errBad("seconds")
			}
			seconds[k].merge(&o, mostSeconds)
		}
	}
	if r.bad {
		return nil, errBad("length")
	}
	return r.data, nil
}

// mergeParts gives the own index of each of the other's parts.
func (t *Table) mergeParts(r *reader) ([]uint32, error) {
	parts := make([]uint32, r.count(2))
	for i := range parts {
		source, index := r.uint(), r.uint()
		if r.bad || source >= 1<<32 || index >= 1<<32 {
			return nil, errBad("part")
		}
		p := Part{uint32(source), uint32(index)}
		if t.known[p] {
			return nil, errTwice(p)
		}
		t.known[p] = true
		parts[i] = uint32(len(t.parts))
		t.parts = append(t.parts, p)
	}
	if len(parts) == 0 {
		return nil, errBad("parts")
	}
	return parts, nil
}

func errTwice(p Part) error {
	return &fault.Error{Code: fault.BadState, Package: "timeline", Message: "part " + strconv.FormatUint(uint64(p.Index), 10) + " of source " + strconv.FormatUint(uint64(p.Source), 10) + " is merged twice"}
}

// mergeSignatures gives the other's signatures, in its own words, and their numbers here.
func (t *Table) mergeSignatures(r *reader, words []Word) (theirs []Signature, numbers []uint32, err error) {
	n := r.count(14)
	theirs, numbers = make([]Signature, n), make([]uint32, n)
	for i := range theirs {
		s := &theirs[i]
		for _, w := range [...]*Word{&s.UserAgent, &s.Path, &s.Host, &s.Group, &s.Cause} {
			v := r.uint()
			if v >= uint64(len(words)) {
				return nil, nil, errBad("signature")
			}
			*w = words[v]
		}
		status, code := r.uint(), r.uint()
		if r.bad || len(r.data) < 7 || status >= 1<<16 || code >= 1<<16 {
			return nil, nil, errBad("signature")
		}
		s.Status, s.CloseCode = uint16(status), uint16(code)
		x := r.data[:7]
		r.data = r.data[7:]
		s.Kind, s.Outcome, s.ClosedBy, s.Transport = connlog.Kind(x[0]), connlog.Outcome(x[1]), connlog.Party(x[2]), connlog.Transport(x[3])
		s.resolution, s.unit, s.has = x[4], x[5], flags(x[6])
		if s.Kind > connlog.Close || s.Outcome > connlog.TLS || s.ClosedBy > connlog.ByTakeover || s.Transport > connlog.MQTT ||
			int(s.resolution) >= len(resolutions) || int(s.unit) >= len(units) || s.has > allFlags {
			return nil, nil, errBad("signature")
		}
		numbers[i] = t.signature(s)
	}
	return theirs, numbers, nil
}

func (t *Table) mergeClient(r *reader, parts []uint32, signatures []Signature, numbers []uint32) error {
	key := r.bytes()
	data := r.bytes()
	if r.bad || len(key) == 0 || len(key) > longestKey {
		return errBad("client")
	}
	i := t.client(key)
	var p position
	for events := 0; len(data) > 0; events++ {
		var m Moment
		var err error
		if data, err = p.readMoment(data, signatures, len(parts), &m); err != nil {
			return err
		}
		if events == t.limit {
			return errBad("number of events")
		}
		m.Signature, m.Part = numbers[m.Signature], parts[m.Part]
		t.put(i, &m)
	}
	last, next := uint32(0), uint64(0)
	for {
		n := r.count(2)
		if n == 0 {
			return nil // or bad, as the caller will see
		}
		source := r.uint()
		if source < next || source >= 1<<32 {
			return errBad("source")
		}
		last, next = t.restOf(i, uint32(source), last), source+1
		if err := t.rests[last-1].merge(r, n, numbers); err != nil {
			return err
		}
	}
}

// merge adds a rest of n signatures that another table wrote.
func (x *rest) merge(r *reader, n int, numbers []uint32) error {
	for range n {
		signature, count := r.uint(), r.uint()
		if signature >= uint64(len(numbers)) || count >= 1<<48 {
			return errBad("rest")
		}
		x.count(numbers[signature], count)
	}
	x.first, x.last = min(x.first, r.int()), max(x.last, r.int())
	minutes, ok := readTally(r, mostMinutes)
	if !ok {
		return errBad("minutes")
	}
	x.minutes.merge(&minutes, mostMinutes)
	return nil
}

func readTally(r *reader, most int) (t tally, ok bool) {
	if len(r.data) == 0 || r.data[0] > 62 {
		return t, false
	}
	t.shift = r.data[0]
	r.data = r.data[1:]
	n := r.count(2)
	if r.bad || n > most {
		return t, false
	}
	t.bins = make([]bin, n)
	last := int64(0)
	for i := range t.bins {
		step, count := r.int(), r.uint()
		at := last + step
		if r.bad || count == 0 || count >= 1<<32 || i > 0 && (step <= 0 || at <= last) {
			return t, false
		}
		t.bins[i] = bin{at, uint32(count)}
		last = at
	}
	return t, true
}
