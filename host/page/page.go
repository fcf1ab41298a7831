// Package page serves the log checker of js/page: a handful of static files, with the headers that make a browser hold to
// what the page promises.
//
// # The promise
//
// A log never leaves the machine it is opened on. The page itself carries a Content-Security-Policy, so that it holds on
// any static host; the same policy comes as a header here, with what only a header can say (nobody may frame the page).
// Nothing is loaded from anywhere else, nothing is sent anywhere, and no cookie is set.
//
// # Where the files come from
//
// ./build.sh build copies js/dist/page to dist, which is embedded; the WebAssembly module is the one that package module
// hands out. In a clone where nothing was built Handler answers with the named error that says so.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/wasm/module"
)

// What has a dot in its name: the README, which is always there so that a fresh clone compiles, and the page's files.
//
//go:embed dist/*.*
var dist embed.FS

// policy is the page's own, and that nobody may put it into a frame.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// types are the kinds of file there are. A module with another type would be compiled only after it has all arrived.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".wasm": "application/wasm", ".ndjson": "application/x-ndjson", ".svg": "image/svg+xml", ".md": "text/markdown; charset=utf-8",
}

// file is one answer, made once.
type file struct {
	kind, tag string
	body      []byte
}

// Handler serves the page at / and its files beside it. It is a fault of code not-built where the page or the module is
// missing. The handler is safe for concurrent use.
func Handler() (http.Handler, error) {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	return handler(built, module.Bytes)
}

func handler(built fs.FS, wasm func() ([]byte, error)) (http.Handler, error) {
	if _, err := fs.Stat(built, "index.html"); err != nil {
		return nil, &fault.Error{Code: fault.NotBuilt, Package: "page", Message: "the page is missing", Expected: "./build.sh build to be run first"}
	}
	names, err := fs.Glob(built, "*.*")
	if err != nil {
		return nil, err
	}
	files := map[string]file{}
	for _, name := range names {
		body, err := fs.ReadFile(built, name)
		if err != nil {
			return nil, err
		}
		files["/"+name] = made(name, body)
	}
	body, err := wasm()
	if err != nil {
		return nil, err
	}
	files["/stormlint.wasm"] = made("stormlint.wasm", body)
	files["/"] = files["/index.html"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, files) }), nil
}

func made(name string, body []byte) file {
	sum := sha256.Sum256(body)
	return file{kind: types[path.Ext(name)], tag: `"` + hex.EncodeToString(sum[:16]) + `"`, body: body}
}

func serve(w http.ResponseWriter, r *http.Request, files map[string]file) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
		return
	}
	f, ok := files[r.URL.Path]
	if !ok {
		http.Error(w, "there is no such file; the page is at /", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, strings.TrimPrefix(r.URL.Path, "/"), time.Time{}, bytes.NewReader(f.body))
}
