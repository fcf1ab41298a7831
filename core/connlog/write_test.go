package connlog

import (
	"math/rand/v2"
	"testing"
)

// TestOwnFormReadsBack writes random events in our own form and reads them back as they were.
func TestOwnFormReadsBack(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	words := []string{"", "a", "192.0.2.10", "é", "quote\"back\\slash", "line\nend", "<&>", "2001:db8::1"}
	for round := range 3000 {
		b := &Batch{}
		keep := func() Span {
			if w := words[rng.IntN(len(words))]; w != "" {
				return b.Keep([]byte(w))
			}
			return Span{}
		}
		maybe := func(v int64) int64 {
			if rng.IntN(2) == 0 {
				return None
			}
			return v
		}
		width := []int64{0, 1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000, 5}[rng.IntN(7)]
		e := b.Add()
		e.Time = rng.Int64N(4e18) - 1e18
		if width > 1 {
			e.Time -= e.Time % width
		}
		e.Resolution = width
		e.Duration, e.Interval = maybe(rng.Int64N(1e18)), maybe(rng.Int64N(1e15))
		e.Client, e.Conn, e.Host, e.UserAgent, e.Cause, e.Forwarded, e.Group = keep(), keep(), keep(), keep(), keep(), keep(), keep()
		e.Path = b.Keep([]byte("/ws"))
		e.Kind = Kind(rng.IntN(2))
		if e.Kind == Attempt {
			e.Outcome = Outcome(rng.IntN(len(outcomeNames)))
		} else {
			e.ClosedBy = Party(rng.IntN(len(partyNames)))
		}
		e.Status, e.CloseCode, e.Port = uint16(rng.IntN(1000)), uint16(rng.IntN(1<<16)), uint16(rng.IntN(1<<16))
		e.TimeSource, e.ClientSource, e.Transport = TimeSource(rng.IntN(len(timeNames))), ClientSource(rng.IntN(len(clientNames))), Transport(rng.IntN(len(transportNames)))
		e.ID, e.LateBy = rng.Uint64()>>rng.IntN(64), rng.Int64N(3)*1_000_000_000
		if n := rng.IntN(4); n != 1 {
			e.Count = uint32(n)
		}
		text := Append(nil, b, e)
		in := &Batch{}
		in.Reset(text)
		f, _ := Base{}.Configure(&Setup{})
		if why := f.Read(in, Record{Span: Span{0, uint32(len(text))}}); why != Used || len(in.Events) != 1 {
			t.Fatalf("seed %d round %d: %s: %s", seed, round, why, text)
		}
		if again := Append(nil, in, &in.Events[0]); string(again) != string(text) {
			t.Fatalf("seed %d round %d:\n got %s\nwant %s", seed, round, again, text)
		}
		got, want := in.Events[0], *e
		for _, s := range []*Span{&got.Client, &got.Conn, &got.Host, &got.UserAgent, &got.Cause, &got.Forwarded, &got.Group, &got.Path,
			&want.Client, &want.Conn, &want.Host, &want.UserAgent, &want.Cause, &want.Forwarded, &want.Group, &want.Path} {
			*s = Span{} // compared as text above
		}
		if got != want {
			t.Fatalf("seed %d round %d: %s\n got %+v\nwant %+v", seed, round, text, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	b := &Batch{}
	e := b.Add()
	e.Time, e.Resolution, e.TimeSource, e.ClientSource = 1792922400_123_000_000, 1_000_000, PrintedStart, Peer
	e.Client, e.Interval, e.Outcome, e.Status = b.Keep([]byte("192.0.2.10")), 1_500_000, Limited, 429
	want := `{"timestamp":"2026-10-25T10:00:00.123Z","client_ip":"192.0.2.10","event_type":"retry","retry_interval_ms":1.5,"outcome":"limited","status":429}`
	if got := string(Append(nil, b, e)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
