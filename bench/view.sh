#!/bin/bash
# Pages of 10, 10^4 and 10^6 operations in headless Chromium: size, time until ready, redraws along a zoom. Appends to
# bench/results/view.txt. Needs what the tests in a browser need (tools/install-deps.sh --test).
#
#   bench/view.sh [PLUMB]
set -u
cd "$(dirname "$0")/.." || exit 1
plumb=${1:-build/plumb}
for tool in node npm chromium; do command -v "$tool" >/dev/null || { echo "view: $tool is not there: pages are not measured" >&2; exit 0; }; done
[ -d tests/browser/node_modules/playwright-core ] || (cd tests/browser && npm ci --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) ||
    { echo "view: npm ci could not get playwright-core: pages are not measured" >&2; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

page() { # name operations options...
    local name=$1 n=$2
    shift 2
    "$plumb" generate -n "$n" -O "$scratch/history.jsonl" "$@" && "$plumb" view -q -o "$scratch/$name, $n.html" "$scratch/history.jsonl" >/dev/null
    [ -f "$scratch/$name, $n.html" ] && pages+=("$scratch/$name, $n.html")
    rm -f "$scratch/history.jsonl"
}
pages=()
for n in 10 10000 1000000; do page "queue" "$n" -o queue; done
for n in 10000 1000000; do page "queue, violation" "$n" -o queue --mutate wrong-order; done
page "kv, 32 clients" 1000000 -o kv -j 32
page "priority queue, 16 clients" 1000000 -o pqueue-min -j 16
{
    echo "# $(date -u +%F), $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) cores, $("$plumb" version | head -1), $(chromium --version 2>/dev/null | tail -1), load $(cut -d' ' -f1 /proc/loadavg)"
    node tests/browser/measure.mjs "${pages[@]}"
} | tee -a bench/results/view.txt
