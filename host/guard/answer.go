package guard

import (
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// linger is how long a client may take to answer the close frame of mode Close.
const linger = time.Second

// refuse answers a refused handshake in the mode's way.
func (g *Guard) refuse(s *settings, w http.ResponseWriter, r *http.Request, v Verdict) {
	if s.mode == Close && r.ProtoMajor == 1 && handshake(r) {
		select {
		case g.closing <- struct{}{}:
			g.closeFrame(w, r, v)
			return
		default: // too many are being told at once: descriptors first
		}
	}
	h := w.Header()
	h.Set("Retry-After", strconv.FormatInt(seconds(v.Hint), 10))
	h.Set("Retry-After-Ms", strconv.FormatInt(millis(v.Hint), 10))
	limit, status := s.clientLimit, http.StatusTooManyRequests
	if v.Gate == bucket.Fleet {
		limit, status = s.fleetLimit, http.StatusServiceUnavailable
	}
	// The fields of draft-ietf-httpapi-ratelimit-headers, with the limit's scope as a parameter of its own.
	// A store that refuses all while it is down may do so without a limit of the fleet: then there is none to tell.
	if limit.Rate > 0 {
		policy, quota := strconv.Quote(v.Gate.String()), limit.Burst
		if v.Gate == bucket.Fleet {
			quota = s.most
		}
		span := int64(max(1, float64(quota)/limit.Rate+0.5))
		h.Set("RateLimit-Policy", policy+";q="+strconv.FormatInt(quota, 10)+";w="+strconv.FormatInt(span, 10)+";scope="+string(v.Scope))
		h.Set("RateLimit", policy+";r="+strconv.FormatInt(v.Remaining, 10)+";t="+strconv.FormatInt(seconds(v.RetryAfter), 10))
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close") // whoever is refused gives its descriptor back
	}
	body := jsonwrite.Object(nil)
	body = jsonwrite.String(jsonwrite.Key(body, "error"), "try again later")
	body = jsonwrite.String(jsonwrite.Key(body, "limit"), v.Gate.String())
	body = jsonwrite.String(jsonwrite.Key(body, "scope"), string(v.Scope))
	body = jsonwrite.Int(jsonwrite.Key(body, "retry_after_ms"), millis(v.Hint))
	body = append(jsonwrite.End(body, '}'), '\n')
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// closeFrame accepts the upgrade and closes at once with 1013. It speaks the first protocol that the client offers, or a
// browser would fail before it saw the close. The origin is not checked: nothing is served.
func (g *Guard) closeFrame(w http.ResponseWriter, r *http.Request, v Verdict) {
	done := func() { <-g.closing }
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true,
		CompressionMode:    websocket.CompressionDisabled,
		Subprotocols:       offered(r),
	})
	if err != nil { // Accept has answered 4xx: it was no proper handshake
		done()
		return
	}
	cutOff := time.AfterFunc(linger, func() { c.CloseNow() })
	c.Close(websocket.StatusTryAgainLater, Reason(v.Hint))
	cutOff.Stop()
	done()
}

// Reason is the text of a 1013 close frame: "try again later; retry-after-ms=5230".
func Reason(hint time.Duration) string {
	return "try again later; retry-after-ms=" + strconv.FormatInt(millis(hint), 10)
}

func offered(r *http.Request) []string {
	for _, v := range r.Header["Sec-Websocket-Protocol"] {
		for i := range len(v) + 1 {
			if i == len(v) || v[i] == ',' {
				if v[:i] != "" {
					return []string{v[:i]}
				}
				break
			}
		}
	}
	return nil
}

// seconds rounds up, to at least 1; "never" is a day.
func seconds(d time.Duration) int64 {
	d = min(d, 24*time.Hour)
	return max(1, int64((d+time.Second-1)/time.Second))
}

func millis(d time.Duration) int64 {
	return int64((min(d, 24*time.Hour) + time.Millisecond - 1) / time.Millisecond)
}
