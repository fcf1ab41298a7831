//go:build !js && !faults

package plugin

// provoked does nothing: faults on demand are for the test build alone (-tags faults).
type provoked struct{}

func (provoked) at(string) {}

func provokeTick() {}
