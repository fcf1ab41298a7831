//go:build !wasm

package core_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stormlint/stormlint/"

// everywhere may be imported by every package of the core.
const everywhere = "core/fault core/civil core/jsonwrite core/figure core/lapse core/order"

// edges says what a package may import of our own, beside everywhere and, inside one noun (connlog/format), the noun's
// own packages. A package that is not listed here does not exist yet: add it with its reason in DESIGN's picture.
var edges = map[string]string{
	"core/fault":     "",
	"core/civil":     "",
	"core/jsonwrite": "",
	"core/figure":    "",
	"core/lapse":     "",
	"core/order":     "",
	"core/stat":      "",
	"core/finding":   "",
	"core/address":   "",
	"core/bucket":    "",
	"core/jsonscan":  "",
	"core/backoff":   "core/stat core/jsonscan",
	"core/connlog":   "core/address core/jsonscan",
	"core/timeline":  "core/connlog",
	"core/jitter":    "core/stat core/backoff",
	"core/fleet":     "core/stat",
	"core/lint":      "core/backoff core/jitter core/finding core/stat core/jsonscan",
	"core/herd":      "core/backoff core/bucket core/stat core/jsonscan",
	"core/analyze":   "core/address core/connlog core/timeline core/jitter core/fleet core/lint core/finding core/report core/backoff core/stat core/jsonscan",
	"core/report":    "core/finding",
	"core/render":    "core/report core/lint core/herd core/finding core/backoff core/connlog",
	"core/linttest":  "core/lint core/backoff core/finding",

	"wasm/abi":               "core",
	"wasm/guest":             "wasm/abi",
	"wasm/tighten":           "",
	"wasm/module":            "",
	"wasm/module/moduletest": "",
	"host/engine":            "core wasm/abi",
	"host/sandbox":           "core wasm/abi host/engine",
	"host/source":            "core",
	"host/decode":            "core",
	"host/guard":             "core",
	"host/redisstore":        "core host/guard",
	"host/storm":             "core wasm/abi host/gateway host/engine host/wheel",
	"host/gateway":           "core wasm/abi host/guard host/wheel",
	"host/wheel":             "",
	"host/proxywasm":         "core wasm/abi",
	"host/page":              "wasm/module",
	"host/bench":             "core host/engine",
	"host/cmd/stormlint":     "core wasm host",
}

// standard is what the core may import directly of the standard library.
var standard = strings.Fields("bytes cmp errors io iter maps math math/bits slices sort strconv strings time unicode unicode/utf8")

// selectors are the names that the core may use of packages that hold more than it may use; those of math are exact on
// every machine.
var selectors = map[string]string{
	"math": "Sqrt Floor Ceil Trunc Round Abs Min Max Inf NaN IsNaN IsInf Float64bits Float64frombits Copysign Signbit MaxInt MinInt MaxInt32 MinInt32 MaxInt64 MinInt64 " +
		"MaxUint16 MaxUint32 MaxUint64 MaxFloat64 SmallestNonzeroFloat64 Pi Ln2 E Sqrt2 MaxInt16 MaxUint8",
	"time": "Duration Nanosecond Microsecond Millisecond Second Minute Hour",
}

type listed struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages listed", len(all))
	}
	return all
}

// noun is the longest prefix of a package's path that edges lists.
func noun(path string) string {
	for p := path; p != "."; p = filepath.Dir(p) {
		if _, ok := edges[p]; ok {
			return p
		}
	}
	return ""
}

// within reports whether path is one of the listed packages or lies under one.
func within(path, list string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

func TestImports(t *testing.T) {
	for _, p := range list(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if path == "core" {
			continue
		}
		n := noun(path)
		if n == "" {
			t.Errorf("%s is not in the list of edges", path)
			continue
		}
		for _, i := range p.Imports {
			own, ours := strings.CutPrefix(i, module)
			switch {
			case ours && !within(own, edges[n]+" "+n+" "+everywhere):
				t.Errorf("%s imports %s, which is not on its list", path, own)
			case !ours && strings.HasPrefix(path, "core/") && n != "core/linttest" && !slices.Contains(standard, i):
				t.Errorf("%s imports %s, which the core may not use", path, i)
			case i == "time" && strings.HasPrefix(path, "core/") && n != "core/lapse" && n != "core/linttest":
				t.Errorf("%s imports time: the module would carry clocks and zones; lapse has the duration", path)
			case strings.HasPrefix(i, "github.com/tetratelabs/wazero") && n != "host/sandbox" && n != "host/proxywasm" && n != "host/bench":
				t.Errorf("%s imports wazero: only host/sandbox, host/proxywasm and host/bench may", path)
			case strings.HasPrefix(i, "github.com/bytedance/sonic") && n != "host/decode" && n != "host/bench":
				t.Errorf("%s imports sonic: only host/decode and host/bench may", path)
			}
		}
	}
}

// No clock, no goroutine, no channel, no function of math that differs between machines, no hidden start.
func TestRules(t *testing.T) {
	for _, p := range list(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if !strings.HasPrefix(path, "core/") || path == "core/linttest" {
			continue
		}
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				at := func() string { return path + "/" + name + ":" + strconv.Itoa(files.Position(n.Pos()).Line) }
				switch n := n.(type) {
				case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt:
					t.Errorf("%s: the core has no goroutines and no channels", at())
				case *ast.FuncDecl:
					if n.Name.Name == "init" && n.Recv == nil {
						t.Errorf("%s: no init functions", at())
					}
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil {
						if allowed := selectors[x.Name]; allowed != "" && !slices.Contains(strings.Fields(allowed), n.Sel.Name) {
							t.Errorf("%s: %s.%s is not among what the core may use", at(), x.Name, n.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
}
