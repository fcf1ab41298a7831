//go:build !js && !faults

package plugin

// provoke does nothing: faults on demand are for the test build alone (-tags faults).
func provoke(string) {}
