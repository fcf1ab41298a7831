package stamp

// Clock reads stamps one after the other and remembers the last one's minute: the lines of a log are in order, more or
// less, so that most stamps are the minute before and other seconds. Each method reads what the function of its name reads.
// The zero Clock is ready; it serves one reader and one layout, or reads the slower the more they change.
type Clock struct {
	text   [24]byte // the last stamp as far as its seconds
	n      int
	minute int64 // its instant, local
}

// CLF is the function CLF.
func (c *Clock) CLF(b []byte) (t Time, n int) { return c.read(b, 18, spacedZone) }

// ISO is the function ISO.
func (c *Clock) ISO(b []byte) (t Time, n int) { return c.read(b, 17, anyZone) }

// Short is the function Short.
func (c *Clock) Short(b []byte) (t Time, n int) { return c.read(b, 13, bareSeconds) }

// Any is the function Any.
func (c *Clock) Any(b []byte) (t Time, ok bool) {
	n := 0
	switch {
	case len(b) > 5 && (b[4] == '-' || b[4] == '/'):
		if t, n = c.ISO(b); n != len(b) {
			t, n = named(b, t, n)
		}
	case len(b) > 3 && b[2] == '/':
		t, n = c.CLF(b)
	case len(b) > 3 && b[1] == '.':
		t, n = float(b)
	case len(b) > 3 && b[3] == ',':
		t, n = mail(b)
	default:
		t, n = Epoch(b)
	}
	return t, n > 0 && n == len(b)
}

// read reads a stamp of the layout whose seconds stand at an offset that no other has.
func (c *Clock) read(b []byte, seconds int, may zoning) (t Time, n int) {
	if len(b) >= seconds+2 && c.n == seconds && word(b, 0) == word(c.text[:], 0) && word(b, seconds-8) == word(c.text[:], seconds-8) &&
		(seconds <= 16 || word(b, 8) == word(c.text[:], 8)) {
		return rest(b, seconds, c.minute, may)
	}
	var local int64
	var ok bool
	switch seconds {
	case 18:
		local, ok = clfMinute(b)
	case 17:
		local, ok = isoMinute(b)
	default:
		local, ok = shortMinute(b)
	}
	if !ok {
		return t, 0
	}
	c.n, c.minute = seconds, local
	copy(c.text[:], b[:seconds])
	return rest(b, seconds, local, may)
}

// word is eight bytes, in one load.
func word(b []byte, i int) uint64 {
	p := b[i : i+8 : i+8]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 | uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}
