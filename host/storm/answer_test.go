package storm

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

var testKey = [keyLength]byte([]byte("dGhlIHNhbXBsZSBub25jZQ==")) // RFC 6455, 1.3

const testAnswer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		err  error
	}{
		{testAnswer, len(testAnswer), nil},
		{testAnswer + "\x81\x01x", len(testAnswer), nil},
		{strings.ReplaceAll(testAnswer, "\r\n", "\n"), len(testAnswer) - 5, nil},
		{strings.NewReplacer("Upgrade: websocket", "uPGRADE:\tWebSocket", "Connection: Upgrade", "connection: keep-alive, upgrade").Replace(testAnswer), len(testAnswer) + 12, nil},
		{testAnswer[:20], 0, nil},
		{testAnswer[:len(testAnswer)-2], 0, nil},
		{"", 0, nil},
		{"HTT", 0, nil},
		{"SSH-2.0", 0, ws.ErrMalformedResponse},
		{"HTTP/1.1 abc\r\n", 0, ws.ErrMalformedResponse},
		{"HTTP/1.1\r\n", 0, ws.ErrMalformedResponse},
		{"HTTP/1.1 503 Service Unavailable\r\n", 0, statusError(503)},
		{"HTTP/1.0 200\r\n", 0, statusError(200)},
		{strings.Replace(testAnswer, "s3p", "S3p", 1), 0, ws.ErrHandshakeBadSecAccept},
		{strings.Replace(testAnswer, "Sec-WebSocket-Accept", "Sec-WebSocket-Extra", 1), 0, ws.ErrHandshakeBadSecAccept},
		{strings.Replace(testAnswer, "Upgrade: websocket", "Upgrade: h2c", 1), 0, ws.ErrHandshakeBadUpgrade},
		{strings.Replace(testAnswer, "Connection: Upgrade", "Connection: close", 1), 0, ws.ErrHandshakeBadConnection},
		{"HTTP/1.1 101 Switching Protocols\r\nX: " + strings.Repeat("x", longestAnswer), 0, ws.ErrMalformedResponse},
	} {
		if n, err := readAnswer([]byte(c.text), testKey); n != c.n || !errors.Is(err, c.err) {
			t.Errorf("%.60q: %d %v, want %d %v", c.text, n, err, c.n, c.err)
		}
	}
}

// The request is one that a server accepts, and its key is new each time.
func TestRequest(t *testing.T) {
	target, _ := url.Parse("ws://127.0.0.1:9080/a/b?c=d")
	r := newRequest(target)
	seen := map[[keyLength]byte]bool{}
	for attempt := range uint64(100) {
		text, key := r.draw(1, 2, attempt)
		m := &memory{Reader: bytes.NewReader(text)}
		if _, err := ws.Upgrade(m); err != nil {
			t.Fatal(err)
		}
		if n, err := readAnswer(m.out, key); n != len(m.out) || err != nil || seen[key] {
			t.Fatalf("%d %v %s", n, err, m.out)
		}
		seen[key] = true
	}
}

type memory struct {
	*bytes.Reader
	out []byte
}

func (m *memory) Write(b []byte) (int, error) {
	m.out = append(m.out, b...)
	return len(b), nil
}

// pieces reads frames that come in pieces that end at the given places.
func pieces(b []byte, at ...int) (got []string, goes bool) {
	var f frames
	goes = true
	last := 0
	for _, end := range append(at, len(b)) {
		if end < last || end > len(b) || !goes {
			continue
		}
		goes = f.read(b[last:end], func(op ws.OpCode, payload []byte) bool {
			got = append(got, string(rune('0'+op))+string(payload))
			return op != ws.OpClose
		})
		last = end
	}
	return got, goes
}

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	for _, f := range []ws.Frame{ws.NewTextFrame([]byte("hello")), ws.NewPingFrame([]byte("p")), ws.NewBinaryFrame(make([]byte, 300)),
		ws.NewBinaryFrame(make([]byte, 70_000)), ws.MaskFrame(ws.NewPingFrame([]byte("masked"))), ws.NewTextFrame(nil), ws.NewCloseFrame(ws.NewCloseFrameBody(1013, "later"))} {
		if err := ws.WriteFrame(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"1", "9p", "2", "2", "9masked", "1", "8\x03\xf5later"}
	for k := 0; k <= b.Len(); k += 1 + k/700 { // finely at first, where the small ones are
		if got, goes := pieces(b.Bytes(), k, k+1); !slices.Equal(got, want) || goes {
			t.Fatalf("cut at %d: %q", k, got)
		}
	}
	for _, bad := range []string{"\x89\x7e\x00\x80", "\x82\x7f\xff\x00\x00\x00\x00\x00\x00\x00"} {
		if _, goes := pieces([]byte(bad)); goes {
			t.Errorf("%q goes on", bad)
		}
	}
}

// However it is cut, the same comes out.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x81\x05hello\x89\x01p\x88\x02\x03\xf5"), 3, 9)
	f.Add([]byte("\x82\x7e\x01\x00"), 1, 2)
	f.Add([]byte("\x89\x81abcdx"), 4, 6)
	f.Fuzz(func(t *testing.T, b []byte, i, j int) {
		whole, goes := pieces(b)
		parts, goes2 := pieces(b, i, j)
		if !slices.Equal(whole, parts) || goes != goes2 {
			t.Errorf("%q, cut at %d and %d: %q %v, whole %q %v", b, i, j, parts, goes2, whole, goes)
		}
	})
}

// Never a panic, never more than there is; a beginning that is refused is refused however it goes on.
func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(testAnswer))
	f.Add([]byte("HTTP/1.1 503 x\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := readAnswer(b, testKey)
		if n < 0 || n > len(b) || (err != nil && n != 0) {
			t.Fatalf("%d %v", n, err)
		}
		if _, again := readAnswer(append(slices.Clip(b), 'x'), testKey); err != nil && again == nil {
			t.Errorf("%q is refused, and with an x behind it is not", b)
		}
	})
}
