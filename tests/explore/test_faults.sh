#!/bin/bash
# What code under test cannot count on: when its clock ticks, which of its timed waits run out, and that a weak compare-and-swap or a wait
# ends for a reason only.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
root=$PWD
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1

explored() { # program options: the report is in out
    local program=$1
    shift
    rm -f ./*.schedule
    timeout 300 "$PLUMB" explore --quiet --jobs 1 --time 200 "$@" "$root/tests/explore/machine/$program" >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
}
wrong() { # name pattern program options
    local name=$1 pattern=$2
    shift 2
    explored "$@"
    ok "$name: found" "$([ $code = 1 ] && grep -q "$pattern" "$SCRATCH/out"; echo $?)"
    [ $code = 1 ] || sed 's/^/# /' "$SCRATCH/out" "$SCRATCH/err"
}
right() { # name program options
    local name=$1
    shift
    explored "$@"
    ok "$name: right, in every interleaving" "$([ $code = 0 ] && grep -q "^covered: every interleaving" "$SCRATCH/out"; echo $?)"
    [ $code = 0 ] || sed 's/^/# /' "$SCRATCH/out" "$SCRATCH/err"
}

# ---- clocks: each look is a step, of one clock ----
for clock in "" -DCYCLES=1 -DCYCLES=2; do
    for strategy in auto dpor; do
        how=(-s "$strategy" -O1 $clock)
        wrong "a later stamp is the smaller one $clock $strategy" "^assertion failed" clocks.c -DCASE=1 "${how[@]}"
        wrong "an earlier stamp is the smaller one $clock $strategy" "^assertion failed" clocks.c -DCASE=2 "${how[@]}"
        wrong "stamps are equal $clock $strategy" "^assertion failed" clocks.c -DCASE=3 "${how[@]}"
        right "there are stamps $clock $strategy" clocks.c -DCASE=4 "${how[@]}"
    done
    wrong "stamps alternate $clock" "^assertion failed" clocks.c -DCASE=5 -O1 $clock
    right "a published stamp is not from the future $clock" clocks.c -DCASE=6 -O1 $clock
    for limit in 1000L 1000000L 1000000000000L; do
        right "a deadline that is polled is reached $clock $limit" clocks.c -DCASE=7 -DLIMIT=$limit -O1 $clock
    done
    wrong "a deadline may be over before what is waited for comes $clock" "^assertion failed" clocks.c -DCASE=8 -O1 $clock
    wrong "or not $clock" "^assertion failed" clocks.c -DCASE=9 -O1 $clock
    wrong "looking at the clock for ever is a livelock $clock" "^livelock" clocks.c -DCASE=10 -O1 $clock
    right "unless what is waited for comes $clock" clocks.c -DCASE=11 -O1 $clock
done
right "a deadline that is polled without optimisation" clocks.c -DCASE=7 -O0
right "two of them" clocks.c -DCASE=14 -O1
right "who has slept sees a later time" clocks.c -DCASE=12 -O1
wrong "a thread may be away for long" "^assertion failed" clocks.c -DCASE=13 -O1
explored clocks.c -DCASE=2 -O1
says "a look is a step of the interleaving" out "reads the clock"
finish
