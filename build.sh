#!/usr/bin/env bash
# build.sh: the one script. Verbs: build | run | test | check | bench | size
set -euo pipefail
cd "$(dirname "$0")"
case "${1:-}" in
test) go vet ./... && go test ./... ;;
*) echo "usage: ./build.sh build | run | test | check | bench | size" >&2; exit 2 ;;
esac
