//go:build !wasip1 && !js

package plugin

import "time"

var began = time.Now()

// monotonic is the process's clock that does not step, in ns.
func monotonic() int64 { return int64(time.Since(began)) }
