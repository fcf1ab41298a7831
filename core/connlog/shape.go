package connlog

import (
	"bytes"
	"strings"

	"github.com/stormlint/stormlint/core/address"
)

// appendOutline appends a text line's outline: what Mask leaves of it, with every word taken out that is no figure, no address and
// not one of the words that logs are made of. After the name of a secret or a person no figure stays either.
func appendOutline(dst, record []byte) []byte {
	text := Mask(nil, record)
	named := false
	for i := 0; i < len(text); {
		c := text[i]
		if !wordByte(c) && !(c == ':' && i+1 < len(text) && text[i+1] == ':') {
			dst = append(dst, c)
			i++
			continue
		}
		end := i
		for end < len(text) && (wordByte(text[end]) || text[end] == ':') {
			end++
		}
		if run := bytes.TrimRight(text[i:end], ".:"); addressLike(run) {
			dst = append(dst, run...)
			i += len(run)
			continue
		}
		end = i
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		if end == i { // colons of no address
			dst = append(dst, c)
			i++
			continue
		}
		word := text[i:end]
		bare := bytes.Trim(word, ".-+~_")
		switch {
		case len(bare) == 0, vocabulary(bare), !named && figure(bare):
			dst = append(dst, word...)
		default:
			dst = append(dst, masked...)
		}
		named = named || telling(bare) != open
		i = end
	}
	return dst
}

// addressLike reports whether a run of word bytes and colons is an address, with a port perhaps.
func addressLike(run []byte) bool {
	if bytes.IndexByte(run, ':') < 0 && bytes.Count(run, []byte{'.'}) != 3 {
		return false
	}
	if bytes.IndexByte(run, ':') >= 0 && bytes.IndexByte(run, '.') < 0 && bytes.Count(run, []byte{':'}) < 2 {
		return false
	}
	p, ok := address.ParsePeer(run, address.PortMaybe)
	return ok && p.Addr != address.Addr{} && bytes.ContainsAny(run, "0123456789")
}

// figure reports whether a word is a number, a part of a stamp, or a number with a unit.
func figure(word []byte) bool {
	if len(word) > 30 || word[0]-'0' > 9 {
		return false
	}
	digits, at := 0, 0 // digits in a row
	for at < len(word) {
		switch c := word[at]; {
		case c-'0' <= 9:
			if digits++; digits > 19 {
				return false
			}
		case c == '.' || c == '-' || c == '+':
			digits = 0
		case c == 'T' && at == 10 && word[4] == '-' && at+1 < len(word):
			digits = 0
		default:
			switch string(word[at:]) {
			case "Z", "s", "ms", "us", "ns", "m", "h", "d", "b", "B", "kB", "KB", "MB":
				return true
			}
			return false
		}
		at++
	}
	return true
}

// vocabulary reports whether a word is one that logs are made of, in any case.
func vocabulary(word []byte) bool {
	if len(word) > 20 {
		return false
	}
	return strings.Contains(words, " "+strings.ToLower(string(word))+" ")
}

// The methods, protocols, names of fields, status words and constant words of the logs that are read, and the months and days.
const words = ` get post put delete head options patch connect trace http https ws wss tcp tls ssl udp h2 h2c h3 websocket websockets upgrade` +
	` jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun utc gmt am pm` +
	` trace debug info notice warn warning error err crit critical alert emerg fatal panic stdout stderr log logger level msg message` +
	` inf wrn dbg ftl` +
	` connected connecting connection connections disconnect disconnected disconnecting reconnect reconnecting retry retrying open opened opening close closed closing` +
	` accept accepted reject rejected refuse refused reset timeout timed out aborted abort failed failure fail success ok denied forbidden unauthorized switching` +
	` protocols bad gateway service unavailable too many requests limit limiting exceeded handshake ping pong heartbeat keepalive subscribe unsubscribe normal` +
	` going away transport polling session sessions socket sockets client clients server upstream downstream backend frontend proxy peer broker worker listener` +
	` request response header headers body bytes size duration elapsed latency attempt status code reason cause event type kind action host hostname port addr address` +
	` remote local ip src dst from to by on at in of for with without while after before during due not no and or is was has been the a an as via` +
	` reading writing sending receiving received sent read write started stopped starting stopping shutdown lost expired invalid unknown missing unexpected` +
	` new old terminated ended end start broken pipe eof` +
	` user username login pass password passwd pwd passphrase token secret key apikey api_key api-key x-api-key authorization bearer basic digest cookie set-cookie auth sid` +
	` path uri url method proto protocol version id pid uid time date timestamp ts rt urt uct uht ua referer referrer user_agent user-agent` +
	` nginx apache haproxy envoy caddy traefik mosquitto nats centrifugo uvicorn gunicorn hypercorn daphne emqx rabbitmq socketio ` + " "
