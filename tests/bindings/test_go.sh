#!/bin/bash
# The package for Go: its own tests, by `go test`, formatting and vet; the recorder is small.
. "$(dirname "$0")/../cli/lib.sh"
BINDING=$(cd "$(dirname "$0")/../../bindings/go" && pwd)
command -v go >/dev/null || { echo "skip - no go"; exit 0; }
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
export PLUMB GOCACHE=$SCRATCH/cache GOFLAGS=-mod=mod GOPROXY=off
cd "$BINDING" || exit 1
go vet ./... >"$SCRATCH/out" 2>&1; ok "go vet" $?
if command -v gofmt >/dev/null; then
    ok "gofmt changes nothing" "$([ -z "$(gofmt -l .)" ]; echo $?)"
else echo "skip - no gofmt"; fi
go test -count=1 ./... >"$SCRATCH/out" 2>&1; ok "go test" $?
ok "the recorder has under 300 lines" "$([ "$(wc -l <record.go)" -lt 300 ]; echo $?)"
ok "the example of its README is a test" "$(sed -n '/^```go/,/^```/p' README.md | sed -e '/^```/d' -e 's/plumbline\.//g' -e 's| // true||' |
    tr -d ' \t' | while read -r line; do tr -d ' \t' <plumbline_test.go | grep -qxF -- "$line" || echo missing; done | grep -q missing; echo $((1 - $?)))"
finish
