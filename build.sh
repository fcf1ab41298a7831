#!/usr/bin/env bash
# build.sh: the one script.
#
#   build          bin/stormlint, the modules in wasm/module/dist, the npm package in js/dist
#   run [ARG…]     build what the command line needs, then bin/stormlint ARG… (without ARG: analyze --sample)
#   test           install what is missing, run every test in every environment
#   check          formatting, vet for three targets, import rules, documentation, dead code, the npm package
#   bench [NAME]   speed, as ratios within one run; accuracy: how often verdicts are right, on seeded
#                  simulations; herd: the simulator's tables in full, and its events per second
#   size           size and hash of the modules; fails above the budget
set -euo pipefail
cd "$(dirname "$0")"

dist=wasm/module/dist
brotli_budget=$((700 * 1024))

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

# need_go and need_node say which version is wanted before anything fails for want of it.
need_go() {
  command -v go >/dev/null || fail "Go 1.26 or later is needed (https://go.dev/dl/); no go on the PATH"
  local v; v=$(go env GOVERSION)
  [[ $v =~ ^go1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 26 ]] || fail "Go 1.26 or later is needed, this is $v"
}
need_node() {
  command -v node >/dev/null || fail "Node 20 or later is needed (https://nodejs.org); no node on the PATH"
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || fail "Node 20 or later is needed, this is $(node --version)"
}

# The flags that make two builds of one commit equal, byte for byte.
reproducible=(-trimpath -buildvcs=false -ldflags='-s -w -buildid=')

build_modules() {
  mkdir -p $dist/gojs
  GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared "${reproducible[@]}" -o $dist/stormlint.wasm ./wasm/guest
  GOOS=js GOARCH=wasm go build "${reproducible[@]}" -o $dist/gojs/stormlint-gojs.wasm ./wasm/guest
}

build_cli() {
  mkdir -p bin
  go build "${reproducible[@]}" -o bin/stormlint ./host/cmd/stormlint
}

install_js() {
  need_node
  [ js/node_modules/.package-lock.json -nt js/package-lock.json ] || (cd js && npm ci --no-audit --no-fund)
}

build_js() {
  install_js
  (cd js && npm run --silent build)
}

case "${1:-}" in
build)
  need_go
  build_modules
  build_cli
  build_js
  ;;
run)
  need_go
  build_modules
  build_cli
  shift
  [ $# -gt 0 ] || set -- analyze --sample
  exec bin/stormlint "$@"
  ;;
test)
  need_go
  go vet ./... && go test ./...
  (cd core/linttest/libraries && go vet . && go test .) # real Go libraries through the Go kit
  ;;
bench)
  need_go
  case "${2:-}" in
  accuracy) go test ./core/jitter ./core/fleet ./core/lint ./core/analyze -run 'Accuracy|Agreement|Groups|Measured|FalseAlarms|Power|Pooled|HealthyDays' -accuracy -v -count=1 -timeout 60m | grep -v '^===' ;;
  herd)
    need_node
    go test ./core/herd -run 'Contention|Distances|Tight|WrongByTwo' -long -v -count=1 -timeout 60m | grep -v '^==='
    say "events per second against container/heap: native, Node, wazero"
    go test ./core/herd -run '^$' -bench 'AgainstHeap|Million' -benchtime 3x
    wasm=$(mktemp -d)/herd.wasm
    GOOS=wasip1 GOARCH=wasm go test -c -o "$wasm" ./core/herd
    node --no-warnings host/bench/wasi/node.mjs "$wasm" -test.run '^$' -test.bench AgainstHeap -test.benchtime 1x
    go run ./host/bench/wasi "$wasm" -test.run '^$' -test.bench AgainstHeap -test.benchtime 1x
    ;;
  *) fail "bench: no benchmark of that name; known: accuracy, herd" ;;
  esac
  ;;
size)
  need_go
  need_node
  build_modules
  node -e '
    const { readFileSync } = require("fs"), zlib = require("zlib"), { createHash } = require("crypto");
    const budget = Number(process.argv[1]);
    let over = false;
    for (const file of process.argv.slice(2)) {
      const b = readFileSync(file);
      const small = zlib.brotliCompressSync(b, { params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_LGWIN]: 24, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: b.length } }).length;
      const kb = n => (n / 1024).toFixed(0) + " KB";
      console.log(file, kb(b.length), "raw,", kb(zlib.gzipSync(b, { level: 9 }).length), "gzip,", kb(small), "brotli of", kb(budget), "allowed, sha256", createHash("sha256").update(b).digest("hex"));
      over ||= small > budget;
    }
    if (over) { console.error("build.sh: a module is above its budget"); process.exit(1); }
  ' $brotli_budget $dist/stormlint.wasm $dist/gojs/stormlint-gojs.wasm
  ;;
*)
  sed -n '3,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
