package main

import "errors"

// image is the memory as the module's data make it before the program starts.
type image struct {
	memory []byte
}

const (
	opI32Const = 0x41
	opEnd      = 0x0b
	// quiet is the run of zeros that is worth a segment of its own. The linker cuts at eight: tens of thousands of segments,
	// whose headers compress worse than the zeros they save.
	quiet = 4096
	most  = 64 << 20 // what a module may fill; above it something was read wrongly
)

func (m *module) image() (*image, error) {
	r := reader{b: m.sections[dataSection]}
	i := &image{}
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		if r.byte() != 0 || r.byte() != opI32Const {
			return nil, errors.New("a data segment that is not at a constant place of the first memory")
		}
		at := uint64(uint32(r.signed()))
		if r.byte() != opEnd {
			return nil, errors.New("a data segment that is not at a constant place of the first memory")
		}
		data := r.take(r.unsigned())
		end := at + uint64(len(data))
		if end > most {
			return nil, errors.New("data beyond 64 MiB")
		}
		if grow := int(end) - len(i.memory); grow > 0 {
			i.memory = append(i.memory, make([]byte, grow)...)
		}
		copy(i.memory[at:], data)
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = errLong
	}
	return i, r.err
}

// segments is the data section: what lies between runs of at least quiet zeros.
func (i *image) segments() []byte {
	var body []byte
	count := uint64(0)
	put := func(from, to int) {
		count++
		body = append(body, 0, opI32Const)
		body = appendSigned(body, int64(from))
		body = append(body, opEnd)
		body = appendUnsigned(body, uint64(to-from))
		body = append(body, i.memory[from:to]...)
	}
	from, last := -1, 0 // the open segment, and the end of its last byte that is not zero
	for at, c := range i.memory {
		if c == 0 {
			continue
		}
		if from >= 0 && at-last >= quiet {
			put(from, last)
			from = -1
		}
		if from < 0 {
			from = at
		}
		last = at + 1
	}
	if from >= 0 {
		put(from, last)
	}
	return append(appendUnsigned(nil, count), body...)
}
