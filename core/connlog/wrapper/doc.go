// Package wrapper peels what container runtimes, init systems and collectors put around a log's lines.
//
// A line of nginx that reaches us from a cluster has passed two or three hands, and each wrote its own envelope:
//
//	docker      {"log":"192.0.2.10 - - […]\n","stream":"stdout","time":"2026-11-30T16:46:06.869412345Z"}
//	cri         2026-11-30T16:46:06.869412345Z stdout F 192.0.2.10 - - […]
//	compose     nginx-1  | 192.0.2.10 - - […]
//	journald    {"MESSAGE":"192.0.2.10 - - […]","__REALTIME_TIMESTAMP":"1796057166869412",…}
//	envoy-wasm  [2026-11-30 16:46:06.869][25][info][wasm] […] wasm log stormlint: {"timestamp":…}
//	syslog      Nov 30 16:46:06 gw-1 nginx: 192.0.2.10 - - […]
//
// Each wrapper has a file. A wrapper's time is when the line was WRITTEN: a better stamp for an end of whole seconds, and
// the only one where the line has none, never a start. What a wrapper says beside (host, pod, labels) is not kept.
//
// A text layer counts as one only if what is inside looks like the beginning of a log line; else a date in front of an
// application's own line would be taken off it.
package wrapper

import "github.com/stormlint/stormlint/core/connlog"

// All gives every wrapper, the narrower before the wider.
func All() []connlog.Wrapper {
	return []connlog.Wrapper{
		Docker, CRI{}, Compose{}, Kubectl{}, Journald, FluentBit, OTLP{}, Loki{}, LokiLine, CloudWatch{}, CloudWatchLine, Splunk, SplunkResult, GCP, Filebeat,
		EnvoyWasm{}, Syslog{}, Repeated{}, Stamped{}, Colour{},
	}
}
