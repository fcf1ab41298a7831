package redisstore

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/stormlint/stormlint/core/bucket"
	"github.com/stormlint/stormlint/core/fault"
)

// script decides over a client's bucket and the fleet's.
//
//	KEYS  the fleet's, the client's
//	ARGV  fleet: T and span in µs, or 0; client: T and span, or 0; tokens wanted of the fleet, at least 1 of them
//	gives gate (0 open, 1 client, 2 fleet), µs to wait, tokens granted, µs that the fleet owes, µs that the client owes
//
// A debt above the span can only come from a clock that stepped back or a limit that was lowered: it becomes an empty
// bucket's, and is paid off from there.
var script = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local fT, fspan, cT, cspan, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local function owe(key, debt)
  redis.call('SET', key, string.format('%.0f', now + debt), 'PX', math.floor(debt / 1000) + 1)
end
local function owes(key, span)
  local debt = (tonumber(redis.call('GET', key) or '0') or 0) - now
  if debt > span then
    debt = span
    owe(key, debt)
  end
  return math.max(debt, 0)
end
local c, f, grant = 0, 0, want
if cT > 0 then
  c = owes(KEYS[2], cspan)
  if c + cT > cspan then return {1, c + cT - cspan, 0, 0, c} end
end
if fT > 0 then
  f = owes(KEYS[1], fspan)
  grant = math.min(want, math.floor((fspan - f) / fT))
  if grant < 1 then return {2, f + fT - fspan, 0, f, c} end
  f = f + grant * fT
  owe(KEYS[1], f)
end
if cT > 0 then
  c = c + cT
  owe(KEYS[2], c)
end
return {0, 0, grant, f, c}
`)

// limit is a rule in Redis's microseconds; the zero limit is none.
type limit struct{ interval, span int64 }

// micros turns a rule into whole microseconds, the token's time rounded up. burst is the one to use instead of the
// rule's.
func micros(r bucket.Rule, burst int64) (limit, error) {
	t := int64((r.Interval() + 999) / 1000)
	if burst > 0 && t > (1<<52)/burst {
		return limit{}, fault.Value("redisstore", "burst", strconv.FormatInt(burst, 10), "so that it grows within 142 years")
	}
	return limit{t, t * burst}, nil
}

// answer is what the script gives.
type answer struct {
	gate         bucket.Gate
	wait         time.Duration
	grant        int64
	fleet, owned time.Duration // debts of the fleet and of the client
}

// run asks Redis once, within the timeout whatever happens.
func (s *Store) run(client string, f, c limit, want int64) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	v, err := script.Run(ctx, s.redis, []string{s.fleetKey, s.clientPrefix + client}, f.interval, f.span, c.interval, c.span, want).Int64Slice()
	if err == nil && (len(v) != 5 || v[0] < 0 || v[0] > 2) {
		err = &fault.Error{Code: fault.BadState, Package: "redisstore", Message: "the script's answer has another shape"}
	}
	if err != nil {
		return answer{}, err
	}
	us := func(i int) time.Duration { return time.Duration(v[i]) * time.Microsecond }
	return answer{bucket.Gate(v[0]), us(1), v[2], us(3), us(4)}, nil
}
