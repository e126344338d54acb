#!/bin/bash
# auto against the best single strategy, on every case of the corpus: CPU seconds until a wrong one is found, or a right one is covered
# completely; the median of five seeds. A strategy that does not get there within the limit has no figure; of a case in which none does
# nothing is said. Exit 1: the geometric mean of the ratios is above 2, or one case takes more than 5 times the best and 0.1 s.
#
#   bench/strategies.sh [PLUMB] [CASE...]     cases as in corpus/cases.txt: "treiber_stack.c:BUG_ABA"; all by default
#
# BENCH_SEEDS=5, BENCH_LIMIT=10 (seconds of one run)
set -u
cd "$(dirname "$0")/.." || exit 1
plumb=$(realpath "${1:-build/plumb}")
[ $# -gt 0 ] && shift
chosen=" $* "
seeds=${BENCH_SEEDS:-5} limit=${BENCH_LIMIT:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # strategy seed: CPU seconds, or "-"
    local wanted='"verdict":"violation"'
    [ "$truth" = right ] && wanted='"covered":"every interleaving'
    TIMEFORMAT='%U %S'
    times=$({ time timeout $((limit * 4)) "$plumb" explore --quiet --json --jobs 1 --time "$limit" --strategy "$1" --seed "$2" "${asked[@]}" \
        --schedule "$work/schedule" "$work/test" >"$work/out" 2>/dev/null; } 2>&1)
    rm -f "$work/schedule"
    local partly='"covered":"every interleaving with'
    [ "$truth" = right ] || partly='no such words'
    if grep -q "$wanted" "$work/out" && ! grep -q "$partly" "$work/out"; then awk '{ printf "%.3f\n", $1 + $2 }' <<<"$times"; else echo -; fi
}

median() { # strategy: of all seeds, or "-" when the first does not get there
    local first all
    first=$(run "$1" 1)
    [ "$first" = - ] && { echo -; return; }
    all=$(for ((s = 2; s <= seeds; s++)); do run "$1" "$s"; done)
    printf '%s\n' "$first" "$all" | sed 's/^-$/999/; /^$/d' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

echo "# $(date -u +%F), $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $("$plumb" version | head -1); CPU seconds, median of $seeds seeds, at most $limit s"
printf '%-24s %-16s %-6s %8s %8s %-8s %6s\n' file flag is auto best strategy ratio
while read -r file flag truth criterion; do
    case $file in '#'* | '') continue ;; esac
    case $chosen in '  ' | *" $file:$flag "*) ;; *) continue ;; esac
    asked=()
    [ -z "$criterion" ] || asked=(--criterion "$criterion")
    flags=(-g -O2)
    [ "$flag" = - ] || flags+=("-D$flag")
    driver=cc
    [[ $file == *.cpp ]] && driver=c++
    "$plumb" "$driver" "${flags[@]}" "corpus/$file" -o "$work/test" -pthread 2>/dev/null || continue
    auto=$(median auto) best=- name=-
    for strategy in dpor bounded pct random; do
        [ "$truth" = right ] && [ $strategy != dpor ] && continue # the others do not cover everything
        one=$(median "$strategy")
        if [ "$one" != - ] && { [ "$best" = - ] || awk "BEGIN { exit !($one < $best) }"; }; then best=$one name=$strategy; fi
    done
    ratio=-
    [ "$best" != - ] && ratio=$(awk "BEGIN { a = \"$auto\" == \"-\" ? 999 : \"$auto\"; printf \"%.2f\", a / ($best > 0.005 ? $best : 0.005) }")
    printf '%-24s %-16s %-6s %8s %8s %-8s %6s\n' "$file" "$flag" "$truth" "$auto" "$best" "$name" "$ratio"
done <corpus/cases.txt | tee "$work/table"
awk '$7 != "-" && NF == 7 { n++; sum += log($7); if ($4 == "-" || $4 > 5 * $5 + 0.1) far = far " " $1 ":" $2 }
     END { if (!n) exit 0; mean = exp(sum / n); printf "geometric mean of %d cases: %.2f%s\n", n, mean, far ? "; too far:" far : ""; exit mean > 2 || far != "" }' "$work/table"
