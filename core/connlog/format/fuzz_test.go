package format_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
)

// Every reader meets every line: it must not panic, must give events exactly when it says so, and its spans must lie
// within the batch.
func FuzzRead(f *testing.F) {
	for _, e := range index(f) {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			f.Fatal(err)
		}
		for i, rec := range lines(data) {
			if i < 12 {
				f.Add(rec)
			}
		}
	}
	var all []connlog.Format
	for _, one := range format.All() {
		s := &connlog.Setup{Paths: connlog.NewPaths([]string{"/deny*", "/"}, nil)}
		switch one.Name() {
		case "template":
			s.Layout = `{time} {client} {event} "{agent}" {duration_ms} {*}`
		case "w3c":
			s.Layout = "#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) time-taken"
		}
		c, err := one.Configure(s)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, c)
	}
	for _, l := range []string{`$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time`,
		`%h %l %u %t "%r" %>s %b %D "%{User-Agent}i"`} {
		c, err := format.Find("template").Configure(&connlog.Setup{Layout: l})
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, c)
	}
	f.Fuzz(func(t *testing.T, rec []byte) {
		var b connlog.Batch
		for _, one := range all {
			one.Match(rec)
			b.Reset(rec)
			reason := one.Read(&b, connlog.Record{Span: connlog.Span{Len: uint32(len(rec))}, Written: connlog.None})
			if (reason == connlog.Used) != (len(b.Events) > 0) {
				t.Fatalf("%s: %q with %d events", one.Name(), reason, len(b.Events))
			}
			for i := range b.Events {
				e := &b.Events[i]
				for _, s := range []connlog.Span{e.Client, e.Forwarded, e.Conn, e.Path, e.Query, e.Host, e.UserAgent, e.Group, e.Cause} {
					b.Text(s)
				}
				if e.Time == connlog.None || e.Resolution < 1 || e.Duration < 0 && e.Duration != connlog.None || e.Interval < 0 && e.Interval != connlog.None {
					t.Fatalf("%s: %+v", one.Name(), e)
				}
			}
		}
		for _, one := range format.All() {
			if l, ok := one.(connlog.Learner); ok {
				l.Learn([][]byte{rec})
			}
		}
	})
}
