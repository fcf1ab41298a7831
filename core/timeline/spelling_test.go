package timeline

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// Texts that differ have spellings that differ, or none.
func TestSpellingOf(t *testing.T) {
	seen := map[Spelling]string{}
	for _, text := range []string{
		"11111111", "111111111", "1111111111", "1111111111111111", "10.0.0.1", "10.0.0.10", "10.0.0.100", "100.100.100.100:",
		"\x00\x00\x00\x00\x00\x00\x00\x00a", "a\x00\x00\x00\x00\x00\x00\x00a",
	} {
		s := SpellingOf([]byte(text))
		if other, twice := seen[s]; twice || s == (Spelling{}) {
			t.Errorf("%q is spelled as %q", text, other)
		}
		seen[s] = text
	}
	for _, text := range []string{"", "1.1.1.1", "2001:db8::1234:56", "12345678\x00", "\x00\x00\x00\x00\x00\x00\x00\x00"} {
		if s := SpellingOf([]byte(text)); s != (Spelling{}) {
			t.Errorf("%q has the spelling %v", text, s)
		}
	}
}

// Recognize against a map: clients that have a spelling, clients that have another one already, and texts that nobody has.
func TestRecognize(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	table := New(Part{}, seed)
	known := map[Spelling]uint32{}
	var list []Spelling
	numbers := make([]uint32, 64)
	check := func() {
		for i := range list {
			numbers[i] = 99
		}
		table.Recognize(list, numbers[:len(list)])
		for i, s := range list {
			if numbers[i] != known[s] {
				t.Fatalf("%v is client %d, want %d", s, int(numbers[i])-1, int(known[s])-1)
			}
		}
		list = list[:0]
	}
	list = append(list, Spelling{1, 2}, Spelling{})
	check()
	for range 20_000 {
		text := []byte("10.0." + strconv.Itoa(r.IntN(256)) + "." + strconv.Itoa(100+r.IntN(64)))
		s := SpellingOf(text)
		if list = append(list, s); len(list) == len(numbers) {
			check()
		}
		if r.IntN(4) == 0 {
			number, _ := table.Client(text)
			table.Spell(number, s)
			table.Spell(number, Spelling{7, 7}) // it has one
			known[s] = number + 1
		}
	}
	if len(known) < 2000 {
		t.Errorf("only %d clients", len(known))
	}
}

// Whoever does not know the seed cannot choose texts that fall to one place: those that do under one seed do not under another.
func TestCraftedCollisionsOfSpellings(t *testing.T) {
	known, other := New(Part{}, 1), New(Part{}, 2)
	known.respell(1 << 12)
	other.respell(1 << 12)
	var texts []Spelling
	for i := 0; len(texts) < 64; i++ {
		if s := SpellingOf(strconv.AppendInt(nil, 1e9+int64(i), 10)); known.place(s) == 0 {
			texts = append(texts, s)
		}
	}
	places := map[uint64]int{}
	most := 0
	for _, s := range texts {
		places[other.place(s)]++
		most = max(most, places[other.place(s)])
	}
	if most > 4 {
		t.Errorf("%d of %d texts fall to one place under another seed", most, len(texts))
	}
}
