//go:build !js && faults

package plugin

import "github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"

// provoke panics where the header x-stormlint-fault names the place: the test build's way to see that a fault of the
// filter does no harm. "tick" has no request and is armed by one; "crash" is what nobody can recover.
func provoke(place string) {
	if place == "tick" {
		if armed {
			armed = false
			panic("provoked at tick")
		}
		return
	}
	value, err := proxywasm.GetHttpRequestHeader("x-stormlint-fault")
	switch {
	case err != nil:
	case value == "crash":
		select {} // the runtime sees that nobody can wake it, and traps
	case value == "tick":
		armed = true
	case value == place:
		panic("provoked at " + place)
	}
}

var armed bool
