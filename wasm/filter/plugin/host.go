//go:build !js

package plugin

import (
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm"
	"github.com/proxy-wasm/proxy-wasm-go-sdk/proxywasm/types"

	"github.com/stormlint/stormlint/wasm/filter/door"
)

// hostData is the host's shared data.
type hostData struct{}

var _ door.Shared = hostData{}

// Get asks the host for a value.
func (hostData) Get(key string) ([]byte, uint32, door.Status) {
	value, cas, err := proxywasm.GetSharedData(key)
	switch err {
	case nil:
		if value == nil {
			value = []byte{} // it is there, and empty
		}
		return value, cas, door.OK
	case types.ErrorStatusNotFound:
		return nil, 0, door.Absent
	}
	return nil, 0, door.Failed
}

// Set gives the host a value.
func (hostData) Set(key string, value []byte, cas uint32) door.Status {
	switch proxywasm.SetSharedData(key, value, cas) {
	case nil:
		return door.OK
	case types.ErrorStatusCasMismatch:
		return door.Mismatch
	}
	return door.Failed
}
