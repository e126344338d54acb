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
    ok "$name: right, in all interleavings" "$([ $code = 0 ] && grep -Eq "^covered: (every interleaving|all interleavings within limits;)" "$SCRATCH/out"; echo $?)"
    [ $code = 0 ] || sed 's/^/# /' "$SCRATCH/out" "$SCRATCH/err"
}

# ---- clocks: each look is a step, of one clock ----
for clock in "" -DCYCLES=1 -DCYCLES=2; do
    for strategy in auto dpor; do
        if [ "$strategy$clock" = dpor-DCYCLES=2 ]; then continue; fi
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
for strategy in auto dpor dfs; do
    wrong "a stamp behind a counted loop may come late $strategy" "^assertion failed" clocks.c -DCASE=15 -O1 -s $strategy
done
explored clocks.c -DCASE=2 -O1
says "a look is a step of the interleaving" out "reads the clock"
# ---- timed waits: --timeouts of each thread, and a line that says when there could be more ----
limited() { # name pattern: the report does not claim more than was done
    ok "$1" "$(grep -Eq "^covered: (every interleaving|all interleavings within limits); .*$2" "$SCRATCH/out"; echo $?)"
}
for n in 1 2; do
    wrong "a third time-out $n" "^assertion failed" faults.c -DCASE=$n -O1
    right "a fourth one is not offered $n" faults.c -DCASE=$n -DN=4 -O1
    limited "and the report says so $n" "times? a timed wait could have run out once more"
    wrong "unless it is asked for $n" "^assertion failed" faults.c -DCASE=$n -DN=4 -O1 --timeouts 4
    right "none, when that is asked for $n" faults.c -DCASE=$n -DN=1 -O1 --timeouts 0
    limited "which the report says, too $n" "times? a timed wait could have run out once more"
done

# ---- failures without a reason ----
for level in -O0 -O2; do
    wrong "a weak compare-and-swap fails without a reason $level" "^assertion failed" faults.c -DCASE=3 $level
    says "the step that failed is shown $level" out "cas owner: 0 expected, FAILS, is 0"
    right "not when that is not wanted $level" faults.c -DCASE=3 $level --spurious 0
    limited "which the report says $level" "can fail or wake up spuriously, which was not explored"
    right "nor a strong one $level" faults.c -DCASE=4 $level
    ok "and nothing was left out $level" "$(grep -qx "covered: every interleaving" "$SCRATCH/out"; echo $?)"
    right "a loop tries again $level" faults.c -DCASE=5 $level
    right "and with more failures $level" faults.c -DCASE=5 $level --spurious 3
    right "and when nothing is assumed of loops $level" faults.c -DCASE=5 $level --assume-nothing --spurious 2
    wrong "two failures are too many for one that gives up $level" "^assertion failed" faults.c -DCASE=6 $level --spurious 2
    wrong "a wait ends without a signal $level" "^assertion failed" faults.c -DCASE=7 $level
    right "not when that is not wanted $level" faults.c -DCASE=7 $level --spurious 0
    right "a loop waits again $level" faults.c -DCASE=8 $level
done
explored faults.c -DCASE=3 -O1
"$PLUMB" replay faults.schedule >"$SCRATCH/out" 2>"$SCRATCH/err"
says "a schedule with such a failure is replayed" out "assertion failed"

# ---- asynchronous signals ----
for level in -O0 -O1; do
    wrong "a handler comes between two accesses $level" "^assertion failed" signals.c -DCASE=1 $level -DMISSED=9
    right "but not into one $level" signals.c -DCASE=2 $level -DMISSED=9
    limited "once, and the report says so $level" "moments? in which a signal more could have come"
    wrong "a handler takes a lock that its thread holds $level" "^deadlock" signals.c -DCASE=3 $level -DMISSED=9
    right "a handler that counts $level" signals.c -DCASE=4 $level -DMISSED=9
    wrong "and comes twice, when asked for $level" "^assertion failed" signals.c -DCASE=4 $level -DMISSED=9 --signals 2
    wrong "what it adds may be lost $level" "^assertion failed" signals.c -DCASE=5 $level -DMISSED=0
    wrong "or not $level" "^assertion failed" signals.c -DCASE=5 $level -DMISSED=1
    wrong "behind the last access $level" "^assertion failed" signals.c -DCASE=6 $level -DMISSED=9
    wrong "in a program with its own main $level" "^assertion failed" signals.c -DCASE=7 $level
    wrong "between accesses to thread-local memory $level" "^assertion failed" signals.c -DCASE=8 $level -DMISSED=9
    right "none, when that is asked for $level" signals.c -DCASE=1 $level -DMISSED=9 --signals 0
done
wrong "by dpor alone" "^assertion failed" signals.c -DCASE=1 -O1 -DMISSED=9 -s dpor
"$PLUMB" replay signals.schedule >"$SCRATCH/out" 2>"$SCRATCH/err"
says "a schedule with a signal is replayed" out "assertion failed"
explored signals.c -DCASE=4 -O1 -DMISSED=9 --serial
ok "no serial runs with signals" "$([ $code = 64 ]; echo $?)"
finish
