package connlog

import "testing"

// A Cleaner leaves an event as a Reader would hand it out.
func TestCleaner(t *testing.T) {
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl"
	b := &Batch{}
	var c Cleaner
	for range 2 { // what needs no mask is remembered
		b.Reset(nil)
		e := b.Add()
		e.Client, e.UserAgent = b.Keep([]byte("192.0.2.1")), b.Keep([]byte("app/1 token=hunter2"))
		e.Path, e.Host = b.Keep([]byte("/ws/"+jwt+"/live?x=hunter2")), b.Keep([]byte("bob:hunter2@example.org"))
		c.Clean(b, e)
		for _, of := range []struct {
			got  Span
			want string
		}{{e.Client, "192.0.2.1"}, {e.UserAgent, "app/1 token=***"}, {e.Path, "/ws/*/live"}, {e.Host, "example.org"}, {e.Query, ""}} {
			if got := string(b.Text(of.got)); got != of.want {
				t.Errorf("%q, want %q", got, of.want)
			}
		}
	}
}
