//go:build !js && faults

package plugin

// provoke panics where the header x-stormlint-fault names the place: the test build's way to see that a fault of the
// filter does no harm. "tick" cannot be asked for by a header and is armed by one.
func provoke(place string, header func(string) (string, error)) {
	if place == "tick" {
		if armed {
			armed = false
			panic("provoked at tick")
		}
		return
	}
	if value, err := header("x-stormlint-fault"); err == nil {
		if value == "tick" {
			armed = true
		}
		if value == place {
			panic("provoked at " + place)
		}
	}
}

var armed bool
