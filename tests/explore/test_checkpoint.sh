#!/bin/bash
# plumb explore --checkpoint: an exploration in pieces is the exploration at once, nothing twice and nothing left out; what is in the
# file is of one program and one set of options.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
cat >steps.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x, y, z;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *last;
static void *run(void *p) {
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&y, atomic_load(&x));
    pthread_mutex_lock(&lock);
    free(last);
    last = malloc(sizeof *last);
    *last = (int)(long)p;
    pthread_mutex_unlock(&lock);
    atomic_store(&z, (int)(long)p);
    return NULL;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, run, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    free(last);
    last = NULL;
#ifdef BUG
    assert(!(x == 3 && y == 9 && z == 0));
#endif
    return 0;
}
C
explore() { plumb explore --quiet -O1 --reuse choose steps.c "$@"; }
executions() { sed -n 's/^\([0-9,]*\) executions.*/\1/p' "$SCRATCH/out" | tr -d ,; }
# Pieces until the report says $covered, or fails; their number is in $pieces.
in_pieces() { # options
    rm -f kept
    for ((pieces = 1; pieces < 60; pieces++)); do
        explore --checkpoint kept "$@"
        if [ $code = 1 ] || grep -qxF "$covered" "$SCRATCH/out"; then break; fi
    done
}

# ---- nothing twice, nothing left out ----
for strategy in dpor "bounded -p 1"; do
    explore -j1 -s $strategy
    exits "$strategy at once" 0
    covered=$(grep '^covered' "$SCRATCH/out") whole=$(executions)
    in_pieces -j1 -s $strategy --executions $((whole / 4))
    exits "$strategy in pieces" 0
    ok "$strategy: there were some" "$([ $pieces -gt 1 ]; echo $?)"
    ok "$strategy: as many executions" "$([ "$(executions)" = "$whole" ]; echo $?)"
    ok "$strategy: the same coverage" "$(grep -qxF "$covered" "$SCRATCH/out"; echo $?)"
    cp "$SCRATCH/out" before
    explore --checkpoint kept -j1 -s $strategy --executions 200
    ok "$strategy: what is done is not done again" "$([ "$(executions)" = "$whole" ] && [ $code = 0 ]; echo $?)"
    ok "$strategy: and still said" "$(grep -qxF "$covered" "$SCRATCH/out"; echo $?)"
    says "$strategy: and where it comes from" out "executions of earlier runs are among these (kept)"
done
explore -j1
covered=$(grep '^covered' "$SCRATCH/out") whole=$(executions)
for jobs in 1 2 3; do
    in_pieces -j$jobs --executions $((whole / 4))
    exits "auto in pieces, $jobs processes" 0
    ok "the same coverage, $jobs processes" "$(grep -qxF "$covered" "$SCRATCH/out"; echo $?)"
done
explore --checkpoint other -j1 -s dpor --executions 50
exits "a piece alone" 2
ok "does not claim what is left" "$(! grep -q '^covered: every\|^covered: all' "$SCRATCH/out"; echo $?)"
explore --checkpoint other -j3 -s dpor
exits "and others go on with it" 0

# ---- failures behind the first piece ----
in_pieces -DBUG -j1 -s dpor --executions 20
ok "not in the first" "$([ $pieces -gt 1 ]; echo $?)"
exits "a failure in a later piece" 1
says "is found" out "assertion failed"
plumb replay steps.schedule
exits "and replayed" 1

# ---- several programs: those that are done are not explored again ----
cat >counter.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int n;
PLUMB_OBJECT("counter")
PLUMB_OP(inc) { atomic_fetch_add(&n, 1); return plumb_none(); }
PLUMB_OP(get) { return plumb_int(atomic_load(&n)); }
C
plumb explore --quiet -j1 --length 1-2 --threads 2-2 counter.c
covered=$(grep '^covered' "$SCRATCH/out") whole=$(executions)
plumb explore --quiet -j1 --length 1-2 --threads 2-2 counter.c --checkpoint kept2
ok "made-up programs: as many executions" "$([ "$(executions)" = "$whole" ]; echo $?)"
plumb explore --quiet -j1 --length 1-2 --threads 2-2 counter.c --checkpoint kept2
ok "made-up programs: and the same when all are done" "$([ "$(executions)" = "$whole" ] && grep -qxF "$covered" "$SCRATCH/out"; echo $?)"

# ---- other programs, other files ----
explore --checkpoint kept -DBUG -j1
exits "the checkpoint of another program" 65
one_line "in one line" err
explore --checkpoint kept -s dpor -j1 --spurious 0
exits "of other options" 65
explore --checkpoint kept3 -j1 -s dpor --executions 50
head -c $(($(wc -c <kept3) / 2)) kept3 >half
explore --checkpoint half -j1 -s dpor
exits "a file that was cut" 65
one_line "which is said in one line" err
sed 's/^\(work.*\) 1,/\1 fff,/' kept3 >wild
explore --checkpoint wild -j1 -s dpor
exits "work that there cannot be" 65
# What a stranger says was explored is not believed.
sed 's/^result\t0\t0/result\t1\t1/; /^work/d' kept3 >forged
explore --checkpoint forged -j1 -s dpor
exits "a checkpoint that was altered" 65
says "it is not the user's" err "was not written by you"
one_line "which is said in one line" err
cp kept3 theirs
XDG_STATE_HOME=$SCRATCH/other-user explore --checkpoint theirs -j1 -s dpor
exits "the checkpoint of another user" 65
XDG_STATE_HOME=/dev/null/none explore --checkpoint theirs -j1 -s dpor
exits "no place for a key" 65
echo nonsense >none
explore --checkpoint none
exits "no checkpoint at all" 65
says "what would be right" err "plumb-checkpoint/2"
explore --checkpoint kept -s random
exits "strategies that draw lots keep nothing" 64
says "which is said by name" err "--strategy random"
finish
