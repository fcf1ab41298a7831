package herd

// An event is one arrival of one client at the server, and all of the client's state travels in its word:
//
//	bits 59–63  its millisecond in the block of 32 ms
//	bits 49–58  the 1/1024 ms inside that: words sort in order of arrival, ties by the fields below
//	bits 35–48  attempt, from 1; beyond 16,383 it runs through 8,192–16,383 again, where nearly every policy is long flat
//	bits 33–34  how often the kernel has sent its SYN again (1, 3, 7 s after the first)
//	bits 31–32  attempts in this episode that timed out, at most 3: no policy counts further
//	bits 25–30  which of the 64 round trip times this attempt has
//	bits 22–24  group
//	bits  0–21  client
//
// A tick is 1/1024 ms, a grain 1/1024 tick (about a nanosecond): clients live in ticks, the server's work in grains, and
// millisecond and remainder are a shift and a mask.
const (
	tickBits    = 10
	grainBits   = 10
	subShift    = 49
	subMask     = 1<<tickBits - 1
	tryShift    = 35
	tryMask     = 1<<14 - 1
	synShift    = 33
	synMask     = 3
	lateShift   = 31
	lateMask    = 3
	tripShift   = 25
	tripMask    = 63
	groupShift  = 22
	groupMask   = 7
	clientMask  = 1<<22 - 1
	maxGroups   = groupMask + 1
	maxClients  = 4_000_000
	ticksPerSec = 1000 << tickBits
	perMs       = 1 << (tickBits + grainBits) // grains
)

// synAgain is when the kernel's SYN arrives after the first, in ticks: a lost SYN is sent again after 1, 2 and 4 s.
var synAgain = [...]int64{0, 1 * ticksPerSec, 3 * ticksPerSec, 7 * ticksPerSec}

// nextTry is the attempt after this one.
func nextTry(attempt uint64) uint64 {
	if attempt == tryMask {
		return 1 << 13
	}
	return attempt + 1
}
