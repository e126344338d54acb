#!/bin/bash
# Testing without a specification (--serial, --golden), criteria other than linearizability, and how relaxed a code is (--measure).
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$(dirname "$0")/../.." || exit 1
explore() { plumb explore --quiet --jobs 1 --schedule "$SCRATCH/s.schedule" "$@"; }
fresh() { rm -f "$SCRATCH"/s.*; }
never() { ok "$1" "$(! grep -qF -- "$3" "$SCRATCH/$2"; echo $?)"; }
two="enq(1) deq | enq(2) deq"

# ---- serial runs -----------------------------------------------------------------------------------------------------------
explore --serial --program "$two" corpus/michael_scott_queue.c
exits "a right queue does what it does serially" 0
says "six orders" out "specification: 6 serial orders, 4 different runs, "
never "made the first time" out kept
explore --serial --program "$two" corpus/michael_scott_queue.c
says "kept when nothing has changed" out "kept from an earlier run"
explore --serial --program "$two" --flags -DBUG_HEAD corpus/michael_scott_queue.c
exits "a wrong queue does what no serial run does" 1
says "the report says so" out "not linearizable with respect to serial runs"
says "and what it would return" out "run serially it returns"
says "with source lines" out "michael_scott_queue.c:"
never "another program has runs of its own" out kept
plumb replay "$SCRATCH/s.schedule"
exits "its schedule can be replayed" 1
says "replay names the runs" out "not linearizable with respect to serial runs"
printf '%s\n' '{"client":1,"op":"enq","args":[1],"call":1,"ret":2,"res":null}' '{"client":2,"op":"deq","args":[],"call":3,"ret":4,"res":"empty"}' >"$SCRATCH/h.jsonl"
plumb check --object "$SCRATCH/s.serial" "$SCRATCH/h.jsonl"
exits "recorded histories can be checked against serial runs" 1
fresh
explore --serial --operations "enq deq" --threads 2 --length 1 corpus/michael_scott_queue.c
exits "test programs that are made up" 0
ok "drain what they put in" "$(grep -qx 'program enq(1) | enq(2) : deq deq' "$SCRATCH/s.serial"; echo $?)"
never "and need no warning" out well-formed
fresh
explore --serial --program "enq(1) | enq(2) deq" corpus/michael_scott_queue.c
says "a test that leaves something behind is warned of" out "is not well-formed: it puts 2 in and takes 1 out"
fresh
explore --serial --program "$two" corpus/herlihy_wing_queue.c
exits "operations that wait" 0
fresh
explore --serial --program "enq(1) | deq" corpus/herlihy_wing_queue.c
says "have no place in some orders" out "1 given up because an operation waits for another thread"
fresh
explore --serial --program "deq | deq" corpus/herlihy_wing_queue.c
exits "nor in any, sometimes" 65
says "which is said" err "in every serial order an operation waits"

cat >"$SCRATCH/own.c" <<'TEST'
#include <plumbline/test.h>
#include <pthread.h>
static int n;
PLUMB_OP(next) {
    plumb_assert(n < LIMIT);
    int was = n;
    n = was + 1;
    return plumb_int(was);
}
#ifdef MAIN
static void *run(void *unused) { return PLUMB_CALL(next), unused; }
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
#else
PLUMB_THREADS("next | next")
#endif
TEST
fresh
explore --serial --flags -DLIMIT=9 "$SCRATCH/own.c"
exits "no object is needed" 1
says "a lost update is no serial run" out "run serially it returns 1 there"
fresh
explore --serial --flags "-DLIMIT=9 -DMAIN" "$SCRATCH/own.c"
exits "a program with threads of its own" 1
says "with its runs" out "specification: 2 serial orders, 1 different run, "
fresh
explore --serial --flags -DLIMIT=1 "$SCRATCH/own.c"
exits "code that fails by itself" 1
says "fails" out "assertion failed"

# ---- another code's runs -----------------------------------------------------------------------------------------------------
relaxed=corpus/relaxed/quasi_queue.c program="enq(1) enq(2) : enq(3) deq | enq(4) deq : deq deq"
fresh
explore --serial --program "$program" $relaxed
exits "a relaxed queue does concurrently what it does serially" 0
fresh
explore --serial --golden -DK=0 --program "$program" $relaxed
exits "but not what it does without relaxation" 1
says "whose runs they are" out " of corpus/relaxed/quasi_queue.c"
fresh
explore --serial --golden corpus/michael_scott_queue.c --program "$program" $relaxed
exits "nor what another queue does" 1
fresh
explore --serial --golden corpus/michael_scott_queue.c --quasi 2 --program "$program" $relaxed
exits "it is within 2 of that" 0
says "since those runs are a queue's" out "all are runs of queue"
fresh
explore --serial --golden corpus/michael_scott_queue.c --quasi 1 --program "$program" $relaxed
exits "and not within 1" 1
says "in these words" out "not quasi(1) with respect to queue"
fresh
explore --serial --quasi 2 --program "$program" $relaxed
exits "runs that are no queue's are no measure" 65
says "and are shown" err "the serial runs are not those of object queue: enq(1), enq(2)"
fresh
printf '#include <plumbline/test.h>\nPLUMB_OP(enq, v) { (void)v; plumb_assert(0); return plumb_none(); }\nPLUMB_OP(deq) { return plumb_empty(); }\n' >"$SCRATCH/bad.c"
explore --serial --golden "$SCRATCH/bad.c" --program "$program" $relaxed
exits "a golden code that fails" 65
fresh
explore --serial --golden "$SCRATCH/none.c" --program "$program" $relaxed
exits "or is not there" 66

# ---- criteria, and the smallest k ------------------------------------------------------------------------------------------------
explore --criterion "quasi(ahead=2,overtaken=2)" --program "$program" $relaxed
exits "separate limits" 0
explore --criterion "quasi(ahead=1,overtaken=2)" --program "$program" $relaxed
exits "one too low" 1
explore --criterion "out-of-order(2,2)" --program "$program" $relaxed
exits "out of order" 0
explore --measure --program "$program" $relaxed
exits "measured" 0
says "the smallest k" out "quasi(2): no explored history needs more"
says "with a history that forces it" out "not quasi(1): threads: "
plumb replay "$SCRATCH/s.schedule"
exits "and its schedule" 1
says "which is replayed under the criterion it breaks" out "not quasi(1) with respect to queue"
fresh
explore --measure --json --program "enq(1) : deq | deq" --flags -DBUG_TWICE $relaxed
exits "no k will do" 1
fresh
explore --measure --json --program "$two" corpus/michael_scott_queue.c
says "as JSON" out '"criterion":"quasi","k":0,"verdict":"linearizable"'
explore --measure corpus/relaxed/k_stack.c --flags -DBUG_COMMIT
says "doubled values need no k" out "not quasi(k) for any k"
says "what comes at the end is told apart" out "  at the end: pop() returns"

# ---- what makes no sense --------------------------------------------------------------------------------------------------------
while IFS='|' read -r said options; do
    # shellcheck disable=SC2086
    explore $options corpus/michael_scott_queue.c
    exits "refused: $options" 64
    says "because: $said" err "$said"
done <<'CASES'
expected --serial as well|--golden -DK=0
two ways to check|--serial --monitor all
needs an object|--object none --quasi 1
--monitor is for linearizability|--quasi 1 --monitor all
for recorded histories|--criterion aligned(1)
expected it without --criterion and --quasi|--measure --quasi 1
ask for two criteria|--criterion quasi(1) --quasi 1
CASES
explore --quasi 1 corpus/seqlock_register.c
exits "an object without order" 64
echo "1..$number"
exit $bad
