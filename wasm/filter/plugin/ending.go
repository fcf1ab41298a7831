//go:build !js

package plugin

import (
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/connlog"
)

// ending asks the host who ended a session. Only Envoy tells; elsewhere nobody knows.
//
// When Envoy has to close a client's HTTP/1.1 connection it waits for delayed_close_timeout, 1 s by default: a client
// without a close frame learns of the end that much later.
func ending(h2 bool) (by connlog.Party, late int64, cause string) {
	text := property("response\x00code_details")
	if text == "" {
		return connlog.PartyUnknown, 0, ""
	}
	cause, _, _ = strings.Cut(text, "{")
	switch {
	case strings.HasPrefix(cause, "downstream_remote"), strings.HasPrefix(cause, "http2.remote_reset"):
		return connlog.ByClient, 0, cause
	case strings.HasPrefix(cause, "downstream_local"):
		return connlog.ByProxy, 0, cause
	case strings.HasPrefix(cause, "stream_idle_timeout"), strings.HasPrefix(cause, "max_duration"), strings.HasPrefix(cause, "upstream_max_stream_duration"):
		by = connlog.ByProxyTimeout
	case strings.HasPrefix(cause, "upstream"), cause == "via_upstream":
		by = connlog.ByServer
	}
	if !h2 && by != connlog.PartyUnknown {
		late = int64(time.Second)
	}
	return by, late, cause
}
