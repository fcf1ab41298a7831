package page

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stormlint/stormlint/core/fault"
)

var built = fstest.MapFS{
	"index.html": {Data: []byte("<!doctype html>")}, "page.js": {Data: []byte("1")}, "page.css": {Data: []byte("a{}")},
	"sample.ndjson": {Data: []byte("{}")},
}

func wasm() ([]byte, error) { return []byte("\x00asm\x01\x00\x00\x00"), nil }

func get(t *testing.T, h http.Handler, method, path string, head map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for k, v := range head {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Every file comes with its type, the policy and a tag by which it is not sent again.
func TestFiles(t *testing.T) {
	h, err := handler(built, wasm)
	if err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8", "/page.js": "text/javascript; charset=utf-8",
		"/page.css": "text/css; charset=utf-8", "/stormlint.wasm": "application/wasm", "/sample.ndjson": "application/x-ndjson",
	} {
		w := get(t, h, "GET", path, nil)
		if w.Code != 200 || w.Header().Get("Content-Type") != kind {
			t.Errorf("%s: %d %s, want 200 %s", path, w.Code, w.Header().Get("Content-Type"), kind)
		}
		csp := w.Header().Get("Content-Security-Policy")
		for _, no := range []string{"'unsafe-eval'", "'unsafe-inline'", "http:", "https:", "*"} {
			if strings.Contains(csp, no) {
				t.Errorf("%s: the policy allows %s: %s", path, no, csp)
			}
		}
		if !strings.Contains(csp, "frame-ancestors 'none'") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, w.Header())
		}
		again := get(t, h, "GET", path, map[string]string{"If-None-Match": w.Header().Get("ETag")})
		if again.Code != http.StatusNotModified {
			t.Errorf("%s with its tag: %d, want 304", path, again.Code)
		}
	}
}

// What is not there, and what is not reading, is refused.
func TestRefused(t *testing.T) {
	h, err := handler(built, wasm)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path string
		code         int
	}{{"GET", "/nothing", 404}, {"GET", "/../page.go", 404}, {"GET", "/dist/", 404}, {"POST", "/", 405}, {"HEAD", "/", 200}} {
		if w := get(t, h, c.method, c.path, nil); w.Code != c.code {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.code)
		}
	}
}

// A clone in which nothing was built says so, whichever half is missing.
func TestNotBuilt(t *testing.T) {
	if _, err := handler(fstest.MapFS{"README.md": {}}, wasm); !errors.Is(err, fault.NotBuilt) {
		t.Errorf("without the page: %v, want not-built", err)
	}
	missing := &fault.Error{Code: fault.NotBuilt}
	if _, err := handler(built, func() ([]byte, error) { return nil, missing }); !errors.Is(err, fault.NotBuilt) {
		t.Errorf("without the module: %v, want not-built", err)
	}
}

// The header's policy is the page's own, word for word, and one thing more.
func TestPolicy(t *testing.T) {
	html, err := os.ReadFile("../../js/page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimSuffix(policy, "; frame-ancestors 'none'")
	if !strings.Contains(string(html), `content="`+own+`"`) {
		t.Errorf("js/page/index.html has another policy than %s", own)
	}
}
