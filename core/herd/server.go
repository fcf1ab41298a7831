package herd

import "math"

// server is a fluid queue before one worker: all that is known of it is the instant at which the work it has taken on
// will be done (Lindley 1952). Work is in grains, about a nanosecond.
type server struct {
	free     int64 // all work is done at this grain
	at       int64 // the present, a grain
	plain    int64 // a handshake when every node is up
	base     int64 // a handshake with the nodes that are up now
	unit     int64 // the same with the growth of a filling house
	refusal  int64 // a refusal
	turn     int64 // turning one away at the door
	reject   float64
	door     float64
	limit    int64 // the backlog, in grains of plain handshakes
	backlog  int64
	departed []int64 // when the server is through with clients that left, in order from head
	head     int

	useful, idle, refusing, wasted int64 // work done or taken on, in grains
	done                           int64 // handshakes served to clients that had left
}

func newServer(s Server, door float64) server {
	unit := int64(math.Round(1000 * perMs / s.Capacity))
	v := server{plain: unit, backlog: int64(s.Backlog), reject: s.RejectCost, door: door}
	v.set(unit)
	return v
}

func (v *server) set(base int64) {
	v.base, v.unit = base, base
	v.limit = v.backlog * base
	v.refusal = int64(math.Round(float64(base) * v.reject))
	v.turn = int64(math.Round(float64(base) * v.door))
}

// grow makes a handshake dearer by a number of plain ones.
func (v *server) grow(more float64) {
	v.unit = v.base + int64(math.Round(float64(v.base)*more))
	v.limit = v.backlog * v.unit
}

// share is the capacity of the nodes that are up.
func (v *server) share(up, nodes int) {
	v.set(v.plain * int64(nodes) / int64(max(up, 1)))
}

// now moves the present to a millisecond.
func (v *server) now(ms int64) {
	v.at = ms * perMs
	if v.free < v.at {
		v.idle += v.at - v.free
		v.free = v.at
	}
}

// room is how many handshakes the backlog still holds, the one in work included.
func (v *server) room() int64 {
	left := v.limit - (v.free - v.at)
	if left < v.unit {
		return 0
	}
	return left / v.unit
}

// admit takes on one handshake; free is then the instant of its answer.
func (v *server) admit() {
	v.free += v.unit
	v.useful += v.unit
}

// depart marks the latest handshake as one whose client will not be there.
func (v *server) depart() {
	v.useful -= v.unit
	v.wasted += v.unit
	v.done++
	v.departed = append(v.departed, v.free)
}

// departedOpen is how many sockets of departed clients the server still holds.
func (v *server) departedOpen() int64 {
	for v.head < len(v.departed) && v.departed[v.head] <= v.at {
		v.head++
	}
	if v.head > 4096 && v.head*2 > len(v.departed) {
		v.departed = v.departed[:copy(v.departed, v.departed[v.head:])]
		v.head = 0
	}
	return int64(len(v.departed) - v.head)
}

// work takes on n pieces of work that are no handshakes.
func (v *server) work(n, each int64) {
	v.free += n * each
	v.refusing += n * each
}
