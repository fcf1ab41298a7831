package main

import "encoding/binary"

// Words of runtime.moduledata in Go 1.26, counted in pointers.
const (
	moduleNames  = 1  // where the names are; the word before leads to the table's header
	moduleFunc   = 40 // gofunc: what functions' data count from
	moduleWords  = 42
	localsMap    = 1 // FUNCDATA_LocalsPointerMaps: two int32, how many maps and of how many bits
	inlinedEntry = 16
)

// clearTrees empties the trees of inlined calls. They lie beside the functions' pointer maps, counted from a word of the
// runtime's description of the module; the word is believed only if every pointer map it leads to looks like one.
func (t *table) clearTrees(values []byte, base uint64) error {
	var trees [][]byte
	for n := range t.count {
		at := t.of(n)
		pcdata := t.word32(at + 28)
		if pcdata <= inlinedIndex || t.memory[at+43] <= inlinedTree {
			continue
		}
		tree := t.word(at + funcBytes + 4*pcdata + 4*inlinedTree)
		if tree == none {
			continue
		}
		from := base + uint64(tree)
		to := from + inlinedEntry*uint64(1+highest(values, t.word(at+funcBytes+4*inlinedIndex)))
		if to > uint64(len(t.memory)) {
			return errUnknown
		}
		trees = append(trees, t.memory[from:to])
	}
	for _, tree := range trees {
		clear(tree)
	}
	return nil
}

// describe reads runtime.moduledata, the one place that begins as it does: what offsets of functions' data count from, and where
// the table of addresses is and how many whole parts it has (the last one is cut off).
func (t *table) describe() (base, firstPart, parts uint64, err error) {
	word := func(at uint64) uint64 { return binary.LittleEndian.Uint64(t.memory[at:]) }
	for at := uint64(0); at+8*moduleWords <= uint64(len(t.memory)); at += 8 {
		if word(at) != t.at || word(at+8*moduleNames) != t.at+t.names {
			continue
		}
		if base != 0 {
			return 0, 0, 0, errUnknown
		}
		if base = word(at + 8*moduleFunc); base == 0 || base > uint64(len(t.memory)) {
			return 0, 0, 0, errUnknown
		}
		firstPart, parts = word(at+8*moduleFind), (word(at+8*moduleMax)-word(at+8*moduleMin))/4096
		if word(at+8*moduleMin) != firstEntry<<16 || firstPart > uint64(len(t.memory)) {
			return 0, 0, 0, errUnknown
		}
	}
	if base == 0 {
		return 0, 0, 0, errUnknown
	}
	for n := range t.count {
		f := t.of(n)
		if t.memory[f+43] <= localsMap {
			continue
		}
		locals := t.word(f + funcBytes + 4*t.word32(f+28) + 4*localsMap)
		if locals == none {
			continue
		}
		m := base + uint64(locals)
		if m+8 > uint64(len(t.memory)) || t.word(m) == 0 || t.word(m) > 1<<16 || t.word(m+4) > 1<<20 {
			return 0, 0, 0, errUnknown
		}
	}
	return base, firstPart, parts, nil
}

func (t *table) word32(at uint64) uint64 { return uint64(t.word(at)) }

// highest is the greatest value of a table of values by program counter: pairs of a difference (zigzag) and a length, up to a
// difference of zero that is not the first. The value begins at −1.
func highest(values []byte, from uint32) int64 {
	top, v := int64(-1), int64(-1)
	if from == 0 || uint64(from) >= uint64(len(values)) {
		return top
	}
	r := reader{b: values[from:]}
	for first := true; r.err == nil; first = false {
		d := r.unsigned()
		if d == 0 && !first {
			break
		}
		v += int64(int32(d>>1) ^ -int32(d&1))
		r.unsigned()
		top = max(top, v)
	}
	return top
}
