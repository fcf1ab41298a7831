package backoff_test

import (
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/backoff"
)

// Every schedule of the catalogue is a valid SPEC in its canonical spelling, under a name of its own.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range backoff.Libraries() {
		if seen[l.Name] || l.Name == "" || l.Version == "" || l.Source == "" || l.Ecosystem == "" || strings.ContainsAny(l.Name, ", =") {
			t.Errorf("%+v", l)
		}
		seen[l.Name] = true
		p, err := backoff.Parse("lib:" + l.Name)
		if l.Spec == "" {
			if err == nil || l.Note == "" {
				t.Errorf("%s has no schedule, but is read as %v", l.Name, p)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		if q := policy(t, l.Spec); p.String() != q.String() || p.String() != l.Spec {
			t.Errorf("%s: %s prints as %s", l.Name, l.Spec, p)
		}
		if strings.ContainsAny(l.Version, " ,") {
			continue
		}
		if _, err := backoff.Parse("lib:" + l.Name + "@" + l.Version); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
	if len(seen) < 66 {
		t.Errorf("%d schedules, want at least the 66 read", len(seen))
	}
	for spec, want := range map[string]string{
		"lib:socket.io-client@1.0.0":     `backoff: unknown version of socket.io-client: "1.0.0", expected 4.8.4`,
		"lib:ethers":                     `backoff: ethers never reconnects by itself, expected the policy of the application that uses it`,
		"lib:socket.io":                  `backoff: unknown library: "socket.io", expected a name of the catalogue, near it: socket.io-client, socket.io-client-java, socket.io-client-swift`,
		"lib:":                           `backoff: unknown library: "", expected a name that the catalogue holds, such as socket.io-client or grpc-go`,
		"lib:p-retry,attempts=x":         `backoff: attempts is "x", expected between 1 and 2147483647`,
		`{"policy":"lib:p","base_ms":1}`: `backoff: unknown library: "p", expected a name of the catalogue, near it: p-retry`,
	} {
		if _, err := backoff.Parse(spec); err == nil || !strings.HasPrefix(err.Error(), strings.TrimSuffix(want, "p-retry")) {
			t.Errorf("%s\n got  %v\n want %s", spec, err, want)
		}
	}
	if p := policy(t, "lib:p-retry,attempts=3"); p.Attempts != 3 {
		t.Error("modifiers apply to a library's schedule")
	}
	if p := policy(t, `{"policy":"lib:@microsoft/signalr","attempts":2}`); p.String() != "table:0s,2s,10s,30s,attempts=2" {
		t.Errorf("%v", p)
	}
}
