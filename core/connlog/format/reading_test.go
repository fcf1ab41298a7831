package format_test

import (
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// An explanation says so where nothing was recognised, and shows an array's elements behind a damaged one.
func TestExplain(t *testing.T) {
	const good = `{"timestamp":"2026-10-25T10:00:00Z","client_ip":"192.0.2.10","event_type":"retry"}`
	cat := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	for _, c := range []struct {
		name, in string
		o        connlog.Options
		unknown  bool
		why      string
		records  int
	}{
		{"rubbish", "what is this?\nand that\n17\n", connlog.Options{}, true, "no format knows any of the records below", 3},
		{"rubbish, read as told", "what is this?\n", connlog.Options{Format: "nginx"}, false, "as --format says", 1},
		{"the base form", good + "\n" + good + "\n", connlog.Options{}, false, "it knows 2 of the 2 records below", 2},
		{"a banner first", "listening\n" + good + "\n", connlog.Options{}, false, "it knows 1 of the 2 records below", 2},
		{"an array with a stray quote", "[" + good + "," + good[:60] + `"` + good[60:] + "," + good + "]", connlog.Options{}, false, "it knows 2 of the 3 records below", 3},
	} {
		x, err := format.Explain(cat, []byte(c.in), c.o, 10)
		if err != nil {
			t.Fatal(err)
		}
		if x.Unknown != c.unknown || !strings.HasPrefix(x.Formats[0].Why, c.why) || len(x.Records) != c.records {
			t.Errorf("%s: unknown %v, because %s, %d records", c.name, x.Unknown, x.Formats[0].Why, len(x.Records))
		}
	}
}

// A line of CRI may begin in the middle of a query, where the line before was cut: it shows nothing that is surely no secret.
func TestExplainCutRecords(t *testing.T) {
	const head, line = "2026-11-30T16:46:06.123456789Z stdout ", `192.0.2.10 - - [30/Nov/2026:16:46:06 +0000] "GET /ws?password=hunter2horse HTTP/1.1" 101 4 "-" "sdk/1"`
	cat := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	for cut := range len(line) {
		in := head + "F " + line + "\n" + head + "P " + line[:cut] + "\n" + head + "F " + line[cut:] + "\n"
		x, err := format.Explain(cat, []byte(in), connlog.Options{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range x.Records {
			if strings.Contains(r.Sample, "horse") || strings.Contains(r.Sample, "hunter") {
				t.Errorf("cut after %s: %s", line[:cut], r.Sample)
			}
		}
		if len(x.Records) != 3 || x.Records[1].Reason == connlog.Used || x.Records[2].Reason != connlog.Used {
			t.Errorf("cut after %s: %+v", line[:cut], x.Records)
		}
	}
}
