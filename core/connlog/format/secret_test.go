package format_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// Secrets are planted wherever a log may carry one: in the query of every path, as the user's name, in headers and fields
// beside, in a reason, and in lines that cannot be read. None may come out, neither in an event nor in a sample.
func TestSecretsStayInside(t *testing.T) {
	const secret = "SECRETPLANTED7f3a9c1e5b2d8f60"
	path := regexp.MustCompile(`(/(?:ws|deny\w*|drop|kill|limited|down|connection/websocket)[\w/]*)([ "\\]|\?|$)`)
	c := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	for _, e := range index(t) {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		var in bytes.Buffer
		recs := lines(data)
		for _, rec := range append(append(recs, recs...), recs...) { // more than the lines of secrets alone below
			s := path.ReplaceAllStringFunc(string(rec), func(m string) string {
				g := path.FindStringSubmatch(m)
				if g[2] == "?" {
					return g[1] + "?access_token=" + secret + "&"
				}
				return g[1] + "?access_token=" + secret + g[2]
			})
			s = strings.Replace(s, " - - [", " - "+secret+" [", 1)
			s = strings.Replace(s, "(p2, c1, k60)", "(p2, c1, k60, u'"+secret+"')", 1)
			s = strings.Replace(s, `"$G/user:a"`, `"$G/user:`+secret+`"`, 1)
			s = strings.Replace(s, "'bye'", "'token="+secret+"'", 1)
			if strings.HasPrefix(s, "{") {
				s = `{"authorization":"Bearer ` + secret + `","cookie":"sid=` + secret + `","user":{"name":"` + secret + `"},"reason":"token=` + secret + `",` + s[1:]
			}
			in.WriteString(s + "\n")
		}
		in.WriteString("GET /ws#" + secret + " and https://example.org/#" + secret + "\n")
		in.WriteString(`{"timestamp":"` + secret + `","client_ip":"192.0.2.1 ` + secret + `","event_type":"` + secret + `","client_id":"` + secret + `"}` + "\n")
		in.WriteString(`{"time":1796057324979,"client_id":"` + secret + `","ip":"192.0.2.1","` + secret + `":1,"x":[` + secret + `,"a"b` + secret + `"]` + "\n")
		in.WriteString("what is this? token=" + secret + " Authorization: Bearer " + secret + "\n")
		in.WriteString(`{"broken":"` + secret + `","password":"` + secret + "\n")
		x, err := format.Explain(c, in.Bytes(), connlog.Options{Format: e.format, Paths: e.paths}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		used := 0
		for i := range x.Records {
			used += len(x.Records[i].Events)
		}
		if out := string(x.AppendJSON(nil)); strings.Contains(out, secret) {
			at := strings.Index(out, secret)
			t.Errorf("%s: …%s…", e.file, out[max(0, at-200):min(len(out), at+60)])
		}
		if used == 0 && e.file != "ws-morgan.log" && e.format != "uvicorn" {
			t.Errorf("%s: with secrets planted no line is read at all", e.file)
		}
	}
}

// Every word and every quoted text of every recording is replaced in turn by each kind of secret that can be told from a
// word: whatever field it gets into, neither an event nor a sample shows it.
func TestLeakMatrix(t *testing.T) {
	const mark = "hunter2hunter2"
	words := regexp.MustCompile(`[A-Za-z][\w.-]{2,}`)
	quotes := regexp.MustCompile(`"[^"\\]*"`)
	paths := regexp.MustCompile(`/(?:ws|drop|kill)[\w/]*`)
	agents := regexp.MustCompile(`"[\w-]+/\d[^"\\]*"`) // in a list of addresses the last word is the client's name, whatever it is
	kinds := []struct {
		name, text string
		where      *regexp.Regexp
	}{
		{"a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ." + mark, words},
		{"a JWT in quotes", `"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.` + mark + `"`, quotes},
		{"a bearer token", `"Bearer ` + mark + `"`, quotes},
		{"basic credentials", `"Basic ` + mark + `"`, quotes},
		{"a cookie", `"cookie: sid=` + mark + `; b=` + mark + `"`, quotes},
		{"a URL's password", `"wss://bob:` + mark + `@example.org/ws?key=` + mark + `"`, quotes},
		{"a path's query", `"/ws?token=` + mark + `"`, quotes},
		{"a path's fragment", `"/ws#token=` + mark + `"`, quotes},
		{"a request's fragment", `"GET /ws#token=` + mark + ` HTTP/1.1"`, quotes},
		{"a URL's fragment", `"wss://example.org#token=` + mark + `"`, quotes},
		{"a token in a path", `/ws/` + mark + `9f86d081884c7d65/live`, paths},
		{"a JWT in a path", `"/ws/eyJhbGciOiJIUzI1NiJ9.e30.` + mark + `"`, quotes},
		{"a token at a path's end", `/ws/` + mark + `9f86d081884c7d65`, paths},
		{"a named token in a path", `"/ws/token=` + mark + `"`, quotes},
		{"a path's query, percent-encoded", `"/ws%3Ftoken%3D` + mark + `"`, quotes},
		{"a request's query, percent-encoded", `"GET /ws%3Faccess_token%3D` + mark + ` HTTP/1.1"`, quotes},
		{"a query with blanks", `"GET /ws?token=a ` + mark + ` b HTTP/1.1"`, quotes},
		{"a request's whole URL with a password", `"GET https://bob:` + mark + `@example.org/ws HTTP/1.1"`, quotes},
		{"a percent-encoded bearer token", `"Bearer%20` + mark + `"`, quotes},
		{"a bearer token among words", `"sdk/4.5 (Bearer ` + mark + `)"`, quotes},
		{"a token split by a blank", `"access_token ` + mark + `"`, quotes},
		{"a subprotocol's token", `"sec-websocket-protocol: graphql-ws, ` + mark + `"`, agents},
		{"a subprotocol's bearer token", `"graphql-ws, Bearer, ` + mark + `"`, agents},
		{"a JWT among words", `"sdk/4.5 eyJhbGciOiJIUzI1NiJ9.e30.` + mark + `"`, quotes},
	}
	c := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	for _, e := range index(t) {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		o := connlog.Options{Paths: append([]string{"/*"}, e.paths...)}
		if !e.wrapped {
			o.Format = e.format
		}
		if e.tz != 0 {
			o.Zone = zone(e.tz)
		}
		p, err := connlog.Sniff(c, data, o)
		if err != nil {
			t.Fatal(err)
		}
		recs := lines(data)
		most := 12
		if testing.Short() {
			most = 4
		}
		recs = recs[:min(len(recs), most)]
		for _, kind := range kinds {
			var in bytes.Buffer
			for _, rec := range recs {
				for _, at := range kind.where.FindAllIndex(rec, -1) {
					in.Write(rec[:at[0]])
					in.WriteString(kind.text)
					in.Write(rec[at[1]:])
					in.WriteByte('\n')
				}
			}
			r, err := connlog.NewReader(p, c, 0)
			if err != nil {
				t.Fatal(err)
			}
			var b connlog.Batch
			r.Feed(in.Bytes(), true)
			for r.Next(&b) {
				for i := range b.Events {
					ev := &b.Events[i]
					for _, s := range []connlog.Span{ev.Client, ev.Forwarded, ev.Conn, ev.Path, ev.Query, ev.Host, ev.UserAgent, ev.Group, ev.Cause} {
						if text := b.Text(s); bytes.Contains(text, []byte(mark)) {
							line := bytes.Split(in.Bytes(), []byte{'\n'})[ev.Record]
							t.Errorf("%s in %s: %q\nof %s", kind.name, e.file, text, line)
						}
					}
				}
			}
			for _, s := range r.Counts.Skipped {
				if strings.Contains(s.Sample, mark) {
					t.Errorf("%s in %s: a sample of %q shows %s", kind.name, e.file, s.Reason, s.Sample)
				}
			}
		}
	}
}
