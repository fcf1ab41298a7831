package main

import "errors"

const (
	customSection = 0
	importSection = 2
	codeSection   = 10
	dataSection   = 11
)

// module is a WebAssembly module cut into sections. Custom sections are dropped: names and producers are no part of the
// program.
type module struct {
	order    []byte // the sections' numbers as they stood
	sections [dataSection + 1][]byte
}

const preamble = "\x00asm\x01\x00\x00\x00"

func parse(in []byte) (*module, error) {
	if len(in) < len(preamble) || string(in[:len(preamble)]) != preamble {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	m := &module{}
	for r := (reader{b: in[len(preamble):]}); len(r.b) > 0; {
		id := r.byte()
		content := r.take(r.unsigned())
		switch {
		case r.err != nil:
			return nil, r.err
		case id == customSection:
		case int(id) >= len(m.sections) || m.sections[id] != nil:
			return nil, errors.New("a section that is unknown or twice")
		default:
			m.order = append(m.order, id)
			m.sections[id] = content
		}
	}
	return m, nil
}

func (m *module) bytes() []byte {
	out := []byte(preamble)
	for _, id := range m.order {
		out = append(out, id)
		out = appendUnsigned(out, uint64(len(m.sections[id])))
		out = append(out, m.sections[id]...)
	}
	return out
}

// imports counts the functions that come from outside: the module's own are numbered after them.
func (m *module) imports() (n uint64, err error) {
	r := reader{b: m.sections[importSection]}
	if len(r.b) == 0 {
		return 0, nil
	}
	for k := r.unsigned(); k > 0 && r.err == nil; k-- {
		r.take(r.unsigned())
		r.take(r.unsigned())
		switch kind := r.byte(); kind {
		case 0: // a function, with its type
			n++
			r.unsigned()
		default:
			return 0, errors.New("an import that is not a function")
		}
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = errLong
	}
	return n, r.err
}

// body is one function of the code section: its declared locals, and the instructions after them.
type body struct {
	locals, code []byte
}

// bodies cuts the code section into functions.
func (m *module) bodies() (all []body, err error) {
	r := reader{b: m.sections[codeSection]}
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		whole := r.take(r.unsigned())
		code := reader{b: whole}
		for k := code.unsigned(); k > 0 && code.err == nil; k-- {
			code.unsigned()
			code.byte()
		}
		if code.err != nil {
			return nil, code.err
		}
		all = append(all, body{whole[:len(whole)-len(code.b)], code.b})
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = errLong
	}
	return all, r.err
}
