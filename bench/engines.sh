#!/bin/bash
# auto against the best single engine: CPU seconds of deciding, without evidence, on generated histories of every kind that the documents speak of and on
# every recorded history of $PLUMB_DATA. Engines that do not decide within the limit have no figure. Exit 1: auto takes more than 1.5 times the
# best where that one's declaration settles the choice (near-linear), or more than 3 times elsewhere, and 10 ms in both cases: that is the clock's grain.
#
#   bench/engines.sh [PLUMB] [FILE...]     FILE...: these histories only
#
# BENCH_LIMIT=10 (seconds of one run), BENCH_RUNS=3 (the least of so many), BENCH_SIZE=100000 (operations of the near-linear rows)
set -u
cd "$(dirname "$0")/.." || exit 1
plumb=$(realpath "${1:-build/plumb}")
[ $# -gt 0 ] && shift
limit=${BENCH_LIMIT:-10} runs=${BENCH_RUNS:-3} size=${BENCH_SIZE:-100000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'
worse=0

cpu() { # engine file: CPU seconds, or "-" when it did not decide
    local least=- i times
    for ((i = 0; i < runs; i++)); do
        times=$({ time timeout $((limit * 8)) "$plumb" check -q -j 1 --evidence none -t "$limit" -e "$1" "$2" >"$work/out" 2>/dev/null; } 2>&1)
        grep -qE '^(linearizable|violation|holds)' "$work/out" || break
        least=$(awk -v had="$least" '{ now = $1 + $2; print had == "-" || now < had ? now : had }' <<<"$times")
    done
    echo "$least"
}

reading() { # file: what merely reading it costs
    times=$({ time "$plumb" check -q -j 1 --evidence none -t 0.000001 -e enumerate "$1" >/dev/null 2>&1; } 2>&1)
    awk '{ print $1 + $2 }' <<<"$times"
}

engines_of() { # file: near-linear ones first, as they are listed
    "$plumb" engines | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p' | grep -vE '^(auto|enumerate|counting|soar|clmt|saturate)$'
}

row() { # name file
    local auto best=- who=- engine took read
    auto=$(cpu auto "$2")
    read=$(reading "$2")
    for engine in $(engines_of "$2"); do
        "$plumb" check -q -j 1 --evidence none -t 0.000001 -e "$engine" "$2" 2>&1 | grep -qE 'does not decide|only decides|needs|wants' && continue
        took=$(cpu "$engine" "$2")
        [ "$took" = - ] && continue
        if [ "$best" = - ] || awk -v a="$took" -v b="$best" 'BEGIN { exit !(a < b) }'; then best=$took who=$engine; fi
    done
    local factor=3
    case $who in *-linear) factor=1.5 ;; esac
    awk -v name="$1" -v auto="$auto" -v best="$best" -v who="$who" -v factor="$factor" -v read="$read" 'BEGIN {
        if (best == "-") { print name, (auto == "-" ? "no engine decides it" : "only auto decides it: " auto " s"); exit (auto == "-") }
        if (auto == "-") { print name, "auto does not decide it;", who, best, "s"; exit 1 }
        a = auto - read > 0 ? auto - read : 0; b = best - read > 0 ? best - read : 0
        bad = a > factor * b + 0.01
        ratio = b > 0.01 ? sprintf("ratio %.2f", a / b) : "ratio within 10 ms"
        printf "%-44s auto %.3f  %s %.3f  reading %.3f  %s%s\n", name, auto, who, best, read, ratio, (bad ? "  WORSE" : "")
        exit bad
    }' || worse=1
}

if [ $# -gt 0 ]; then
    for f; do row "$(basename "$f")" "$f"; done
    exit $worse
fi

make_row() { # object operations threads options...
    local object=$1 n=$2 j=$3
    shift 3
    "$plumb" generate -o "$object" -n "$n" -j "$j" "$@" >"$work/h.jsonl" 2>/dev/null || return
    row "$object $n $j $*" "$work/h.jsonl"
}

for object in register cas-register kv set counter queue stack pqueue-max multiset deque fetch-add lock max-register; do
    make_row $object "$size" 4
    make_row $object "$size" 16 --pending 0.01
done
for object in queue stack multiset deque; do make_row $object 1000 4 --duplicates 0.3; done
for object in kv cas-register; do make_row $object 10000 8 --pending 0.02 --duplicates 0.2; done
for object in register kv cas-register; do make_row $object 10000 8 --mutate stale-read; done
for object in queue stack deque pqueue-max; do make_row $object 10000 8 --mutate wrong-order; done
data=${PLUMB_DATA-../shared/data}
if [ -d "$data" ]; then
    while read -r f; do row "${f#"$data"/}" "$f"; done < <(find "$data" -type f \( -name '*.jsonl*' -o -name '*.log' -o -name '*.txt' -o -name '*.violin' \) | sort)
fi
exit $worse
