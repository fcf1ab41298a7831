package connlog

import (
	"math/bits"

	"github.com/stormlint/stormlint/core/civil"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// lane is the base form's fast lane: records of a shape that the general lane has read before (see jsonscan.Shapes) become
// events without being scanned. It gives what Base gives, or nothing.
type lane struct {
	shapes *jsonscan.Shapes
	minute [2]uint64 // the first 16 bytes of a timestamp in UTC
	since  int64     // and their instant
	end    int       // where the last record ended that the lane took
	start  int       // where the record in hand began
}

// The fields that the lane reads, and the kinds of value it takes for them.
var laneFields = [...]string{"timestamp", "client_ip", "event_type", "retry_interval_ms", "user_agent", "conn", "host", "path"}

const (
	laneTime      = 4*1 + jsonscan.ShapeText
	laneCount     = 4*1 + jsonscan.ShapeNumber
	laneClient    = 4*2 + jsonscan.ShapeText
	laneEvent     = 4*3 + jsonscan.ShapeText
	laneWait      = 4*4 + jsonscan.ShapeNumber
	laneNoWait    = 4*4 + jsonscan.ShapeWord
	laneUserAgent = 4*5 + jsonscan.ShapeText
	laneConn      = 4*6 + jsonscan.ShapeText
	laneHost      = 4*7 + jsonscan.ShapeText
	lanePath      = 4*8 + jsonscan.ShapeText
	laneRequest   = 4*9 + jsonscan.ShapeText // a request's id, whose key is spelled in many ways

	margin  = 64      // how far behind a step's place its loads may reach
	longest = 1 << 15 // a longer record is the general lane's
)

func newLane() *lane {
	others := map[string]bool{}
	for _, key := range []string{"outcome", "status", "close_code", "closed_by", "duration_ms", "resolution_ms", "late_by_ms", "id", "cause", "forwarded_for", "group", "transport", "count", "client_port", "time_source", "client_source"} {
		others[key] = true
	}
	return &lane{shapes: jsonscan.NewShapes(func(key []byte) int {
		for i, name := range laneFields {
			if string(key) == name {
				return i + 1
			}
		}
		if requestKey(key) {
			return len(laneFields) + 1
		}
		if others[string(key)] {
			return len(laneFields) + 2
		}
		return 0
	}, func(kind int) bool {
		switch kind {
		case laneTime, laneCount, laneClient, laneEvent, laneWait, laneNoWait, laneUserAgent, laneConn, laneHost, lanePath, laneRequest:
			return true
		}
		return false
	})}
}

// run reads records from the batch's input, where one has just ended at offset at, until the batch is full or a record does
// not fit, and gives the offset at which the last one it took ended.
func (l *lane) run(r *Reader, b *Batch, at int) int {
	buf := b.Input
	limit := len(buf) - margin
	step := l.shapes.Root
	i := at
	l.end = at
	if step == nil || i > limit {
		return at
	}
	e := b.Add()
	for step != nil && i <= limit {
		p := buf[i : i+24 : i+24]
		w0 := uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 | uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
		w1 := uint64(p[8]) | uint64(p[9])<<8 | uint64(p[10])<<16 | uint64(p[11])<<24 | uint64(p[12])<<32 | uint64(p[13])<<40 | uint64(p[14])<<48 | uint64(p[15])<<56
		if (w0^step.W0)&step.M0|(w1^step.W1)&step.M1 != 0 {
			step = step.Else
			continue
		}
		if step.Len > 16 {
			w2 := uint64(p[16]) | uint64(p[17])<<8 | uint64(p[18])<<16 | uint64(p[19])<<24 | uint64(p[20])<<32 | uint64(p[21])<<40 | uint64(p[22])<<48 | uint64(p[23])<<56
			if (w2^step.W2)&step.M2 != 0 {
				step = step.Else
				continue
			}
		}
		i += step.Len
		if step.Ends {
			if step.Back == 0 && r.plan.Framing == Lines && buf[i] != '\n' && (buf[i] != '\r' || buf[i+1] != '\n') {
				break // something else stands on the line
			}
			end := i - step.Back
			if end-l.start > longest {
				break
			}
			r.took(b, e, l.start, end, step.Newlines)
			l.end = end
			if len(b.Events) >= batchSize {
				return end
			}
			e = b.Add()
		}
		if step.Start > 0 {
			l.start = i - step.Start
		}
		// A case that fits ends with continue; one that does not falls out of the switch.
		switch step.Kind {
		case laneTime:
			q := buf[i : i+20 : i+20]
			x0 := uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56
			x1 := uint64(q[8]) | uint64(q[9])<<8 | uint64(q[10])<<16 | uint64(q[11])<<24 | uint64(q[12])<<32 | uint64(q[13])<<40 | uint64(q[14])<<48 | uint64(q[15])<<56
			// The last four bytes should be :SSZ; xor leaves zero, the tens, the units, zero.
			s := uint32(q[16]) | uint32(q[17])<<8 | uint32(q[18])<<16 | uint32(q[19])<<24 ^ 0x5a30303a
			if s&0xff0000ff|(s|(s+0x00767a00))&0x00808000 == 0 && x0 == l.minute[0] && x1 == l.minute[1] {
				e.Time = l.since + int64(s>>8&15*10+s>>16&15)*civil.Second
				e.Resolution = civil.Second
				i += 20
				step = step.Then
				continue
			}
			if to := jsonscan.SkipText(buf, i); to >= 0 {
				ns, width, ok := instant(buf[i-1:to+1], r.setup)
				if ok {
					if to == i+20 && s&0xff0000ff|(s|(s+0x00767a00))&0x00808000 == 0 {
						l.minute, l.since = [2]uint64{x0, x1}, ns-int64(s>>8&15*10+s>>16&15)*civil.Second
					}
					e.Time, e.Resolution, i = ns, width, to
					step = step.Then
					continue
				}
			}
		case laneClient:
			q := buf[i : i+16 : i+16]
			x0 := uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56
			x1 := uint64(q[8]) | uint64(q[9])<<8 | uint64(q[10])<<16 | uint64(q[11])<<24 | uint64(q[12])<<32 | uint64(q[13])<<40 | uint64(q[14])<<48 | uint64(q[15])<<56
			n := 0
			if m := stopsText(x0); m != 0 {
				n = bits.TrailingZeros64(m) >> 3
			} else if m := stopsText(x1); m != 0 {
				n = bits.TrailingZeros64(m)>>3 + 8
			} else {
				n = jsonscan.SkipText(buf, i+16) - i
			}
			if n >= 0 && buf[i+n] == '"' {
				e.Client = Span{uint32(i), uint32(n)}
				i += n
				step = step.Then
				continue
			}
		case laneEvent:
			q := buf[i : i+16 : i+16]
			x := uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56
			if x&(1<<40-1) == 'r'|'e'<<8|'t'<<16|'r'<<24|'y'<<32 {
				e.Kind, e.Outcome = Attempt, OutcomeUnknown
				i += 5
				step = step.Then
				continue
			}
			if x&(1<<56-1) == 'c'|'o'<<8|'n'<<16|'n'<<24|'e'<<32|'c'<<40|'t'<<48 {
				e.Kind, e.Outcome = Attempt, OK
				i += 7
				step = step.Then
				continue
			}
			if x == 'd'|'i'<<8|'s'<<16|'c'<<24|'o'<<32|'n'<<40|'n'<<48|'e'<<56 && q[8] == 'c' && q[9] == 't' {
				e.Kind, e.Outcome = Close, OutcomeUnknown
				i += 10
				step = step.Then
				continue
			}
		case laneWait:
			q := buf[i : i+8 : i+8]
			x := (uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56) ^ 0x3030303030303030
			m := (x | (x + 0x7676767676767676)) & 0x8080808080808080
			c := uint(bits.TrailingZeros64(m)) & 56 // eight bits a digit; 64 & 56 = 0 when all eight are digits
			if after := buf[i+int(c>>3)]; c == 0 || x&0xff == 0 && c > 8 || after == '.' || after|0x20 == 'e' {
				to := jsonscan.Skip(buf, i, 0)
				if to >= 0 && jsonscan.KindOf(buf[i:]) == jsonscan.Number {
					if ns, ok := millis(buf[i:to]); ok && ns >= 0 {
						e.Interval, i = ns, to
						step = step.Then
						continue
					}
				}
				break
			}
			x <<= (64 - c) & 63 // the digits to the top, zeros before them
			x = x*10 + x>>8
			x = (x&0x000000ff000000ff*0x000f424000000064 + x>>16&0x000000ff000000ff*0x0000271000000001) >> 32
			e.Interval = int64(uint32(x)) * civil.Millisecond
			i += int(c >> 3)
			step = step.Then
			continue
		case 0:
			step = step.Then
			continue
		default:
			if to := l.other(buf, i, step.Kind, e); to > 0 {
				i = to
				step = step.Then
				continue
			}
		}
		if step.Ends {
			break
		}
		i -= step.Len
		step = step.Else
	}
	b.Events = b.Events[:len(b.Events)-1] // the unfinished one
	return l.end
}

// stopsText marks the lowest byte that ends plain ASCII text, or is none.
func stopsText(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := x^0x22*ones, x^0x5c*ones
	return ((quote-ones)&^quote | (slash-ones)&^slash | (x-0x20*ones)&^x | x) & highs
}

// other passes a value of one of the rarer kinds and gives its end; 0 if it is not of the kind.
func (l *lane) other(buf []byte, i, kind int, e *Event) int {
	switch kind {
	case laneNoWait:
		if string(buf[i:i+4]) == "null" {
			return i + 4
		}
	case laneCount:
		if to := jsonscan.Skip(buf, i, 0); to > 0 && jsonscan.KindOf(buf[i:]) == jsonscan.Number {
			if ns, width, ok := instant(buf[i:to], nil); ok {
				e.Time, e.Resolution = ns, width
				return to
			}
		}
	case laneUserAgent, laneConn, laneHost, lanePath, laneRequest:
		to := jsonscan.SkipText(buf, i)
		if to < 0 {
			return 0
		}
		s := Span{uint32(i), uint32(to - i)}
		switch kind {
		case laneUserAgent:
			e.UserAgent = s
		case laneConn:
			e.Conn = s
		case laneHost:
			e.Host = s
		case lanePath:
			e.Path = s
		case laneRequest:
			e.ID = identity(buf[i:to])
		}
		return to
	case jsonscan.ShapeText:
		if to := jsonscan.SkipText(buf, i); to >= 0 {
			return to
		}
		return max(0, jsonscan.Skip(buf, i-1, 0)-1)
	case jsonscan.ShapeNumber:
		if jsonscan.KindOf(buf[i:]) == jsonscan.Number {
			return max(0, jsonscan.Skip(buf, i, 0))
		}
	case jsonscan.ShapeWord:
		switch jsonscan.KindOf(buf[i:]) {
		case jsonscan.Bool, jsonscan.Null:
			return max(0, jsonscan.Skip(buf, i, 0))
		}
	}
	return 0
}

// took counts a record of the fast lane and completes its event.
func (r *Reader) took(b *Batch, e *Event, start, end, newlines int) {
	e.TimeSource, e.ClientSource = PrintedStart, Peer
	e.Record, e.Offset = r.Counts.Records, r.offset+int64(start-r.at)
	r.group.finish(b, e)
	r.Counts.Records++
	r.Counts.Used++
	r.Counts.Lines += int64(newlines)
	r.quick++
	r.offset += int64(end - r.at)
	r.at = end
}

// learn shows the fast lane a record that the general lane has read from the chunk: the framed one chunk[start:end], which
// came after the one that ended at from.
func (l *lane) learn(chunk []byte, from, start, end int) {
	at := jsonscan.Space(chunk, start)
	for end > at && chunk[end-1] != '}' {
		end--
	}
	for _, c := range chunk[from:at] {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != ',' {
			return
		}
	}
	if end > at && chunk[at] == '{' && end-start < longest {
		l.shapes.Learn(chunk, from, start, at, end)
	}
}
