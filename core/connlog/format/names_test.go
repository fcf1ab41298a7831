package format

import (
	"strings"
	"testing"
)

// The names that people, standards and servers give the fields, by role; any case, and _ for dots, dashes and blanks.
func TestNames(t *testing.T) {
	n := jsonNames().ready()
	for _, c := range []struct {
		role  role
		names string
	}{
		{asTime, "timestamp @timestamp time ts t datetime date time_iso8601 time_local msec eventTime event_time logged_at created_at requestTimeEpoch timeUnixNano @t __REALTIME_TIMESTAMP"},
		{asStart, "start_time startTime StartUTC StartLocal event.start EdgeStartTimestamp request_creation_time connectedAt connected_at"},
		{asEnd, "event.end EdgeEndTimestamp"},
		{asClient, "client_ip clientip clientIp ClientIP ClientHost client.address client.ip source.ip source.address remote_ip remote_addr remoteAddr remote_address remoteAddress remoteIp network.peer.address net.peer.ip net.sock.peer.addr ip ip_address sourceIp src_ip peer peername addr c-ip"},
		{asForwarded, "x_forwarded_for http_x_forwarded_for request_X-Forwarded-For xff forwarded_for network.forwarded_ip x-real-ip http_x_real_ip cf-connecting-ip true-client-ip"},
		{asEvent, "event_type eventType event event.action event.name action type routeKey"},
		{asMessage, "msg message"},
		{asDuration, "request_time duration event.duration durationMs duration_ms elapsed ElapsedMilliseconds responseTime latency time_taken time-taken took session_duration http.server.request.duration"},
		{asInterval, "retry_interval_ms retry_interval retryIntervalMs backoff_ms delay_ms"},
		{asStatus, "status status_code statusCode http_status response_code DownstreamStatus elb_status_code sc-status EdgeResponseStatus http.response.status_code http.status_code res.statusCode"},
		{asCode, "close_code closeCode code ws_close_code disconnectStatusCode"},
		{asCause, "reason disconnect_reason disconnectReason event.reason error.type ConnectionCloseReason"},
		{asOutcome, "event.outcome result outcome"},
		{asAgent, "user_agent userAgent http_user_agent user_agent.original http.user_agent request_User-Agent agent ua cs(User-Agent) ClientRequestUserAgent"},
		{asConn, "connection_id connectionId conn_id socket_id sid session_id client_id clientid ConnectionID"},
		{asID, "request_id"},
	} {
		for _, path := range strings.Fields(c.names) {
			if m := n.find([]byte(path)); m == nil || m.role != c.role {
				t.Errorf("%s is not known as role %d: %+v", path, c.role, m)
			}
			if head, rest, dotted := strings.Cut(path, "."); dotted {
				m := n.find([]byte(head))
				for m != nil && m.kids != nil {
					key, more, again := strings.Cut(rest, ".")
					m = m.kids.find([]byte(key))
					if !again {
						break
					}
					rest = more
				}
				if m == nil || m.role != c.role {
					t.Errorf("%s, nested, is not known as role %d", path, c.role)
				}
			}
		}
	}
}
