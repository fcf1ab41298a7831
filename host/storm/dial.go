package storm

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gobwas/ws"
)

// Kind is why an attempt failed.
type Kind string

// OutOfDescriptors is an attempt for which this process could open no socket.
const OutOfDescriptors Kind = "out of descriptors"

// The kinds of failure; an HTTP status other than 101 is its number.
const (
	refused     Kind = "refused" // nobody listens
	timedOut    Kind = "timeout" // no answer in time
	reset       Kind = "reset"   // the connection broke
	cut         Kind = "closed in handshake"
	descriptors Kind = OutOfDescriptors
	ports       Kind = "out of ports"
	secure      Kind = "tls"
	badAccept   Kind = "wrong Sec-WebSocket-Accept"
	notHTTP     Kind = "no HTTP answer"
	laterCode   Kind = "1013" // accepted, then told to come back later
	other       Kind = "other"
)

// statusError is an HTTP answer that is not 101.
type statusError int

func (s statusError) Error() string { return "the server answered " + strconv.Itoa(int(s)) }

// secureError is what went wrong in the TLS handshake.
type secureError struct{ error }

// Unwrap gives the cause: a reset or a timeout is told as such.
func (s secureError) Unwrap() error { return s.error }

func classify(err error) Kind {
	var status statusError
	var network net.Error
	var secured secureError
	switch {
	case errors.As(err, &status):
		return Kind(strconv.Itoa(int(status)))
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return descriptors
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EADDRINUSE):
		return ports
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	case errors.Is(err, ws.ErrHandshakeBadSecAccept):
		return badAccept
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return timedOut
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return reset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return cut
	case errors.As(err, &secured):
		return secure
	case errors.Is(err, ws.ErrMalformedResponse), errors.Is(err, ws.ErrHandshakeBadProtocol), errors.Is(err, ws.ErrHandshakeBadUpgrade), errors.Is(err, ws.ErrHandshakeBadConnection):
		return notHTTP
	}
	return other
}

// dialer makes connections to one target; each client has a loopback address of its own where the target is loopback.
type dialer struct {
	target  *url.URL
	timeout time.Duration
	local   bool           // IPv4 loopback: source addresses can be chosen
	address string         // HOST:PORT
	known   netip.AddrPort // the same where no name has to be looked up
	tls     *tls.Config
}

func newDialer(o *Options) *dialer {
	target, _ := url.Parse(o.URI) // validated
	if target.Path == "" {
		target.Path = "/"
	}
	host := target.Hostname()
	port := target.Port()
	if port == "" {
		port = map[string]string{"ws": "80", "wss": "443"}[target.Scheme]
	}
	d := &dialer{target: target, timeout: o.Timeout, address: net.JoinHostPort(host, port),
		tls: &tls.Config{ServerName: host, InsecureSkipVerify: o.skipVerify}}
	literal := host
	if strings.EqualFold(host, "localhost") {
		literal = "127.0.0.1"
	}
	if known, err := netip.ParseAddrPort(net.JoinHostPort(literal, port)); err == nil {
		d.known = known
		d.local = known.Addr().Is4() && known.Addr().IsLoopback()
	}
	return d
}

// connect makes the TCP connection.
func (d *dialer) connect(ctx context.Context, number int) (net.Conn, error) {
	network := net.Dialer{KeepAlive: -1}
	if !d.known.IsValid() {
		return network.DialContext(ctx, "tcp", d.address)
	}
	var from netip.AddrPort
	if d.local {
		from = netip.AddrPortFrom(source(number), 0)
	}
	conn, err := network.DialTCP(ctx, "tcp", from, d.known)
	if err != nil {
		return nil, err // not a connection that is nil inside
	}
	return conn, nil
}

// source is the loopback address of one client: 127.1.0.1 and up, never .0 or .255 at the end.
func source(number int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, byte(1 + number/(254*254)), byte(number / 254 % 254), byte(1 + number%254)})
}

func (d *dialer) dial(ctx context.Context, number int) (net.Conn, error) {
	deadline := time.Now().Add(d.timeout)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	conn, err := d.connect(ctx, number)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (net.Conn, error) {
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetLinger(0) // a failed attempt leaves no port in TIME_WAIT
		}
		conn.Close()
		return nil, err
	}
	socket := conn
	conn.SetDeadline(deadline)
	if d.target.Scheme == "wss" {
		secured := tls.Client(conn, d.tls)
		if err := secured.HandshakeContext(ctx); err != nil {
			return fail(secureError{err})
		}
		socket = secured
	}
	status := 0
	up := ws.Dialer{
		ReadBufferSize: 512, WriteBufferSize: 512,
		Header:        ws.HandshakeHeaderString("User-Agent: stormlint-storm\r\n"),
		OnStatusError: func(code int, _ []byte, _ io.Reader) { status = code },
	}
	// A cancelled run must not wait for a silent server.
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	buffered, _, err := up.Upgrade(socket, d.target)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		if status != 0 {
			err = statusError(status)
		}
		return fail(err)
	}
	conn.SetDeadline(time.Time{})
	if buffered != nil { // the server has already spoken: keep what it said
		early, _ := buffered.Peek(buffered.Buffered())
		socket = &eager{Conn: socket, early: append([]byte(nil), early...)}
		ws.PutReader(buffered)
	}
	return socket, nil
}

// eager is a connection whose first bytes arrived with the handshake.
type eager struct {
	net.Conn
	early []byte
}

// Read gives the early bytes first.
func (e *eager) Read(b []byte) (int, error) {
	if len(e.early) > 0 {
		n := copy(b, e.early)
		e.early = e.early[n:]
		return n, nil
	}
	return e.Conn.Read(b)
}

// readPayload reads a frame's payload into buf where it fits; longer ones are skipped and come back cut.
func readPayload(r io.Reader, h ws.Header, buf []byte) ([]byte, error) {
	n := min(h.Length, int64(cap(buf)))
	buf = buf[:n]
	if _, err := io.ReadFull(r, buf); err != nil {
		return nil, err
	}
	if h.Length > n {
		if _, err := io.CopyN(io.Discard, r, h.Length-n); err != nil {
			return nil, err
		}
	}
	if h.Masked {
		ws.Cipher(buf, h.Mask, 0)
	}
	return buf, nil
}
