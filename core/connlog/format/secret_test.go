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
		for _, rec := range lines(data) {
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
