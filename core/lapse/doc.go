// Package lapse is the duration of the core: time.Duration and its constants, without the weight of package time.
//
// Importing time links clocks, time zones, the environment and file access, whether they are called or not: 60 KB of the
// compressed module, a twelfth of it. The core needs the type alone. So here Duration is time.Duration itself in every ordinary
// build, for callers and tests nothing changes, and an integer of nanoseconds of our own under the build tag
// stormlint_module, with which build.sh makes the WebAssembly modules. Both print alike.
package lapse

// plain is a number of nanoseconds.
type plain int64

// String writes a duration as time.Duration does: "1h2m3s", "1.5s", "250ms", "2µs", "0s".
func (d plain) String() string {
	if d == 0 {
		return "0s"
	}
	var room [32]byte
	at := len(room)
	u := uint64(d)
	if d < 0 {
		u = -u
	}
	put := func(c byte) { at--; room[at] = c }
	// digits writes u with its last n digits as a fraction without trailing zeros, and leaves what is above them.
	fraction := func(n int) {
		seen := false
		for range n {
			digit := byte(u % 10)
			seen = seen || digit != 0
			if seen {
				put('0' + digit)
			}
			u /= 10
		}
		if seen {
			put('.')
		}
	}
	whole := func(n uint64) {
		for put('0' + byte(n%10)); n >= 10; put('0' + byte(n%10)) {
			n /= 10
		}
	}
	put('s')
	switch {
	case u < 1e3:
		put('n')
		whole(u)
	case u < 1e6:
		at -= len("µ")
		copy(room[at:], "µ")
		fraction(3)
		whole(u)
	case u < 1e9:
		put('m')
		fraction(6)
		whole(u)
	default:
		fraction(9)
		whole(u % 60)
		if u /= 60; u > 0 {
			put('m')
			whole(u % 60)
			if u /= 60; u > 0 {
				put('h')
				whole(u)
			}
		}
	}
	if d < 0 {
		put('-')
	}
	return string(room[at:])
}

// Seconds is the duration in seconds.
func (d plain) Seconds() float64 {
	whole, rest := d/1e9, d%1e9
	return float64(whole) + float64(rest)/1e9
}
