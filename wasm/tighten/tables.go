package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// The table of functions as Go 1.26 writes it (runtime/symtab.go: pcHeader, _func; runtime/funcdata.go): the header, then the
// parts whose offsets it holds. What a program needs while it runs is how deep each frame is and where its pointers are.
// Files, lines, names and the tree of inlined calls serve the text of tracebacks.
const (
	release      = "go1.26" // the only one that the tests have run; version.go refuses others
	headerWords  = 8
	funcBytes    = 44 // of a _func, before its pcdata and funcdata
	inlinedIndex = 2  // PCDATA_InlTreeIndex
	inlinedTree  = 3  // FUNCDATA_InlTree
	none         = 1<<32 - 1
)

// Words of a record that only tracebacks and tracers read, or those who stop a thread in the middle, which WebAssembly cannot:
// places that are not safe for that (PCDATA_UnsafePoint), inlined calls, live arguments; and of its data the tree of inlined
// calls, the arguments as they are printed (FUNCDATA_ArgInfo, FUNCDATA_ArgLiveInfo), wrappers (FUNCDATA_WrapInfo).
var (
	unread     = map[uint64]bool{0: true, inlinedIndex: true, 3: true}
	unreadData = []uint64{inlinedTree, 5, 6, 7}
)

var (
	magic      = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8} // the layout's number, a minimal instruction of 1, pointers of 8
	errUnknown = &leftError{"its tables for tracebacks are not laid out as in " + release}
	errTwice   = &leftError{"two places look like the header of its tables for tracebacks"}
)

type table struct {
	memory                                    []byte // of the whole image
	at                                        uint64 // where the header stands
	count, names, units, files, values, funcs uint64 // offsets from at; count of functions
}

// find looks for the one place that looks like the header and whose parts follow each other within the image.
func (i *image) find() (*table, error) {
	var found *table
	size := uint64(len(i.memory))
	for from := 0; ; {
		n := bytes.Index(i.memory[from:], magic)
		if n < 0 {
			break
		}
		at := uint64(from + n)
		from += n + 1
		if at%8 != 0 || at+8+8*headerWords > size {
			continue
		}
		w := func(k uint64) uint64 { return binary.LittleEndian.Uint64(i.memory[at+8+8*k:]) }
		t := &table{memory: i.memory, at: at, count: w(0), names: w(3), units: w(4), files: w(5), values: w(6), funcs: w(7)}
		if t.count == 0 || t.count > 1<<16 || !slices.IsSorted([]uint64{8 + 8*headerWords, t.names, t.units, t.files, t.values, t.funcs, size}) ||
			at+t.funcs+8*t.count+4 > size {
			continue
		}
		if found != nil {
			return nil, errTwice
		}
		found = t
	}
	if found == nil {
		return nil, errUnknown
	}
	return found, nil
}

func (t *table) word(at uint64) uint32       { return binary.LittleEndian.Uint32(t.memory[at:]) }
func (t *table) set(at uint64, v uint32)     { binary.LittleEndian.PutUint32(t.memory[at:], v) }
func (t *table) part(from, to uint64) []byte { return t.memory[t.at+from : t.at+to] }

// of is where function n's record stands, 0 where the table leads nowhere.
func (t *table) of(n uint64) uint64 {
	at := t.at + t.funcs + uint64(t.word(t.at+t.funcs+8*n+4))
	if at+funcBytes > uint64(len(t.memory)) || at+funcBytes+4*t.word32(at+28)+4*uint64(t.memory[at+43]) > uint64(len(t.memory)) || t.word(at+28) > 16 {
		return 0
	}
	return at
}

func (t *table) name(offset uint32) string {
	s := t.part(t.names, t.units)
	if uint64(offset) >= uint64(len(s)) {
		return ""
	}
	s = s[offset:]
	if n := bytes.IndexByte(s, 0); n >= 0 {
		s = s[:n]
	}
	return string(s)
}

// strip empties what only tracebacks read. Two things stay, because the scheduler reads them: that a function belongs to the
// runtime (its goroutines are not the program's), told by one name for all of those, and every table that another part uses too.
func (t *table) strip(base uint64) error {
	var keep, drop []uint32
	runtimeName := uint32(0)
	for n := range t.count {
		at := t.of(n)
		if at == 0 {
			return errUnknown
		}
		if own, ok := strings.CutPrefix(t.name(t.word(at+4)), "runtime."); ok && runtimeName == 0 && own != "" && (own[0] < 'A' || own[0] > 'Z') {
			runtimeName = t.word(at + 4)
		}
		keep = append(keep, t.word(at+16))
		drop = append(drop, t.word(at+20), t.word(at+24))
		for k := range t.word32(at + 28) {
			if v := t.word(at + funcBytes + 4*k); unread[k] {
				drop = append(drop, v)
			} else {
				keep = append(keep, v)
			}
		}
	}
	all := append(slices.Concat(keep, drop), uint32(t.funcs-t.values))
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Sort(keep)
	values := t.part(t.values, t.funcs)
	if uint64(all[len(all)-1]) != uint64(len(values)) || runtimeName == 0 {
		return errUnknown
	}
	if err := t.clearTrees(values, base); err != nil {
		return err
	}
	for k, from := range all[:len(all)-1] {
		if _, kept := slices.BinarySearch(keep, from); !kept && from != 0 {
			clear(values[from:all[k+1]])
		}
	}
	kept := t.name(runtimeName)
	for n := range t.count {
		at := t.of(n)
		name := uint32(0)
		if strings.HasPrefix(t.name(t.word(at+4)), "runtime.") {
			name = runtimeName
		}
		t.set(at+4, name)
		t.set(at+20, 0) // no table of files
		t.set(at+24, 0) // nor of lines
		t.set(at+32, 0) // the unit they would count from
		t.set(at+36, 0) // the first line
		pcdata := t.word32(at + 28)
		for k := range unread {
			if k < pcdata {
				t.set(at+funcBytes+4*k, 0)
			}
		}
		for _, k := range unreadData {
			if k < uint64(t.memory[at+recordData]) {
				t.set(at+funcBytes+4*pcdata+4*k, none)
			}
		}
	}
	names := t.part(t.names, t.units)
	clear(names)
	copy(names[runtimeName:], kept)
	clear(t.part(t.units, t.values))
	return nil
}
