package connlog

import "github.com/stormlint/stormlint/core/jsonwrite"

// Append writes an event in our own form, as one JSON object without a line end; Base reads it back as the same event.
// Offset and Record, which belong to the input, and the query, which is never printed, are left out.
func Append(dst []byte, b *Batch, e *Event) []byte {
	dst = jsonwrite.Object(dst)
	if e.Time != None {
		dst = jsonwrite.Time(jsonwrite.Key(dst, "timestamp"), e.Time, printed(e.Time, e.Resolution))
	}
	dst = jsonwrite.Bytes(jsonwrite.Key(dst, "client_ip"), b.Text(e.Client))
	kind := "retry"
	switch {
	case e.Kind == Close:
		kind = "disconnect"
	case e.Outcome == OK:
		kind = "connect"
	}
	dst = jsonwrite.String(jsonwrite.Key(dst, "event_type"), kind)
	if e.Interval != None {
		dst = jsonwrite.Millis(jsonwrite.Key(dst, "retry_interval_ms"), e.Interval)
	}
	if e.Kind == Attempt && e.Outcome != OK {
		dst = word(dst, "outcome", e.Outcome.String())
	}
	if e.Status != 0 {
		dst = jsonwrite.Uint(jsonwrite.Key(dst, "status"), uint64(e.Status))
	}
	if e.CloseCode != 0 {
		dst = jsonwrite.Uint(jsonwrite.Key(dst, "close_code"), uint64(e.CloseCode))
	}
	dst = word(dst, "closed_by", e.ClosedBy.String())
	if e.Duration != None {
		dst = jsonwrite.Millis(jsonwrite.Key(dst, "duration_ms"), e.Duration)
	}
	if e.Time != None && printed(e.Time, e.Resolution) != e.Resolution {
		dst = jsonwrite.Millis(jsonwrite.Key(dst, "resolution_ms"), e.Resolution)
	}
	if e.LateBy != 0 {
		dst = jsonwrite.Millis(jsonwrite.Key(dst, "late_by_ms"), e.LateBy)
	}
	for _, t := range []struct {
		key  string
		text Span
	}{{"user_agent", e.UserAgent}, {"path", e.Path}, {"host", e.Host}, {"conn", e.Conn}, {"cause", e.Cause}, {"forwarded_for", e.Forwarded}, {"group", e.Group}} {
		if t.text.Len > 0 {
			dst = jsonwrite.Bytes(jsonwrite.Key(dst, t.key), b.Text(t.text))
		}
	}
	if e.ID != 0 {
		dst = append(jsonwrite.Key(dst, "id"), '"')
		for shift := 60; shift >= 0; shift -= 4 {
			dst = append(dst, "0123456789abcdef"[e.ID>>shift&15])
		}
		dst = append(dst, '"')
	}
	if e.Port != 0 {
		dst = jsonwrite.Uint(jsonwrite.Key(dst, "client_port"), uint64(e.Port))
	}
	if e.Count > 1 {
		dst = jsonwrite.Uint(jsonwrite.Key(dst, "count"), uint64(e.Count))
	}
	dst = word(dst, "transport", e.Transport.String())
	if e.TimeSource != PrintedStart {
		dst = jsonwrite.String(jsonwrite.Key(dst, "time_source"), e.TimeSource.String())
	}
	if e.ClientSource != Peer {
		dst = jsonwrite.String(jsonwrite.Key(dst, "client_source"), e.ClientSource.String())
	}
	return jsonwrite.End(dst, '}')
}

func word(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return jsonwrite.String(jsonwrite.Key(dst, key), value)
}

// printed is the resolution at which a stamp is printed so that it reads back exactly: a power of a thousandth of a
// second that both the resolution and the instant itself fit.
func printed(t, resolution int64) int64 {
	for width := int64(1_000_000_000); width > 1; width /= 1000 {
		if resolution >= width && t%width == 0 {
			return width
		}
	}
	return 1
}
