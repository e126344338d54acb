#!/bin/bash
# Files of bad patterns: --monitor FILE of plumb explore finds what a file describes and nothing else, with every strategy, and replays it; what is
# exported says the same, in C and to Spin; mistakes are one line and exit code 65.
. tests/cli/lib.sh
BUILD=$(dirname "$PLUMB")
[ -e "$BUILD/libplumbline-explore.so" ] || { echo "skip the explorer is not built"; exit 0; }
plain_scratch
cat >"$SCRATCH/fifo.pattern" <<'END'
object queue
name fifo
pattern overtaken: 1 is enqueued before 2, and 2 is dequeued before 1
  enq(1) before enq(2)
  deq(2) before deq(1)
END
cat >"$SCRATCH/missed.pattern" <<'END'
object queue
pattern missed: a dequeue finds nothing while 1 is inside
  enq(1) before deq(empty)
  deq(empty) before deq(1)
END
# A queue; with -DSTACK a stack, which overtakes; with -DMISS one that misses what is there the first time.
cat >"$SCRATCH/line.c" <<'END'
#include <plumbline/test.h>
#include <pthread.h>
static int inside[8], n, calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken(void) {
    int at = 0;
#ifdef MISS
    if (calls++ == 0) return -1;
#endif
    if (!n) return -1;
#ifdef STACK
    at = n - 1;
#endif
    int v = inside[at];
    for (n--; at < n; at++) inside[at] = inside[at + 1];
    return v;
}
PLUMB_OBJECT("queue")
PLUMB_OP(enq, v) {
    pthread_mutex_lock(&lock);
    inside[n++] = (int)v;
    pthread_mutex_unlock(&lock);
    return plumb_none();
}
PLUMB_OP(deq) {
    pthread_mutex_lock(&lock);
    int v = taken();
    pthread_mutex_unlock(&lock);
    return v < 0 ? plumb_empty() : plumb_int(v);
}
END
explore() { plumb explore --quiet --color never --jobs 1 --schedule "$SCRATCH/schedule" "$@"; }
program='enq(1) enq(2) | deq deq'
for strategy in auto dfs dpor bounded states; do
    explore --monitor "$SCRATCH/fifo.pattern" --strategy $strategy --program "$program" "$SCRATCH/line.c"
    exits "$strategy: a queue does not overtake" 0
    says "and that is what is said" out "no violation of $SCRATCH/fifo.pattern"
    explore --monitor "$SCRATCH/fifo.pattern" --strategy $strategy --program "$program" --flags -DSTACK "$SCRATCH/line.c"
    exits "$strategy: a stack overtakes" 1
    says "by its name and sentence" out "bad pattern: overtaken (1 is enqueued before 2, and 2 is dequeued before 1)"
done
plumb replay --color never "$SCRATCH/schedule"
exits "the execution is replayed" 1
says "with its pattern" out "bad pattern: overtaken"
explore --monitor "$SCRATCH/missed.pattern" --program "$program" --flags -DSTACK "$SCRATCH/line.c"
exits "a stack misses nothing" 0
explore --monitor "$SCRATCH/missed.pattern" --program "$program" --flags -DMISS "$SCRATCH/line.c"
exits "one that misses does" 1
explore --json --monitor "$SCRATCH/missed.pattern" --program "$program" --flags -DMISS "$SCRATCH/line.c"
says "for programs too" out '"failure":"bad pattern","message":"missed (a dequeue finds nothing while 1 is inside)"'
explore --monitor "$SCRATCH/fifo.pattern" corpus/treiber_stack.c
exits "patterns of another object are refused" 64
explore --monitor "$SCRATCH/none.pattern" --program "$program" "$SCRATCH/line.c"
exits "a file that is not there" 66
printf 'object queue\npattern p: words\n  enq(1) befor deq(1)\n' >"$SCRATCH/wrong.pattern"
for command in "monitors" "export-monitor --object" "explore --quiet --program deq $SCRATCH/line.c --monitor"; do
    # shellcheck disable=SC2086
    plumb $command "$SCRATCH/wrong.pattern"
    exits "${command%% *}: a mistake is bad input" 65
    one_line "told in one line" err
    says "with its place" err "$SCRATCH/wrong.pattern:3: unknown condition 'enq(1)'"
done
plumb generate --object queue --ops 4 --output "$SCRATCH/history.jsonl"
plumb check --object "$SCRATCH/fifo.pattern" "$SCRATCH/history.jsonl"
exits "a file of patterns is no object" 64
says "and why" err "bad patterns say what goes wrong, not what an operation does"

# The program's own patterns, written to a file, find what they find without it.
for case in "michael_scott_queue.c queue BUG_HEAD" "elimination_stack.c stack BUG_BRACE" "test_and_set_lock.c lock BUG_TEST" "lock_coupling_set.c set BUG_UNLOCK" "seqlock_register.c register BUG_RECHECK"; do
    read -r file object bug <<<"$case"
    plumb monitors --print --object "$object"
    cp "$SCRATCH/out" "$SCRATCH/own.pattern"
    explore --monitor pattern --flags "-D$bug" "corpus/$file"
    own=$code
    explore --monitor "$SCRATCH/own.pattern" --flags "-D$bug" "corpus/$file"
    exits "$object: its own patterns from a file find what they find" "$own"
done

# ---- drawing and export ----
plumb monitors --dot "$SCRATCH/fifo.pattern"
exits "a drawing" 0
says "of the automaton" out 'return enq(1)'
if command -v dot >/dev/null; then dot -Tsvg "$SCRATCH/out" >/dev/null; ok "that graphviz takes" $?; fi
plumb export-monitor --object "$SCRATCH/fifo.pattern"
exits "an export" 0
cp "$SCRATCH/out" "$SCRATCH/fifo.h"
cat >"$SCRATCH/uses.c" <<'END'
#define FIFO_MONITOR_VALUES 3
#include "fifo.h"
int main(int argc, char **argv) {
    fifo_monitor m = {0};
    unsigned call;
    (void)argv;
    for (unsigned v = 1; v < 3; v++) fifo_monitor_call_insert(&m, v), fifo_monitor_return_insert(&m, v);
    for (unsigned i = 0; i < 2; i++) {
        call = fifo_monitor_call_remove(&m);
        fifo_monitor_return_remove(&m, call, argc > 1 ? 2 - i : 1 + i);
    }
    return fifo_monitor_sees(&m) == FIFO_MONITOR_IS_BAD;
}
END
cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -o "$SCRATCH/uses" "$SCRATCH/uses.c"
ok "compiles without a warning" $?
"$SCRATCH/uses"; ok "finds nothing where there is nothing" $?
"$SCRATCH/uses" swapped; ok "and what there is" "$([ $? -eq 1 ]; echo $?)"
for language in c promela; do
    plumb export-monitor --object examples/patterns/fair_stack.pattern --to $language
    ok "the export to $language has no leftovers" "$(grep -qE '@|\((0|1) (&&|\|\|)|(&&|\|\|) (0|1)\>' "$SCRATCH/out"; [ $? -eq 1 ]; echo $?)"
done
plumb export-monitor --object "$SCRATCH/fifo.pattern" --kind count
exits "counters are not made of patterns" 64
if command -v spin >/dev/null; then
    cat >"$SCRATCH/two.pml" <<'END'
#define MONITOR_VALUES 2
#define MONITOR_PROCESSES 2
#include "monitor.pml"
byte inside[2]; byte n;
#ifdef STACK
#define TAKE v = inside[n - 1]; n--
#else
#define TAKE v = inside[0]; inside[0] = inside[1]; n--
#endif
init {
    byte v;
    monitor_begin();
    atomic { monitor_call_insert(1); inside[n] = 1; n++; monitor_return_insert(1) }
    atomic { monitor_call_insert(2); inside[n] = 2; n++; monitor_return_insert(2) }
    atomic { monitor_call_remove(); TAKE; monitor_return_remove(v) }
    atomic { monitor_call_remove(); TAKE; monitor_return_remove(v) }
    monitor_end()
}
END
    plumb export-monitor --object "$SCRATCH/fifo.pattern" --to promela
    cp "$SCRATCH/out" "$SCRATCH/monitor.pml"
    spin_says() { (cd "$SCRATCH" && spin $1 -a two.pml && cc -O0 -w -DSAFETY -o pan pan.c && ./pan) >"$SCRATCH/out" 2>&1; }
    spin_says ""; ok "Spin exhausts a queue" "$(grep -q 'errors: 0$' "$SCRATCH/out"; echo $?)"
    spin_says -DSTACK; ok "Spin finds that a stack overtakes" "$(grep -q 'assertion violated' "$SCRATCH/out"; echo $?)"
fi
finish
