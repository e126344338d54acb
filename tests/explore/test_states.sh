#!/bin/bash
# --strategy states: every state of a program and its history once. What it says, what bounds it, and what it refuses; that it
# comes to the verdicts of dfs is the matter of test_reductions.c and test_scenarios.c.
plumb=${PLUMB:-build/plumb}
[ -e "$(dirname "$plumb")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 bad=0

explore() { # ARGUMENTS: sets out and code
    out=$("$plumb" explore --quiet --color never --jobs 1 --strategy states --schedule "$work/schedule" "$@" 2>&1)
    code=$?
}
expect() { # TITLE CODE PATTERN...: every pattern is in the output
    number=$((number + 1))
    local title=$1 wanted=$2 pattern missing=
    shift 2
    for pattern in "$@"; do grep -qE -- "$pattern" <<<"$out" || missing="$missing; no \"$pattern\""; done
    if [ "$code" = "$wanted" ] && [ -z "$missing" ]; then echo "ok $number - $title"; return; fi
    echo "not ok $number - $title (exit $code, expected $wanted$missing)"
    sed 's/^/# /' <<<"$out"
    bad=1
}

tromp=corpus/tromp_bit.c
explore $tromp --program "write(1) write(0) write(1) | read read read"
expect "Tromp's bit, three writes and three reads: exhausted" 0 "^no violation" "^covered: every state" \
    "executions, [0-9,]+ states, " "hashes of 128 bits.* probability below"
for bug in LINE3 LINE6; do
    explore $tromp -DBUG_$bug
    expect "its simplification $bug is found" 1 "^violation: not linearizable" "^found after .* states"
    out=$("$plumb" replay "$work/schedule" 2>&1)
    code=$?
    expect "and its schedule replayed" 1 "not linearizable"
    rm -f "$work/schedule"
done

explore $tromp --memory 100K --program "write(1) write(0) write(1) | read read read"
expect "states that do not fit into --memory are not claimed" 2 "^undecided" "^covered: some states" "did not fit into --memory"
explore $tromp --executions 50 --program "write(1) write(0) write(1) | read read read"
expect "nor those of a search that was stopped" 2 "^undecided" "^covered: some states"
explore --memory lots $tromp
expect "--memory takes an amount" 64 "an amount of memory such as 500M or 2G"

cat >"$work/either.c" <<'END'
#include <plumbline/test.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cell;
PLUMB_OBJECT("register")
PLUMB_INITIAL("0")
PLUMB_OP(write, x) { atomic_store(&cell, (int)x); return plumb_none(); }
PLUMB_OP(read) { return plumb_int(atomic_load(&cell)); }
static void *writer(void *none) {
    for (int i = 0; i < 3; i++) PLUMB_CALL(write, plumb_choose(2));
    return none;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    for (int i = 0; i < 3; i++) PLUMB_CALL(read);
    pthread_join(t, NULL);
}
END
explore "$work/either.c"
expect "a writer that writes either value, in a program with its own main" 0 "^covered: every state"

cat >"$work/spin.c" <<'END'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int flag;
PLUMB_OP(wait) { while (!atomic_load(&flag)) continue; return plumb_none(); }
PLUMB_OP(tell) { if (!MISSED) atomic_store(&flag, 1); return plumb_none(); }
PLUMB_THREADS("wait | tell")
END
explore -DMISSED=0 "$work/spin.c"
expect "a thread that waits and is told" 0 "^covered: every state"
explore -DMISSED=1 "$work/spin.c"
expect "a thread that waits for ever" 1 "^livelock"

cat >"$work/stuck.c" <<'END'
#include <plumbline/test.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *x, pthread_mutex_t *y) {
    pthread_mutex_lock(x), pthread_mutex_lock(y), pthread_mutex_unlock(y), pthread_mutex_unlock(x);
}
PLUMB_OP(forth) { both(&a, &b); return plumb_none(); }
PLUMB_OP(back) { both(&b, &a); return plumb_none(); }
PLUMB_THREADS("forth | back")
END
explore "$work/stuck.c"
expect "a deadlock" 1 "^deadlock"

# The state comes again, so the search ends by itself; dfs would follow the two threads for ever.
cat >"$work/turns.c" <<'END'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int turns, done;
PLUMB_OP(turn) { while (!atomic_load(&done)) atomic_fetch_xor(&turns, 1); return plumb_none(); }
PLUMB_OP(end) { atomic_store(&done, 1); return plumb_none(); }
PLUMB_THREADS("turn | turn | end")
END
explore "$work/turns.c"
expect "a loop that writes and comes back to where it was" 0 "^covered: every state" "came back to a state"

explore --races $tromp
expect "--races is refused: a state does not say what happened before" 64 "does not look for data races"
explore --progress wait-free $tromp
expect "--progress is refused" 64 "does not judge --progress"
for monitor in all pattern count,k=1 points; do
    explore corpus/annotated_stack.c --monitor $monitor -DBUG_POP --program "push(1) : pop push(2) | pop"
    expect "with monitor $monitor a wrong stack is found" 1 "^(violation|use after free|wrong annotation)"
    rm -f "$work/schedule"
done
echo "1..$number"
exit $bad
