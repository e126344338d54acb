#!/bin/bash
# Builds and runs every test: gcc release and asan+ubsan with all tests, tsan with those that use threads, clang for its
# warnings. Warnings are errors (not under sanitizers, where gcc warns of its own instrumentation). Counts test functions
# (cmocka) and lines of TAP (shell tests); the last line is the sum.
#
#   tools/run-tests.sh [BUILD...]      BUILD: release asan tsan clang; all four by default
set -u
cd "$(dirname "$0")/.." || exit 1
builds=("$@")
[ ${#builds[@]} -eq 0 ] && builds=(release asan tsan clang)
cores=$(nproc)
if [ -z "${PLUMB_DATA-}" ]; then export PLUMB_DATA=../shared/data; fi
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_stack_use_after_return=1} UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS="halt_on_error=1 report_thread_leaks=0"
passed=0 failed=0 skipped=0

directory() { if [ "$1" = release ]; then echo build; else echo "build/$1"; fi; }

# Programs whose sources say that they start threads: only these have something to show under tsan.
threaded_targets() {
    grep -lE 'pthread_create|\.threads = ' -r tests --include='test_*.c' |
        sed -e 's|^tests/||' -e 's|\.c$||' -e 's|/|_|g'
}

build() {
    local dir log targets=()
    dir=$(directory "$1") log=$dir/build.log
    mkdir -p "$dir"
    echo "== $1: building"
    local werror=OFF
    case $1 in release | clang) werror=ON ;; esac
    if [ "$1" = tsan ]; then mapfile -t targets < <(threaded_targets; echo plumb); fi
    cmake --preset "$1" -DBUILD_TESTING=ON -DPLUMB_WERROR=$werror >"$log" 2>&1 &&
        cmake --build "$dir" -j"$cores" ${targets[@]:+--target "${targets[@]}"} >>"$log" 2>&1 && return
    grep -E -A3 'warning:|error:|Error:|undefined reference|\*\*\*' "$log" | head -40
    return 1
}

run_program() { # program log: its output, then a line that says how it ended
    timeout 600 "$1" >"$2" 2>&1
    echo "exit $?" >>"$2"
}
export -f run_program

count() { # log: what cmocka or TAP lines say
    local ok bad skip ended
    ended=$(tail -1 "$1" | sed 's/^exit //')
    ok=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$1" | awk '{s+=$1} END {print s+0}')
    bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$1" | awk '{s+=$1} END {print s+0}')
    skip=$(grep -c '^\[  SKIPPED \] [a-z_0-9]*$' "$1")
    ok=$((ok + $(grep -c '^ok ' "$1"))) bad=$((bad + $(grep -c '^not ok ' "$1")))
    skip=$((skip + $(grep -c '^skip ' "$1")))
    if [ "$ended" != 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi # crashed, or ran out of time
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
    if [ "$bad" -ne 0 ]; then
        echo "FAILED: $1 (exit $ended)"
        grep -E '^\[  FAILED  \]|^\[  ERROR   \]|^not ok|ERROR:|runtime error|WARNING: ThreadSan|Error:|error:|^#' "$1" | head -30
    fi
}

run() {
    local dir logs before=$((passed + failed))
    dir=$(directory "$1") logs=$dir/test-logs
    echo "== $1: running"
    rm -rf "$logs"
    mkdir -p "$logs"
    export PLUMB=$PWD/$dir/plumb PLUMB_BUILD=$PWD/$dir 
    unset PLUMB_SANITIZED # where it is set, tests look at fewer histories
    if [ "$1" != release ]; then export PLUMB_SANITIZED=$1; fi
    {
        for p in "$dir"/tests/*; do [ -f "$p" ] && [ -x "$p" ] && echo "$p $logs/$(basename "$p").log"; done
        for s in tests/*/test_*.sh; do [ -f "$s" ] && echo "$s $logs/$(basename "$s").log"; done
    } | xargs -P "$cores" -n 2 bash -c 'run_program "$0" "$1"'
    for log in "$logs"/*.log; do count "$log"; done
    echo "   $((passed + failed - before)) tests"
}

for b in "${builds[@]}"; do
    if build "$b"; then
        if [ "$b" != clang ]; then run "$b"; fi
    else
        echo "FAILED: build $b"
        failed=$((failed + 1))
    fi
done

[ "$skipped" -gt 0 ] && echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
