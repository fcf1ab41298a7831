package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
)

// What the start function works out is, byte for byte, what was left out.
func TestDerived(t *testing.T) {
	m, err := parse(linked(t, "./testdata/bare", "-buildmode=c-shared"))
	if err != nil {
		t.Fatal(err)
	}
	image, err := m.image()
	if err != nil {
		t.Fatal(err)
	}
	table, err := image.find()
	if err != nil {
		t.Fatal(err)
	}
	_, firstPart, parts, err := table.describe()
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(image.memory)
	code, err := table.derive(firstPart, parts)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want, image.memory) {
		t.Fatal("nothing was left out")
	}
	section := func(number byte, b []byte) []byte {
		return append(appendUnsigned([]byte{number}, uint64(len(b))), b...)
	}
	pages := appendUnsigned([]byte{1, 0}, uint64(len(want)+65535)/65536)
	small := &module{order: []byte{typeSection, functionSection, codeSection}}
	small.sections[typeSection], small.sections[functionSection], small.sections[codeSection] = []byte{0}, []byte{0}, []byte{0}
	if err := small.start(code, 0); err != nil {
		t.Fatal(err)
	}
	b := small.bytes()
	at := bytes.Index(b, section(startSection, []byte{0})) // a memory that is exported stands before it
	b = slices.Concat(b[:at], section(5, pages), section(7, []byte{1, 1, 'm', 2, 0}), b[at:], section(dataSection, image.segments()))
	r := wazero.NewRuntime(t.Context())
	defer r.Close(t.Context())
	i, err := r.Instantiate(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := i.Memory().Read(0, uint32(len(want)))
	if !bytes.Equal(got, want) {
		for at := range want {
			if got[at] != want[at] {
				t.Fatalf("byte %d is %d, wanted %d", at, got[at], want[at])
			}
		}
	}
}

// A table that does not follow from the others is not left out.
func TestUnderivable(t *testing.T) {
	for name, change := range map[string]func(t *table, part uint64){
		"a part of another function": func(t *table, part uint64) { t.memory[part+20*100]++ },
		"a part of two functions":    func(t *table, part uint64) { t.memory[part+20*100+19]++ },
		"a record at another place":  func(t *table, _ uint64) { t.set(t.at+t.funcs+8*9+4, t.word(t.at+t.funcs+8*9+4)-8) },
		"a record with more data":    func(t *table, _ uint64) { t.memory[t.of(9)+recordData] += 2 },
	} {
		m, _ := parse(linked(t, "./testdata/bare", "-buildmode=c-shared"))
		image, _ := m.image()
		table, _ := image.find()
		_, firstPart, _, err := table.describe()
		if err != nil {
			t.Fatal(err)
		}
		change(table, firstPart)
		_, firstPart, parts, err := table.describe()
		if err == nil {
			_, err = table.derive(firstPart, parts)
		}
		if err != errUnknown {
			t.Errorf("%s: %v", name, err)
		}
	}
}
