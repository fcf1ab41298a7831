package compat

import (
	"math/bits"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/lax"
	"github.com/stormlint/stormlint/core/jsonscan"
)

// The kinds of value that the fast lane reads, as jsonscan.Step numbers them.
const (
	timeText       = 4*(timestamp+1) + jsonscan.ShapeText
	clientText     = 4*(clientIP+1) + jsonscan.ShapeText
	eventText      = 4*(eventType+1) + jsonscan.ShapeText
	intervalNumber = 4*(interval+1) + jsonscan.ShapeNumber
	intervalNull   = 4*(interval+1) + jsonscan.ShapeWord
	timeNumber     = 4*(timestamp+1) + jsonscan.ShapeNumber
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	// margin is how many bytes behind the place of a step its loads may touch.
	margin = 64
	// batch is how many records are looked up together, so that the misses of a large table overlap.
	batch = 64
)

func newShapes() *jsonscan.Shapes {
	return jsonscan.NewShapes(func(key []byte) int {
		for i, name := range names {
			if string(key) == name {
				return i + 1
			}
		}
		return 0
	}, func(kind int) bool {
		switch kind {
		case timeText, timeNumber, clientText, eventText, intervalNumber, intervalNull:
			return true
		}
		return false
	})
}

// pending is one record on its way into the table. A long key is its hash, and under longKey the length and the offset of
// its text.
type pending struct {
	k0, k1   uint64
	interval int64
	has      uint64
}

// fast reads records by their learned shape from buf[at:], where a record has just ended, and gives the offset at which
// the last one it could read ended. Every record it takes is one that the general lane would have taken alike; at the first
// it is not sure of, it stops.
//
// One function without calls on the common way, and loads of eight bytes under masks: a call costs as much as a field in
// wasm.
//
// connlog's lane walks the same shapes and makes events. The two are apart because they differ in what a record must be (the
// prototype's rules here) and in what is made of it: events alone cost as much as all of this path (host/bench), so that
// compat from events would cost about twice what it does.
func (a *Accumulator) fast(buf []byte, at int) int {
	limit := len(buf) - margin
	step := a.shapes.Root
	i, n := at, 0
	a.end = at
	a.queue[0].interval, a.queue[0].has = 0, 0
	// What is needed once a record lives in memory, so that what is needed at every step stays in registers.
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
			if step.Back == 0 && a.here.framing == connlog.Lines && buf[i] != '\n' && (buf[i] != '\r' || buf[i+1] != '\n') {
				break // something else stands on the line
			}
			a.end = i - step.Back
			a.here.lines += int64(step.Newlines)
			if n++; n == batch {
				a.drain(batch, buf)
				n = 0
			}
			a.queue[n].interval, a.queue[n].has = 0, 0
		}
		// A case that fits ends with continue; one that does not falls out of the switch.
		switch step.Kind {
		case timeText:
			q := buf[i : i+20 : i+20]
			x0 := uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56
			x1 := uint64(q[8]) | uint64(q[9])<<8 | uint64(q[10])<<16 | uint64(q[11])<<24 | uint64(q[12])<<32 | uint64(q[13])<<40 | uint64(q[14])<<48 | uint64(q[15])<<56
			// The last four bytes should be :SSZ; xor leaves zero, the tens, the units, zero.
			s := uint32(q[16]) | uint32(q[17])<<8 | uint32(q[18])<<16 | uint32(q[19])<<24 ^ 0x5a30303a
			if x0 == a.minute[0] && x1 == a.minute[1] && s&0xff0000ff|(s|(s+0x00767a00))&0x00808000 == 0 {
				i += 20
				step = step.Then
				continue
			}
			if to := a.time(buf, i, x0 == a.minute[0] && x1 == a.minute[1] && s&0x000000ff|(s|(s+0x00767a00))&0x00808000 == 0); to > 0 {
				if to == i+20 && s&0xff0000ff|(s|(s+0x00767a00))&0x00808000 == 0 {
					a.minute = [2]uint64{x0, x1}
				}
				i = to
				step = step.Then
				continue
			}
		case clientText:
			q := buf[i : i+16 : i+16]
			x0 := uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56
			x1 := uint64(q[8]) | uint64(q[9])<<8 | uint64(q[10])<<16 | uint64(q[11])<<24 | uint64(q[12])<<32 | uint64(q[13])<<40 | uint64(q[14])<<48 | uint64(q[15])<<56
			quote, slash := x0^0x22*ones, x0^0x5c*ones
			m := ((quote-ones)&^quote | (slash-ones)&^slash | (x0-0x20*ones)&^x0 | x0) & highs
			if m == 0 {
				quote, slash = x1^0x22*ones, x1^0x5c*ones
				m = ((quote-ones)&^quote | (slash-ones)&^slash | (x1-0x20*ones)&^x1 | x1) & highs
				if m == 0 {
					to := jsonscan.SkipText(buf, i+16)
					if to < 0 || to-i >= 1<<25 {
						break
					}
					a.queue[n].k0, a.queue[n].k1 = connlog.Hash(a.table.seed, buf[i:to]), longKey|uint64(to-i)<<31|uint64(i)
					i = to
					step = step.Then
					continue
				}
				c := uint(bits.TrailingZeros64(m)) & 56
				if byte(x1>>c) != '"' {
					break
				}
				a.queue[n].k0, a.queue[n].k1 = x0, x1&(1<<c-1)|uint64(c>>3+8)<<56
				i += int(c>>3 + 8)
				step = step.Then
				continue
			}
			c := uint(bits.TrailingZeros64(m)) & 56
			if byte(x0>>c) != '"' {
				break
			}
			a.queue[n].k0, a.queue[n].k1 = x0&(1<<c-1), uint64(c>>3)<<56
			i += int(c >> 3)
			step = step.Then
			continue
		case eventText:
			q := buf[i : i+16 : i+16]
			x := uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56
			if x&(1<<40-1) == 'r'|'e'<<8|'t'<<16|'r'<<24|'y'<<32 {
				i += 5
				step = step.Then
				continue
			}
			if x&(1<<56-1) == 'c'|'o'<<8|'n'<<16|'n'<<24|'e'<<32|'c'<<40|'t'<<48 {
				i += 7
				step = step.Then
				continue
			}
			if x == 'd'|'i'<<8|'s'<<16|'c'<<24|'o'<<32|'n'<<40|'n'<<48|'e'<<56 && q[8] == 'c' && q[9] == 't' {
				i += 10
				step = step.Then
				continue
			}
		case intervalNumber:
			q := buf[i : i+8 : i+8]
			x := (uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16 | uint64(q[3])<<24 | uint64(q[4])<<32 | uint64(q[5])<<40 | uint64(q[6])<<48 | uint64(q[7])<<56) ^ 0x30*ones
			m := (x | (x + 0x76*ones)) & highs
			c := uint(bits.TrailingZeros64(m)) & 56 // eight bits a digit; 64 & 56 = 0 when all eight are digits
			if c == 0 || x&0xff == 0 && c > 8 {
				if v, to, ok := longInterval(buf, i); ok {
					a.queue[n].interval, a.queue[n].has, i = v, 1, to
					step = step.Then
					continue
				}
				break
			}
			x <<= (64 - c) & 63 // the digits to the top, zeros before them
			x = x*10 + x>>8
			x = (x&0x000000ff000000ff*0x000f424000000064 + x>>16&0x000000ff000000ff*0x0000271000000001) >> 32
			a.queue[n].interval, a.queue[n].has = int64(uint32(x)), 1
			i += int(c >> 3)
			step = step.Then
			continue
		case 0:
			step = step.Then
			continue
		default:
			if to := a.other(buf, i, step.Kind); to > 0 {
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
	if n > 0 {
		a.drain(n, buf)
	}
	return a.end
}

// drain counts the first n records of the queue.
func (a *Accumulator) drain(n int, buf []byte) {
	a.here.records += int64(n)
	a.quick += int64(n)
	if a.crowded() {
		a.send(a.queue[:n], buf)
		return
	}
	a.table.flush(a.queue[:n], buf, nil)
}

// other passes a value of one of the rarer kinds and gives its end; 0 if it is not of the kind.
func (a *Accumulator) other(buf []byte, i, kind int) int {
	switch kind {
	case intervalNull:
		if string(buf[i:i+4]) == "null" {
			return i + 4
		}
	case timeNumber:
		if to := numberEnd(buf, i); isTime(buf[i:to]) {
			return to
		}
	case jsonscan.ShapeText:
		if to := jsonscan.SkipText(buf, i); to >= 0 {
			return to
		}
		if to := jsonscan.Skip(buf, i-1, 0); to >= 0 && jsonscan.Whole(buf[i-1:to]) {
			return to - 1
		}
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

// time passes a timestamp that is not the last one's minute and a second; same says that it is, up to the seconds, so that
// only a fraction and a zone can follow. 0 if it is none.
func (a *Accumulator) time(buf []byte, i int, same bool) int {
	if same && buf[i+19] == '.' {
		to := i + 20
		for to < len(buf) && buf[to]-'0' <= 9 {
			to++
		}
		if to > i+20 && to+1 < len(buf) && buf[to] == 'Z' && buf[to+1] == '"' {
			return to + 1
		}
	}
	if to := jsonscan.SkipText(buf, i); to >= 0 && isTime(buf[i-1:to+1]) {
		return to
	}
	return 0
}

// longInterval reads an interval of eight digits or more, a negative one, and what else stands where a number should.
func longInterval(buf []byte, i int) (wait int64, end int, ok bool) {
	end = numberEnd(buf, i)
	if jsonscan.Skip(buf, i, 0) != end {
		return 0, i, false
	}
	wait, ok = lax.Int(buf[i:end])
	return wait, end, ok
}

// numberEnd is where the bytes that numbers are made of end.
func numberEnd(buf []byte, i int) int {
	for i < len(buf) {
		switch c := buf[i]; {
		case c-'0' <= 9, c == '-', c == '+', c == '.', c|0x20 == 'e':
			i++
		default:
			return i
		}
	}
	return i
}
