//go:build !js

package plugin

import "github.com/stormlint/stormlint/wasm/filter/door"

// The ABI's statuses that are not failures.
const (
	notFound = 1
	mismatch = 8
)

// The levels of the host's log.
const (
	info     = 2
	warn     = 3
	failure  = 4
	critical = 5
)

// hostData is the host's shared data.
type hostData struct{}

var _ door.Shared = hostData{}

// Get asks the host for a value.
func (hostData) Get(key []byte) ([]byte, uint32, door.Status) {
	value, cas, status := getShared(key)
	switch status {
	case 0:
		if value == nil {
			value = []byte{} // it is there, and empty
		}
		return value, cas, door.OK
	case notFound:
		return nil, 0, door.Absent
	}
	return nil, 0, door.Failed
}

// Set gives the host a value.
func (hostData) Set(key, value []byte, cas uint32) door.Status {
	switch setShared(key, value, cas) {
	case 0:
		return door.OK
	case mismatch:
		return door.Mismatch
	}
	return door.Failed
}
