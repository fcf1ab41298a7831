package linttest

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Dial is a DialContext for clients that speak over a net.Conn, as net.Dialer's. A refused attempt fails as a refused
// connection does, a hung one waits as long as ctx lets it. An open connection is answered by a WebSocket server as far as
// the handshake (HTTP/1.1 101); whatever else the client sends is read and not answered, and the connection is closed
// without a closing handshake when the session's time has come.
//
// Once the scenario is over it fails, as Connect does.
func (n *Net) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	a, f, err := n.begin()
	if err == nil {
		err = n.answer(ctx, a, f)
	}
	if err != nil {
		return nil, err
	}
	client, server := net.Pipe()
	c := &conn{Conn: client, n: n, a: a, over: make(chan struct{})}
	answered := make(chan struct{})
	go serveWebSocket(server, answered)
	go func() {
		timer := time.NewTimer(time.Second) // for a client that speaks something else
		defer timer.Stop()
		select {
		case <-answered:
		case <-timer.C:
		case <-c.over:
		}
		n.live(f, func() { server.Close(); c.finish(false) }, c.over)
	}()
	return c, nil
}

// conn is the client's end of a connection.
type conn struct {
	net.Conn
	n    *Net
	a    *attempt
	over chan struct{}
	once sync.Once
}

// Close ends the connection from the client's side.
func (c *conn) Close() error {
	c.finish(true)
	return c.Conn.Close()
}

func (c *conn) finish(byClient bool) {
	c.once.Do(func() {
		c.n.end(c.a, byClient)
		close(c.over)
	})
}

// serveWebSocket answers an opening handshake (RFC 6455, 4.2.2) and then listens without a word. The session's time begins
// when the answer has been read.
func serveWebSocket(c net.Conn, answered chan<- struct{}) {
	defer c.Close()
	var once sync.Once
	defer once.Do(func() { close(answered) })
	r := bufio.NewReader(c)
	key := ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Sec-WebSocket-Key") {
			key = strings.TrimSpace(value)
		}
	}
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n")
	once.Do(func() { close(answered) })
	io.Copy(io.Discard, r)
}
