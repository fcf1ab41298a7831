package jitter

import "github.com/stormlint/stormlint/core/lapse"

// IsGroup says that waits of one key are those of several clients: after a long wait come short ones, again and again,
// because it was another client's turn. Measured on seeded runs, it finds groups of three clients without jitter behind
// one address in more than 99 of 100 cases, and takes one client for a group in fewer than 1 of 1,000; groups of two and
// groups with jitter are often missed, so a verdict on an address stays a verdict on an address.
func IsGroup(delays []Delay, o Options) bool {
	short, long := 150*lapse.Millisecond, 500*lapse.Millisecond
	if o.Resolution >= 500*lapse.Millisecond { // stamps hide short waits: only equal stamps are short
		short, long = 1, 2*o.Resolution
	}
	after, seen := 0, false
	for _, d := range delays {
		if d.Attempt == 1 {
			seen = false
		}
		switch {
		case d.Wait > long:
			seen = true
		case d.Wait < short && seen:
			after++
		}
	}
	return after*10 >= len(delays)*3
}
