package fleet

import (
	"math"
	"slices"
)

const (
	grain    int64 = 125_000_000 // ns of a bin at level 0
	pageBits       = 7
	pageBins       = 1 << pageBits
	maxPages       = 8192
	maxLevel       = 24 // bins of 24 days
)

// Counts is a histogram of instants. The zero value is empty and ready.
//
// Bins are an eighth of a second wide, aligned to 1970, and kept only where something happened, in pages of 128. When the
// instants need more than 8,192 pages (36 hours without a pause, or 4 MB), bins double in width until they fit. The width
// depends on the set of all instants alone, never on their order or on how they were split: a part of a set never needs
// wider bins than the whole.
type Counts struct {
	level uint8
	pages map[int64]*[pageBins]uint32
	near  *[nearPages]near // pages met of late, by the low bits of their numbers
	total uint64
}

// near is a page and its number. Histories are counted one after the other, and each goes through the whole log again: the page
// of the latest event is seldom that of the next, but nearly always one that was met before.
type near struct {
	page *[pageBins]uint32
	at   int64
}

const nearPages = 1024 // 4.5 hours of the narrowest bins

// Add counts n events at the instant t (ns since 1970).
func (c *Counts) Add(t int64, n uint32) {
	if n == 0 {
		return
	}
	bin := floorDiv(t, grain) >> c.level
	if c.put(bin, n) {
		c.fit()
	}
}

// Total is the number of events counted.
func (c *Counts) Total() uint64 { return c.total }

// Width is the present width of a bin in ns, at least 125 ms.
func (c *Counts) Width() int64 { return grain << c.level }

// Merge adds what o has counted; o is unchanged.
func (c *Counts) Merge(o *Counts) {
	c.coarsen(o.level)
	total := c.total + o.total // more than the bins hold, where one is full
	for _, number := range o.numbers() {
		for i, n := range o.pages[number] {
			if n > 0 {
				c.put((number<<pageBits+int64(i))>>(c.level-o.level), n)
			}
		}
		c.fit()
	}
	c.total = total
}

// Each calls f for every bin that is not empty, in order of time; from is the instant at which the bin begins.
func (c *Counts) Each(f func(from int64, n uint32)) {
	for _, number := range c.numbers() {
		for i, n := range c.pages[number] {
			if n > 0 {
				f((number<<pageBits+int64(i))*c.Width(), n)
			}
		}
	}
}

// Range gives the beginning of the first bin and the end of the last; both are 0 when nothing was counted.
func (c *Counts) Range() (from, to int64) {
	numbers := c.numbers()
	if len(numbers) == 0 {
		return 0, 0
	}
	first, last := numbers[0], numbers[len(numbers)-1]
	a, z := 0, pageBins-1
	for c.pages[first][a] == 0 {
		a++
	}
	for c.pages[last][z] == 0 {
		z--
	}
	return (first<<pageBits + int64(a)) * c.Width(), (last<<pageBits + int64(z) + 1) * c.Width()
}

// Series sums the events of [from, to) into bins of the given width in ns, which is raised to a multiple of Width and
// begins at from rounded down to Width. At most limit bins are made (the width is doubled until they fit).
func (c *Counts) Series(from, to, width int64, limit int) (start, bin int64, sums []uint64) {
	w := c.Width()
	start = floorDiv(from, w) * w
	bin = max(w, (width+w-1)/w*w)
	if to <= start || limit < 1 {
		return start, bin, nil
	}
	for (to-start+bin-1)/bin > int64(limit) {
		bin *= 2
	}
	sums = make([]uint64, (to-start+bin-1)/bin)
	c.between(start, to, func(at int64, n uint32) { sums[(at-start)/bin] += uint64(n) })
	return start, bin, sums
}

// Sum is the number of events in the bins that begin within [from, to).
func (c *Counts) Sum(from, to int64) uint64 {
	var s uint64
	c.between(from, to, func(_ int64, n uint32) { s += uint64(n) })
	return s
}

// between is Each over the bins that begin within [from, to).
func (c *Counts) between(from, to int64, f func(at int64, n uint32)) {
	w := c.Width()
	if to <= from || len(c.pages) == 0 {
		return
	}
	low, high := floorDiv(from+w-1, w)>>pageBits, floorDiv(to-1, w)>>pageBits
	if high-low < 64 { // a short stretch: look its pages up
		for number := low; number <= high; number++ {
			c.page(number, from, to, f)
		}
		return
	}
	for _, number := range c.numbers() {
		if number >= low && number <= high {
			c.page(number, from, to, f)
		}
	}
}

func (c *Counts) page(number, from, to int64, f func(at int64, n uint32)) {
	page := c.pages[number]
	if page == nil {
		return
	}
	w := c.Width()
	for i, n := range page {
		if at := (number<<pageBits + int64(i)) * w; n > 0 && at >= from && at < to {
			f(at, n)
		}
	}
}

func (c *Counts) numbers() []int64 {
	numbers := make([]int64, 0, len(c.pages))
	for number := range c.pages {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return numbers
}

// put reports that a page was added.
func (c *Counts) put(bin int64, n uint32) (grown bool) {
	number := bin >> pageBits
	if c.near == nil {
		c.near = new([nearPages]near)
	}
	x := &c.near[number&(nearPages-1)]
	if x.page == nil || x.at != number {
		x.page, x.at = c.pages[number], number
		if x.page == nil {
			if c.pages == nil {
				c.pages = make(map[int64]*[pageBins]uint32)
			}
			x.page, grown = new([pageBins]uint32), true
			c.pages[number] = x.page
		}
	}
	slot := &x.page[bin&(pageBins-1)]
	*slot = saturate(*slot, n)
	c.total += uint64(n)
	return grown
}

// saturate adds without wrapping; it is associative, so a bin at its limit is the same after any split.
func saturate(a, b uint32) uint32 {
	if s := uint64(a) + uint64(b); s < math.MaxUint32 {
		return uint32(s)
	}
	return math.MaxUint32
}

func (c *Counts) fit() {
	for len(c.pages) > maxPages && c.level < maxLevel {
		c.coarsen(c.level + 1)
	}
}

// coarsen widens the bins to a level; a level below the present one changes nothing.
func (c *Counts) coarsen(level uint8) {
	if level <= c.level {
		return
	}
	shift := level - c.level
	old, total := c.pages, c.total
	c.pages, c.near, c.level = nil, nil, level
	for number, page := range old {
		for i, n := range page {
			if n > 0 {
				c.put((number<<pageBits+int64(i))>>shift, n)
			}
		}
	}
	c.total = total
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
