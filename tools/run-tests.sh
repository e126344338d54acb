#!/bin/bash
# Builds and runs the tests. Counts test functions (cmocka) and lines of TAP (shell tests); the last line is the sum.
#
#   tools/run-tests.sh [--fast] [BUILD...]
#
#   checked   asserts and self-checks on, optimised: every test
#   asan      address and undefined behaviour sanitizers, asserts on: every test that is not about speed
#   tsan      thread sanitizer: tests that start threads
#   release   what users get (no asserts), warnings are errors: the fast lane
#   clang     compiles only, for clang's warnings, which are errors; they do not depend on optimisation
#
# All five by default. --fast: only the fast lane (tests/fast-lane.txt says what it leaves out) of one build, release by
# default. What each test printed, and the CPU time it took of which time, is in BUILD/test-logs; the slowest are listed.
set -u
cd "$(dirname "$0")/.." || exit 1
fast=0
if [ "${1-}" = --fast ]; then fast=1; shift; fi
builds=("$@")
if [ ${#builds[@]} -eq 0 ]; then
    if [ $fast = 1 ]; then builds=(release); else builds=(checked asan tsan release clang); fi
fi
cores=$(nproc)
if [ -z "${PLUMB_DATA-}" ]; then export PLUMB_DATA=../shared/data; fi
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_stack_use_after_return=1} UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS="halt_on_error=1 report_thread_leaks=0"
passed=0 failed=0 skipped=0

directory() { if [ "$1" = release ]; then echo build; else echo "build/$1"; fi; }

# Programs whose sources say that they start threads, more than one: only these have something to show under tsan.
threaded_targets() {
    grep -lE 'pthread_create|record_run_all|\.threads = ([^1]|1[0-9])' -r tests --include='test_*.c' |
        sed -e 's|^tests/||' -e 's|\.c$||' -e 's|/|_|g'
}

build() {
    local dir log targets=() options=()
    dir=$(directory "$1") log=$dir/build.log
    mkdir -p "$dir"
    echo "== $1: building"
    local werror=OFF
    case $1 in release | clang | checked) werror=ON ;; esac
    if [ "$1" = tsan ]; then mapfile -t targets < <(threaded_targets; echo plumb); fi
    if [ "$1" = clang ]; then options=(-DCMAKE_C_FLAGS_RELEASE="-O0 -DNDEBUG" -DPLUMB_LINK_TESTS=OFF); fi
    cmake --preset "$1" -DBUILD_TESTING=ON -DPLUMB_WERROR=$werror "${options[@]}" >"$log" 2>&1 &&
        cmake --build "$dir" -j"$cores" ${targets[@]:+--target "${targets[@]}"} >>"$log" 2>&1 && return
    grep -E -A3 'warning:|error:|Error:|undefined reference|\*\*\*' "$log" | head -40
    return 1
}

run_program() { # program log: its output, then lines that say what it cost and how it ended
    local ended
    TIMEFORMAT='cpu %U %S of %R'
    { time timeout 900 "$1" >"$2" 2>&1; } 2>"$2.cpu"
    ended=$?
    tail -1 "$2.cpu" >>"$2"
    rm -f "$2.cpu"
    echo "exit $ended" >>"$2"
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
        grep -E '^\[  FAILED  \]|^\[  ERROR   \]|^not ok|ERROR:|runtime error|WARNING: ThreadSan|Error:|error:|Assertion|^#' "$1" | head -30
    fi
}

# What there is to run, the longest of the fast lane's exceptions first, so that cores are busy to the end.
tests_of() { # build
    local dir slow
    dir=$(directory "$1")
    slow=$(sed -e '/^#/d' -e 's/ .*//' tests/fast-lane.txt)
    {
        for p in "$dir"/tests/*; do [ -f "$p" ] && [ -x "$p" ] && echo "$p"; done
        # what tests/house looks at is the same in every build, but for libraries and what they export
        case $1$fast in
        asan? | tsan?) find tests -name 'test_*.sh' -not -path 'tests/house/*' ;;
        release0) find tests -name 'test_*.sh' -not -path 'tests/house/*' -o -path 'tests/house/test_[el]*.sh' ;;
        *) find tests -name 'test_*.sh' ;;
        esac | sort
    } | awk -v slow="$slow" -v fast="$2" '
        BEGIN {n = split(slow, name, "\n"); for (i = 1; i <= n; i++) at[name[i]] = i}
        {base = $0; sub(".*/", "", base)
         if (!(base in at)) rest[++m] = $0
         else if (!fast) first[at[base]] = $0}
        END {for (i = 1; i <= n; i++) if (i in first) print first[i]; for (i = 1; i <= m; i++) print rest[i]}'
}

run() { # build
    local dir logs lane=$fast before=$((passed + failed))
    dir=$(directory "$1") logs=$dir/test-logs
    if [ "$1" = release ]; then lane=1; fi
    echo "== $1: running"
    rm -rf "$logs"
    mkdir -p "$logs"
    export PLUMB=$PWD/$dir/plumb PLUMB_BUILD=$PWD/$dir
    unset PLUMB_SANITIZED PLUMB_FEWER
    case $1 in asan | tsan) export PLUMB_SANITIZED=$1 PLUMB_FEWER=1 ;; esac # tests look at fewer histories
    if [ $lane = 1 ]; then export PLUMB_FEWER=1; fi
    # one more than there are cores: some tests wait, for a process that they killed or a note that expires
    tests_of "$1" "$lane" | while read -r t; do echo "$t $logs/$(basename "$t").log"; done |
        xargs -P $((cores + 1)) -n 2 bash -c 'run_program "$0" "$1"'
    for log in "$logs"/*.log; do count "$log"; done
    grep -H '^cpu ' "$logs"/*.log | sed -e 's|^.*/||' -e 's|\.log:cpu | |' |
        awk '{t = $2 + $3; s += t; printf "%.1f %s\n", t, $1} END {printf "%.1f all\n", s}' | sort -rn >"$dir/test-times.txt"
    echo "   $((passed + failed - before)) tests, CPU seconds: $(head -6 "$dir/test-times.txt" | awk '{printf "%s%s %s", (NR > 1 ? ", " : ""), $2, $1}')"
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
