package format

import (
	"bytes"

	"github.com/stormlint/stormlint/core/connlog"
)

// happening is what a record's words say.
type happening uint8

const (
	untoldEvent happening = iota // no word
	opened
	closed
	retried
	another // some other event: a message, a ping, a subscription
)

// events are the words for an event in a field of its own, as applications and standards write them.
var events = map[string]happening{
	"connect": opened, "connected": opened, "connection": opened, "open": opened, "opened": opened, "accepted": opened, "accept": opened,
	"handshake": opened, "join": opened, "joined": opened, "$connect": opened, "client.connected": opened, "ws_open": opened, "ws.open": opened,
	"ws_connect": opened, "websocket.connect": opened, "socket.connect": opened, "session.start": opened, "client_connected": opened, "connection_opened": opened,
	"disconnect": closed, "disconnected": closed, "close": closed, "closed": closed, "leave": closed, "left": closed, "$disconnect": closed,
	"client.disconnected": closed, "ws_close": closed, "ws.close": closed, "ws_disconnect": closed, "websocket.disconnect": closed, "websocket.close": closed,
	"socket.disconnect": closed, "session.end": closed, "client_disconnected": closed, "connection_closed": closed,
	"retry": retried, "reconnect": retried, "reconnecting": retried, "connect_error": retried, "connect_failed": retried, "backoff": retried,
	"reconnect_attempt": retried, "client.reconnect": retried,
}

// event finds the record's word for what happened.
func (f JSON) event(d *document) happening {
	var buf [64]byte
	if d.has(asEvent) {
		w := d.text(asEvent, buf[:])
		var low [64]byte
		if len(w) <= len(low) {
			w = low[:copy(low[:], w)]
			for i, c := range w {
				if c >= 'A' && c <= 'Z' {
					w[i] = c + 'a' - 'A'
				}
			}
			if h, ok := events[string(w)]; ok {
				return h
			}
		}
		if !d.has(asStatus) || !d.has(asURL) && !d.has(asRequest) {
			if h := f.message(d); h != untoldEvent {
				return h
			}
			return another
		}
	}
	return f.message(d)
}

// message looks for words in a sentence, if the record names somebody beside.
func (f JSON) message(d *document) happening {
	if !d.has(asMessage) || !d.has(asClient) && !d.has(asConn) && !d.has(asCode) {
		return untoldEvent
	}
	var buf [128]byte
	msg := d.text(asMessage, buf[:])
	if len(msg) > 80 {
		return untoldEvent
	}
	found := untoldEvent
	socket := d.has(asCode)
	for len(msg) > 0 {
		n := 0
		for n < len(msg) && (msg[n]|0x20 >= 'a' && msg[n]|0x20 <= 'z') {
			n++
		}
		switch w := msg[:n]; {
		case n == 0:
			n = 1
		case fold(w, "websocket"), fold(w, "ws"), fold(w, "socket"), fold(w, "client"), fold(w, "connection"), fold(w, "session"), fold(w, "peer"):
			socket = true
		case fold(w, "reconnecting"), fold(w, "reconnect"), fold(w, "retrying"), fold(w, "retry"):
			found = retried
		case fold(w, "disconnected"), fold(w, "disconnect"), fold(w, "closed"), fold(w, "close"):
			if found == untoldEvent {
				found = closed
			}
		case fold(w, "connected"), fold(w, "connect"), fold(w, "open"), fold(w, "opened"), fold(w, "accepted"), fold(w, "established"):
			if found == untoldEvent {
				found = opened
			}
		}
		msg = msg[n:]
	}
	if !socket {
		return untoldEvent
	}
	return found
}

func fold(a []byte, b string) bool { return len(a) == len(b) && bytes.EqualFold(a, []byte(b)) }

// blame reads socket.io's and others' reasons for an end.
func blame(cause []byte) connlog.Party {
	switch string(cause) {
	case "transport close", "transport error", "client namespace disconnect", "client disconnect", "client_closed", "peerReset", "normal", "tcp_closed":
		return connlog.ByClient
	case "server namespace disconnect", "server shutting down", "forced close", "forced server close", "server_closed", "kicked":
		return connlog.ByServer
	case "ping timeout", "idle timeout", "keepalive timeout", "keepalive_timeout", "timeout":
		return connlog.ByProxyTimeout
	case "discarded", "takenover", "taken over", "replaced":
		return connlog.ByTakeover
	}
	return connlog.PartyUnknown
}
