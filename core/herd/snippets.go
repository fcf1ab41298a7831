package herd

import (
	"math"
	"strconv"
	"strings"

	"github.com/stormlint/stormlint/core/lapse"
)

// snippets are the advice as text to paste: for clients that can be changed, and for servers.
func snippets(a *Advice) []Snippet {
	perSecond := max(a.Admission, 0.001)
	nginxRate := strconv.Itoa(max(1, int(perSecond))) + "r/s"
	if perSecond < 10 {
		nginxRate = strconv.Itoa(max(1, int(perSecond*60))) + "r/m"
	}
	fill, interval := int(perSecond/10), 0.1
	if fill < 1 {
		fill, interval = 1, math.Ceil(1000/perSecond)/1000
	}
	values := []string{
		"{W}", strconv.FormatInt(int64(a.Window/lapse.Millisecond), 10), "{W s}", decimal(a.Window), "{T}", strconv.FormatInt(int64(a.Timeout/lapse.Millisecond), 10), "{T s}", decimal(a.Timeout),
		"{RATE}", nginxRate, "{RATE n}", strconv.Itoa(max(1, int(perSecond))), "{BURST}", strconv.Itoa(a.Burst), "{BACKLOG}", strconv.Itoa(a.Backlog),
		"{TOKENS}", strconv.Itoa(max(a.Burst, fill)), "{FILL}", strconv.Itoa(fill), "{INTERVAL}", strconv.FormatFloat(interval, 'f', -1, 64) + "s",
		"{NODES}", strconv.Itoa(a.Nodes), "{NODE DRAIN}", strconv.FormatInt(whole(a.NodeDrain), 10), "{GRACE}", strconv.FormatInt(whole(a.NodeDrain)+10, 10),
		"{BATCH}", strconv.Itoa(a.BatchSize), "{EVERY}", a.BatchEvery.String(), "{CLIENTS}", strconv.Itoa((a.Clients + a.Nodes - 1) / max(a.Nodes, 1)),
	}
	var list []Snippet
	for _, s := range templates {
		if s.client && a.ClientsFixed {
			continue
		}
		list = append(list, Snippet{s.name, s.language, filled(s.text, values)})
	}
	return list
}

// filled puts values, each after its name in braces, into a text.
func filled(text string, values []string) string {
	var b []byte
	for {
		n := strings.IndexByte(text, '{')
		if n < 0 {
			return string(append(b, text...))
		}
		b, text = append(b, text[:n]...), text[n:]
		used := 1
		put := text[:1]
		for i := 0; i < len(values); i += 2 {
			if strings.HasPrefix(text, values[i]) {
				put, used = values[i+1], len(values[i])
				break
			}
		}
		b, text = append(b, put...), text[used:]
	}
}

// whole is a time in seconds, rounded up.
func whole(d lapse.Duration) int64 { return int64((d + lapse.Second - 1) / lapse.Second) }

func decimal(d lapse.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

var templates = [...]struct {
	name, language string
	client         bool
	text           string
}{
	{"stormlint", "js", true, `import { ReconnectingSocket } from 'stormlint/reconnect';

const socket = new ReconnectingSocket('wss://example.org/live', { window: {W}, connectTimeout: {T} });
`},
	{"reconnecting-websocket", "js", true, `import ReconnectingWebSocket from 'reconnecting-websocket';

const W = {W}, T = {T}; // ms
let tries = 0, late = 0, began = 0;
function wait() {
  if (tries++ === 0) return Math.random() * W;  // spread once
  if (performance.now() - began < T) return W;  // refused: keep the phase
  const w = W * Math.min(2 ** late++, 4);       // no answer: back off
  return w / 2 + (Math.random() * w) / 2;
}
let dropped = false;
const socket = new ReconnectingWebSocket(
  async () => {
    if (dropped) await new Promise((done) => setTimeout(done, wait()));
    began = performance.now();
    return 'wss://example.org/live';
  },
  [],
  { minReconnectionDelay: 1, maxReconnectionDelay: 1, connectionTimeout: T },
);
socket.addEventListener('open', () => { tries = late = 0; });
socket.addEventListener('close', () => { dropped = true; });
`},
	{"socket.io", "js", true, `import { io } from 'socket.io-client';

const W = {W}, T = {T}; // ms
const socket = io('https://example.org', { reconnection: false, timeout: T, transports: ['websocket'] });
let tries = 0, late = 0, began = performance.now();
function again() {
  let wait = W;                                  // refused: keep the phase
  if (tries++ === 0) wait = Math.random() * W;   // spread once
  else if (performance.now() - began >= T) {     // no answer: back off
    const w = W * Math.min(2 ** late++, 4);
    wait = w / 2 + (Math.random() * w) / 2;
  }
  setTimeout(() => { began = performance.now(); socket.connect(); }, wait);
}
socket.on('connect', () => { tries = late = 0; });
socket.on('connect_error', again);
socket.on('disconnect', (reason) => { if (reason !== 'io client disconnect') again(); });
`},
	{"go", "go", true, `// reconnect dials until it is connected; call it when a connection is lost.
func reconnect(ctx context.Context, dial func(context.Context) error) error {
	const window, timeout = {W} * time.Millisecond, {T} * time.Millisecond
	wait, late := rand.N(window), 0 // math/rand/v2: spread once
	for {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		attempt, cancel := context.WithTimeout(ctx, timeout)
		err := dial(attempt)
		silent := attempt.Err() != nil
		cancel()
		if err == nil {
			return nil
		}
		wait = window // refused: keep the phase
		if silent {   // no answer: back off
			w := window << min(late, 2)
			wait = w/2 + rand.N(w/2)
			late++
		}
	}
}
`},
	{"python", "python", true, `async def reconnect(connect):
    """Connects until it succeeds; call it when a connection is lost. connect is a coroutine function."""
    window, timeout = {W s}, {T s}  # seconds
    wait, late = random.uniform(0, window), 0  # spread once
    while True:
        await asyncio.sleep(wait)
        try:
            return await asyncio.wait_for(connect(), timeout)
        except asyncio.TimeoutError:  # no answer: back off
            w = window * min(2**late, 4)
            wait, late = random.uniform(w / 2, w), late + 1
        except Exception:  # refused: keep the phase
            wait = window
`},
	{"nginx", "nginx", false, `# http { … }: at most {RATE} of handshakes for the whole server
limit_req_zone $server_name zone=handshakes:1m rate={RATE};

server {
    listen 443 ssl backlog={BACKLOG};
    location /live {
        limit_req zone=handshakes burst={BURST} nodelay;
        limit_req_status 503;
        proxy_pass http://upstream;
        proxy_http_version 1.1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection upgrade;
        proxy_connect_timeout {T s}s;
    }
}
`},
	{"envoy", "yaml", false, `http_filters:
- name: envoy.filters.http.local_ratelimit   # before the router; per Envoy, so divide by their number
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
    stat_prefix: handshakes
    token_bucket: { max_tokens: {TOKENS}, tokens_per_fill: {FILL}, fill_interval: {INTERVAL} }
    filter_enabled: { default_value: { numerator: 100, denominator: HUNDRED } }
    filter_enforced: { default_value: { numerator: 100, denominator: HUNDRED } }
    status: { code: ServiceUnavailable }
`},
	{"haproxy", "haproxy", false, `frontend live
    bind :443 ssl crt /etc/haproxy/cert.pem
    rate-limit sessions {RATE n}   # connections a second; further ones wait in the backlog
    backlog {BACKLOG}
    timeout client-hs {T s}s
`},
	{"kubernetes", "yaml", false, `# Each pod holds about {CLIENTS} clients. On SIGTERM it stops accepting and closes {BATCH} clients every {EVERY},
# which takes {NODE DRAIN} s; the next pod begins when they are back.
spec:
  replicas: {NODES}
  minReadySeconds: {NODE DRAIN}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 1, maxSurge: 1 }
  template:
    spec:
      terminationGracePeriodSeconds: {GRACE}
`},
}
