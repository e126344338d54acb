#!/bin/bash
# Spin beside `plumb explore -s states`: the models of examples/promela with every monitor that is exported for them, and the code of the corpus
# that they are models of, with the same threads. Right ones are exhausted by both, wrong ones refuted by both; states and time of each. States
# are not of one kind: a model's step is what its author made atomic, the code's is each access to shared memory. `make bench` keeps it in
# bench/results/spin.txt. Exit 1: a verdict is not as it should be.
set -u
cd "$(dirname "$0")/.." || exit 1
plumb=$(realpath "${1:-build/plumb}")
command -v spin >/dev/null || { echo "spin is not installed"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# Sets verdict, states and seconds (of CPU, without compiling).
by_spin() { # model object kind flags...
    local model=$1 object=$2 kind=$3 log=$work/m/log
    shift 3
    rm -rf "$work/m" && mkdir "$work/m" && cp examples/promela/*.pml "$work/m"
    "$plumb" export-monitor --object "$object" --kind "$kind" --to promela >"$work/m/monitor.pml"
    (cd "$work/m" && spin "$@" -a "$model" >spin.log 2>&1 && cc -O2 -w -DSAFETY -DVECTORSZ=2048 -o pan pan.c &&
        { TIMEFORMAT=%U; time timeout 300 ./pan -m200000 >log; } 2>seconds)
    seconds=$(tail -n 1 "$work/m/seconds") verdict=unfinished
    grep -q 'errors: 0$' "$log" && ! grep -q 'max search depth too small' "$log" && verdict=right
    grep -q 'assertion violated' "$log" && verdict=wrong
    states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$log")
}
by_plumb() { # file kind flags program
    local out=$work/out
    { TIMEFORMAT=%U; time timeout 300 "$plumb" explore --quiet --color never --jobs 1 --strategy states --model sc --monitor "$2" --flags "$3" --program "$4" \
        --schedule "$work/schedule" "corpus/$1" >"$out" 2>&1; } 2>"$work/seconds"
    rm -f "$work/schedule"
    seconds=$(sed -n 's/.*, \([0-9.]*\) s.*/\1/p' "$out" | head -n 1)
    case $(head -n 1 "$out") in "no violation"*) verdict=right ;; violation* | crash* | "use after free"*) verdict=wrong ;; *) verdict=unfinished ;; esac
    states=$(sed -n 's/.* \([0-9,]*\) states\{0,1\},.*/\1/p' "$out" | head -n 1)
}
row() { # title wanted
    [ "$verdict" = "$2" ] || bad=1
    printf '%-48s  %-10s  %12s  %8s%s\n' "$1" "$verdict" "${states:--}" "${seconds:--}" "$([ "$verdict" = "$2" ] || echo "   NOT AS WANTED: $2")"
}
echo "# $(date -u +%F), $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) cores, $("$plumb" version | head -1), $(spin -V)"
printf '%-48s  %-10s  %12s  %8s\n' 'what, monitor' verdict states seconds
while read -r model object kinds file bug program; do
    for kind in ${kinds//,/ }; do
        flags=()
        case $kind in points) flags=(-DPOINTS) ;; count | all) [ "$object" = set ] || flags=(-DCOUNT) ;; esac
        by_spin "$model" "$object" "$kind" "${flags[@]}"
        row "spin $model, $kind" right
        by_spin "$model" "$object" "$kind" "${flags[@]}" -DWRONG
        row "spin $model -DWRONG, $kind" wrong
    done
    [ "$file" = - ] && continue
    for kind in all pattern; do
        by_plumb "$file" $kind -DX "$program"
        row "plumb $file, $kind" right
        [ "$bug" = - ] || by_plumb "$file" $kind "-D$bug" "$program"
        [ "$bug" = - ] || row "plumb $file -D$bug, $kind" wrong
    done
done <<'END'
treiber_stack.pml stack pattern,points,count,all treiber_stack.c - push(1) pop | push(2) pop | pop
michael_scott_queue.pml queue pattern,points,count,all michael_scott_queue.c BUG_TAIL enq(1) deq | enq(2) deq | deq
test_and_set_lock.pml lock pattern,count,all test_and_set_lock.c BUG_TEST lock unlock lock unlock | lock unlock lock unlock
cached_register.pml register pattern,count,all - - -
bit_set.pml set pattern,all - - -
END
exit $bad
