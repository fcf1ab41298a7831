package timeline

// Spelling is a client's name as a log prints it, where that has 8 to 16 bytes, as nearly every IPv4 address: the first eight
// bytes, and those behind them with zeros at the end. The zero Spelling is none.
type Spelling [2]uint64

// SpellingOf gives the Spelling of a text; none for a text of another length, or one that ends with a zero.
func SpellingOf(text []byte) Spelling {
	n := len(text)
	if n < 8 || n > 16 || text[n-1] == 0 {
		return Spelling{}
	}
	return Spelling{read64(text), read64(text[n-8:]) >> (8 * (16 - n))}
}

// spellings finds clients by their spellings: open addressing over numbers; the spelling itself stands in the client's row,
// which the event that is on its way touches anyhow. A client has one; a log that spells it in two ways is read no less well,
// but the other way takes longer.
type spellings struct {
	multipliers [2]uint64 // of the hash: odd, from the seed, so that nobody can write a log whose clients fall to one place
	places      []uint32  // number + 1, 0 for empty; a power of two, at most half full
	shift       uint8     // 64 less the bits of a place
	used        int
}

func (x *spellings) place(s Spelling) uint64 {
	return (s[0]*x.multipliers[0] + s[1]*x.multipliers[1]) >> (x.shift & 63)
}

// Spell notes how a client is spelled, unless it has a spelling already.
func (t *Table) Spell(number uint32, s Spelling) {
	c := &t.clients[number]
	if s == (Spelling{}) || c.spelled != (Spelling{}) {
		return
	}
	c.spelled = s
	x := &t.spellings
	if x.used*2 >= len(x.places) {
		t.respell(max(64, 4*x.used))
		return
	}
	t.spell(number)
}

// respell makes room for so many places.
func (t *Table) respell(places int) {
	x := &t.spellings
	x.places, x.shift, x.used = make([]uint32, 1), 64, 0
	for len(x.places) < places {
		x.places, x.shift = make([]uint32, 2*len(x.places)), x.shift-1
	}
	for i := range t.clients {
		if t.clients[i].spelled != (Spelling{}) {
			t.spell(uint32(i))
		}
	}
}

func (t *Table) spell(number uint32) {
	x := &t.spellings
	mask := uint64(len(x.places) - 1)
	i := x.place(t.clients[number].spelled)
	for x.places[i&mask] != 0 {
		i++
	}
	x.places[i&mask] = number + 1
	x.used++
}

// Recognize gives the numbers of clients by their spellings, plus one; 0 for one that is not known. It takes many at once, as the
// processor fetches the memory for all together.
func (t *Table) Recognize(list []Spelling, numbers []uint32) {
	x := &t.spellings
	if len(x.places) == 0 {
		clear(numbers)
		return
	}
	mask, sum := uint64(len(x.places)-1), uint32(0)
	for i, s := range list {
		n := x.places[x.place(s)&mask]
		numbers[i] = n
		sum += n
	}
	for i, s := range list {
		n := numbers[i]
		if n > 0 && t.clients[n-1].spelled == s {
			continue
		}
		numbers[i] = t.search(s)
	}
	t.touched = sum
}

// search is Recognize of one.
func (t *Table) search(s Spelling) uint32 {
	if s == (Spelling{}) {
		return 0
	}
	x := &t.spellings
	mask := uint64(len(x.places) - 1)
	for i := x.place(s); ; i++ {
		n := x.places[i&mask]
		if n == 0 || t.clients[n-1].spelled == s {
			return n
		}
	}
}
