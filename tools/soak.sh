#!/bin/bash
# The long run: every test program with PLUMB_SOAK set (millions of random histories against the oracle), monitors on the whole
# corpus and on all models, defects planted in our own sources, then each fuzz target for FUZZ_SECONDS (600 by default) when clang and the targets are there.
set -u
cd "$(dirname "$0")/.." || exit 1
export PLUMB_SOAK=1
if [ -z "${PLUMB_DATA-}" ]; then export PLUMB_DATA=../shared/data; fi
bad=0
for p in build/tests/*; do
    { [ -f "$p" ] && [ -x "$p" ]; } || continue
    echo "== $p"
    "$p" || bad=1
done
for s in tests/explore/test_monitors.sh tests/cli/test_export_monitor.sh; do
    echo "== $s"
    "$s" || bad=1
done
echo "== tools/defects/run.sh"
tools/defects/run.sh || bad=1
if command -v clang >/dev/null && cmake --preset fuzz >/dev/null && cmake --build build/fuzz -j"$(nproc)" >/dev/null; then
    fuzz/seeds.sh build/fuzz/corpus
    for f in build/fuzz/fuzz/* build/fuzz/tests/fuzz_*; do
        { [ -f "$f" ] && [ -x "$f" ]; } || continue
        corpus=build/fuzz/corpus/$(basename "$f")
        mkdir -p "$corpus"
        echo "== $f: ${FUZZ_SECONDS:-600} s"
        "$f" -max_total_time="${FUZZ_SECONDS:-600}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 "$corpus" 2>&1 | tail -3
        [ "${PIPESTATUS[0]}" -eq 0 ] || bad=1
    done
fi
[ "$bad" -eq 0 ] && echo "soak: no finding"
exit "$bad"
