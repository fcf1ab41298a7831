package storm

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"net/url"

	"github.com/gobwas/ws"

	"github.com/stormlint/stormlint/core/stat"
)

// request is a client's handshake, built once; only the key differs from one to the next.
type request struct {
	text []byte
	at   int // where the key stands
}

const keyLength = 24 // 16 bytes in base64

func newRequest(target *url.URL) *request {
	r := &request{text: []byte("GET " + target.RequestURI() + " HTTP/1.1\r\nHost: " + target.Host +
		"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nUser-Agent: stormlint-storm\r\nSec-WebSocket-Key: ")}
	r.at = len(r.text)
	r.text = append(append(r.text, make([]byte, keyLength)...), "\r\n\r\n"...)
	return r
}

// draw puts a key of its own into the text, from numbers that do not repeat, and returns the text, which is good until the next
// draw, and the key.
func (r *request) draw(seed, client, attempt uint64) (text []byte, key [keyLength]byte) {
	var nonce [16]byte
	binary.LittleEndian.PutUint64(nonce[:], stat.Draw(seed, client, attempt))
	binary.LittleEndian.PutUint64(nonce[8:], stat.Draw(^seed, client, attempt))
	base64.StdEncoding.Encode(key[:], nonce[:])
	copy(r.text[r.at:], key[:])
	return r.text, key
}

// accepts is what Sec-WebSocket-Accept has to be for a key (RFC 6455, 4.2.2).
func accepts(key [keyLength]byte) (accept [28]byte) {
	var text [keyLength + 36]byte
	copy(text[:], key[:])
	copy(text[keyLength:], "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
	sum := sha1.Sum(text[:])
	base64.StdEncoding.Encode(accept[:], sum[:])
	return accept
}

// longestAnswer is how long the answer to a handshake may be; who answers more answers something else.
const longestAnswer = 16 << 10

// readAnswer reads the answer to a handshake from the beginning of b: how long it is, 0 if it is not whole yet, or why there is no
// session. A status other than 101 is enough, whatever follows.
func readAnswer(b []byte, key [keyLength]byte) (n int, err error) {
	const version = "HTTP/1."
	if k := min(len(b), len(version)); string(b[:k]) != version[:k] {
		return 0, ws.ErrMalformedResponse
	}
	line, rest, ok := cutLine(b)
	if !ok {
		return 0, tooLong(b)
	}
	if len(line) < 12 || line[8] != ' ' || (len(line) > 12 && line[12] != ' ') {
		return 0, ws.ErrMalformedResponse
	}
	status := 0
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return 0, ws.ErrMalformedResponse
		}
		status = 10*status + int(c-'0')
	}
	if status != 101 {
		return 0, statusError(status)
	}
	var upgrade, connection, accept bool
	for {
		if line, rest, ok = cutLine(rest); !ok {
			return 0, tooLong(b)
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Upgrade")):
			upgrade = bytes.EqualFold(value, []byte("websocket"))
		case bytes.EqualFold(name, []byte("Connection")):
			for word := range bytes.SplitSeq(value, []byte(",")) {
				connection = connection || bytes.EqualFold(bytes.TrimSpace(word), []byte("upgrade"))
			}
		case bytes.EqualFold(name, []byte("Sec-WebSocket-Accept")):
			want := accepts(key)
			if accept = bytes.Equal(value, want[:]); !accept {
				return 0, ws.ErrHandshakeBadSecAccept
			}
		}
	}
	switch {
	case !upgrade:
		return 0, ws.ErrHandshakeBadUpgrade
	case !connection:
		return 0, ws.ErrHandshakeBadConnection
	case !accept:
		return 0, ws.ErrHandshakeBadSecAccept
	}
	return len(b) - len(rest), nil
}

func tooLong(b []byte) error {
	if len(b) > longestAnswer {
		return ws.ErrMalformedResponse
	}
	return nil
}

// cutLine cuts the first line off, without its end.
func cutLine(b []byte) (line, rest []byte, ok bool) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return nil, b, false
	}
	return bytes.TrimSuffix(b[:i], []byte("\r")), b[i+1:], true
}

// frames cuts what a server sends into frames. Of one that is not whole it keeps the beginning, or how much is to be skipped.
type frames struct {
	rest []byte
	skip int64
}

// longestControl is the payload that a close, ping or pong may have.
const longestControl = 125

// read gives the frames in b to on: control frames with their payload, others without. It ends when on says so, or at something
// that no server may send.
func (f *frames) read(b []byte, on func(op ws.OpCode, payload []byte) bool) bool {
	if len(f.rest) > 0 {
		b = append(f.rest, b...)
		f.rest = nil
	}
	for len(b) > 0 {
		if f.skip > 0 {
			n := min(f.skip, int64(len(b)))
			f.skip -= n
			b = b[n:]
			continue
		}
		head, length := 2, int64(0)
		if len(b) >= 2 {
			length = int64(b[1] & 0x7f)
			if b[1]&0x80 != 0 {
				head += 4
			}
			switch length {
			case 126:
				head += 2
			case 127:
				head += 8
			}
		}
		if len(b) < head {
			break
		}
		switch length {
		case 126:
			length = int64(binary.BigEndian.Uint16(b[2:]))
		case 127:
			length = int64(binary.BigEndian.Uint64(b[2:]))
		}
		op := ws.OpCode(b[0] & 0x0f)
		if length < 0 || op.IsControl() && length > longestControl {
			return false
		}
		if !op.IsControl() {
			f.skip = length
			b = b[head:]
			if !on(op, nil) {
				return false
			}
			continue
		}
		if int64(len(b)) < int64(head)+length {
			break
		}
		payload := append([]byte(nil), b[head:head+int(length)]...)
		if b[1]&0x80 != 0 {
			ws.Cipher(payload, [4]byte(b[head-4:head]), 0)
		}
		b = b[head+int(length):]
		if !on(op, payload) {
			return false
		}
	}
	if len(b) > 0 {
		f.rest = append([]byte(nil), b...)
	}
	return true
}
