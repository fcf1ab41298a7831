//go:build !js && faults

package plugin

import "strings"

// provoked panics where the header x-stormlint-fault names the place: the test build's way to see that a fault of the
// filter does no harm. The header is read with the request, because Envoy gives it to no later callback but the last.
// "tick" has no request and is armed by one; "crash" is what nobody can recover.
type provoked struct{ place string }

func (p *provoked) at(place string) {
	if place == "request" {
		place, _ := requestHeader("x-stormlint-fault")
		p.place = strings.Clone(place)
	}
	switch p.place {
	case "crash":
		select {} // the runtime sees that nobody can wake it, and traps
	case "tick":
		armed = true
	case place:
		panic("provoked at " + place)
	}
}

var armed bool

func provokeTick() {
	if armed {
		armed = false
		panic("provoked at tick")
	}
}
