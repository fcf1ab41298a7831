package door

import (
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/jsonwrite"
)

// Answer is what a refused client is told: 429 by its own limit, 503 by the fleet's; Retry-After in whole seconds and in
// ms, the fields of draft-ietf-httpapi-ratelimit-headers, and a body that says the same.
func (d *Door) Answer(v *Verdict) (status uint32, headers [][2]string, body []byte) {
	status, limit, scope := 429, d.settings.ClientLimit, "worker"
	if v.Gate == bucket.Fleet {
		status, limit = 503, d.settings.FleetLimit
	}
	if d.process {
		scope = "process"
	}
	policy := `"` + v.Gate.String() + `"`
	span := int64(max(1, float64(limit.Burst)/limit.Rate+0.5))
	ms := strconv.FormatInt(millis(v.Hint), 10)
	headers = [][2]string{
		{"retry-after", strconv.FormatInt(seconds(v.Hint), 10)},
		{"retry-after-ms", ms},
		{"ratelimit-policy", policy + ";q=" + strconv.FormatInt(limit.Burst, 10) + ";w=" + strconv.FormatInt(span, 10) + ";scope=" + scope},
		{"ratelimit", policy + ";r=" + strconv.FormatInt(v.Remaining, 10) + ";t=" + strconv.FormatInt(seconds(v.RetryAfter), 10)},
		{"cache-control", "no-store"},
		{"content-type", "application/json"},
	}
	body = jsonwrite.Object(make([]byte, 0, 112))
	body = jsonwrite.String(jsonwrite.Key(body, "error"), "try again later")
	body = jsonwrite.String(jsonwrite.Key(body, "limit"), v.Gate.String())
	body = jsonwrite.String(jsonwrite.Key(body, "scope"), scope)
	body = jsonwrite.Raw(jsonwrite.Key(body, "retry_after_ms"), []byte(ms))
	return status, headers, append(jsonwrite.End(body, '}'), '\n')
}

// seconds rounds up, to at least 1; "never" is a day.
func seconds(d time.Duration) int64 {
	d = min(d, 24*time.Hour)
	return max(1, int64((d+time.Second-1)/time.Second))
}

func millis(d time.Duration) int64 {
	return int64((min(d, 24*time.Hour) + time.Millisecond - 1) / time.Millisecond)
}
