#!/bin/bash
# Threads that look again and again: one that no other thread will ever let go on is a livelock, whatever it did before and whichever
# strategy meets it; one that counts its looks gives up, and what it does then is explored.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1

said() { # name pattern options...: what the first lines of the report say
    local name=$1 pattern=$2 answer
    shift 2
    answer=$(timeout 120 "$PLUMB" explore --quiet --schedule "$SCRATCH/schedule" -j1 "$@" 2>&1 | tr '\n' ' ')
    rm -f "$SCRATCH/schedule"
    [[ $answer =~ $pattern ]] || echo "# expected $pattern, got ${answer:0:200}"
    ok "$name" "$([[ $answer =~ $pattern ]]; echo $?)"
}

# ---- livelocks -----------------------------------------------------------------------------------------------------------------
# Two threads: FIRST runs before the looks, OTHER is all that the other thread does.
cat >waits.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int flag, seen, many[60];
static volatile int started;
static short kept;
static _Thread_local int own;
static int sum(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += many[i];
    return s;
}
#ifndef EACH
#define EACH (void)0
#endif
static void *looks(void *p) {
    FIRST;
    while (EACH, !atomic_load(&flag)) {}
    return p;
}
static void *other(void *p) {
    OTHER;
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, looks, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    (void)started, (void)kept, (void)own, (void)sum;
    return 0;
}
C
# A loop that writes is none that waits: a thread that is alone and comes back to where it was goes round for ever.
cat >round.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
static atomic_int a, b, tries;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static void *withdraws(void *p) { /* what it waits for is never taken back */
    for (;;) {
        BEGIN;
        a = 1;
        if (!b) break;
        a = 0;
        END;
    }
    a = 0;
    return p;
}
static void *stays(void *p) {
    b = 1;
    OTHER;
    return p;
}
int main(void) {
    pthread_t t[2];
    sem_init(&s, 0, 0);
    pthread_create(&t[0], NULL, withdraws, NULL);
    pthread_create(&t[1], NULL, stays, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    (void)tries, (void)m;
    return 0;
}
C
round='^livelock: thread 1 goes round for ever at round.c'
for strategy in auto dpor bounded pct random dfs; do
    said "$strategy: alone, it takes back and tries again for ever" "$round" round.c -DBEGIN= -DEND= '-DOTHER=while(a){}' -s $strategy
done
said "with a lock" "$round" round.c '-DBEGIN=pthread_mutex_lock(&m)' '-DEND=pthread_mutex_unlock(&m)' -DOTHER=
said "with yields" "$round" round.c -DBEGIN= '-DEND=sched_yield()' -DOTHER=
said "one that counts its tries leaves" '^no violation' round.c -DBEGIN= '-DEND=if(++tries>300)break' -DOTHER= -s bounded -p 0
said "the other will help" '^(no violation|undecided)' round.c -DBEGIN= -DEND= '-DOTHER=while(a){}b=0' --executions 2000
said "its time will run out" '^(no violation|undecided)' round.c -DBEGIN= -DEND= '-DOTHER=sem_timedwait(&s,&(struct timespec){0});b=0' --executions 2000

never='^livelock: thread 1 waits for ever at waits.c'
for strategy in auto dpor bounded pct random dfs; do
    for first in '(void)0' started=1 kept=2 own=3 '*(int*)malloc(4)=1' 'seen=1;kept++'; do
        said "$strategy: $first, then for ever" "$never" waits.c -O1 "-DFIRST=$first" '-DOTHER=(void)0' -s $strategy --executions 2000
    done
done
for n in 3 30 50; do
    said "after $n reads of what others write" "$never" waits.c -O1 "-DFIRST=kept=sum($n)" "-DOTHER=many[$n-1]=1;many[0]=2" -s dpor
done
said "a signal that is lost" "$never" waits.c -O1 '-DFIRST=seen=1;kept++' '-DOTHER=if(seen)flag=1'
said "a signal that comes" '^no violation covered: every interleaving' waits.c -O1 '-DFIRST=seen=1;kept++' '-DOTHER=flag=1'

# A private write in the loop itself, which the next round overwrites: the loop is pure, and what it has read before that write counts.
for strategy in auto dpor bounded; do
    said "$strategy: a private write in the loop" "$never" waits.c -O1 '-DFIRST=(void)0' '-DEACH=kept=seen' '-DOTHER=seen=1' -s $strategy
    said "$strategy: the same, and it ends" '^no violation covered: every' waits.c -O1 '-DFIRST=(void)0' '-DEACH=kept=seen' '-DOTHER=seen=1;flag=1' -s $strategy
done

cat >put_test.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
#include <stdlib.h>
struct cell { int v; };
static struct cell *_Atomic slot;
PLUMB_OP(put, v) {
    struct cell *c = malloc(sizeof *c), *none;
    c->v = (int)v;
    for (;;) {
        while (atomic_load(&slot)) {}
        none = NULL;
        if (atomic_compare_exchange_strong(&slot, &none, c)) return plumb_none();
    }
}
PLUMB_OP(take) { return plumb_bool(atomic_exchange(&slot, NULL) != NULL); }
C
for strategy in auto dpor bounded random; do
    said "$strategy: a full slot that no thread empties" '^livelock' put_test.c -O1 --program 'put(1) | put(2)' -s $strategy --executions 2000
done

# ---- looks that are counted ----------------------------------------------------------------------------------------------------
# A thread that looks up to K times and then gives up. LOOK is what it looks at, EACH what else it does in a round.
cat >counts.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int x, y, z, gave;
#ifndef EACH
#define EACH (void)0
#endif
static void *looks(void *p) {
    int i, before = atomic_load(&z);
    for (i = 0; i < K && !(LOOK); i++) EACH;
    if (i == K) gave = 1;
    assert(RIGHT);
    (void)before;
    return p;
}
static void *other(void *p) {
    OTHER;
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, looks, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
C
every='^no violation covered: every interleaving'
counted='^no violation covered: all interleavings within limits; 1 loop that counts its looks was left after the first few or after all'
fails='^assertion failed'
while IFS=';' read -r look each; do
    for k in 40 200000; do
        counts=(counts.c -O1 "-DK=$k" "-DLOOK=$look" "-DEACH=$each")
        about="$k looks at $look, $each"
        said "$about: giving up is right" "$counted" "${counts[@]}" -DRIGHT=1 '-DOTHER=x=1;y=1'
        said "$about: no thread sets it" "$every" "${counts[@]}" -DRIGHT=1 '-DOTHER=z=1'
        said "$about: it gives up" "$fails" "${counts[@]}" '-DRIGHT=!gave' '-DOTHER=x=1;y=1' -s dpor
        said "$about: it may see the flag" "$fails" "${counts[@]}" '-DRIGHT=gave' '-DOTHER=x=1;y=1' -s dpor
        said "$about: it gives up, then sees what came with the flag" "$fails" "${counts[@]}" '-DRIGHT=!(gave&&z)' '-DOTHER=y=1;x=1;z=1' -s dpor
        said "$about: who saw what came after the flag sees the flag" "$counted" "${counts[@]}" '-DRIGHT=!(gave&&before)' '-DOTHER=y=1;x=1;z=1' -s dpor
    done
done <<'END'
x;(void)0
x||y;(void)0
x;sched_yield()
END
said "a loop that is endless only in one state" '^livelock' counts.c -O1 -DK=100000 '-DLOOK=x||(z&&i--<0)' -DRIGHT=1 '-DOTHER=z=1'

# A loop that is not left after millions of looks is taken for endless: then that is said, and only then.
cat >lasts.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *looks(void *p) {
    for (volatile long i = 0; i < 2000000000 && !x; i++) {}
    return p;
}
static void *other(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, looks, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
C
said "the limit is part of the coverage" '^no violation covered: all interleavings within limits; 1 loop is taken for endless because it was not left after very many looks' lasts.c -O1
said "and of no other" "$every [0-9]+ exec" counts.c -O1 -DK=1000 -DLOOK=x -DRIGHT=1 '-DOTHER=z=1'
# What depends on the exact number of looks is not found; and "every interleaving" is not claimed. Three looks are all tried.
said "a number of looks in between" "$counted" counts.c -O1 -DK=40 -DLOOK=x '-DRIGHT=i!=7' '-DOTHER=x=1'
for n in 0 1 2 3; do said "three looks: after $n" "$fails" counts.c -O1 -DK=3 -DLOOK=x "-DRIGHT=i!=$n" '-DOTHER=x=1'; done
said "three looks: nothing is skipped" "$every [0-9]+ exec" counts.c -O1 -DK=3 -DLOOK=x -DRIGHT=1 '-DOTHER=x=1'

# ---- loops that yield ----------------------------------------------------------------------------------------------------------
# The thread that yields writes in its loop, so it does not just look: each yield is a place to go on with the other thread or not.
cat >yields.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int flag, rounds;
static void *waits(void *p) {
    while (!flag) rounds++, sched_yield();
    return p;
}
static void *sets(void *p) {
    flag = 1;
    return p;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, i < N ? waits : sets, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
C
fair='; 1 program in which a thread that yields again and again while another waits was not followed'
said "a loop that yields ends without preemptions" "covered: all interleavings within limits with at most 0 preemptions, and more$fair" yields.c -O1 -DN=1 -s bounded -p 0
said "threads that yield and write are not unfair when they need not be" 'covered: every interleaving [0-9]' yields.c -O1 -DN=0 -s bounded -p 0

# The interlocked work-stealing queue of the CHESS benchmarks, with their spin lock that sleeps: a failure found in it repeats itself.
# BUG: the owner takes an element that a thief may have.
cat >stealing.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
enum { ITEMS = 3, SIZE = 4 };
static atomic_long head, tail, elem[SIZE], lock;
static atomic_int got[ITEMS + 1];
static void enter(void) {
    for (long free = 0; !atomic_compare_exchange_strong(&lock, &free, 1); free = 0) sleep(0);
}
static void leave(void) { atomic_store(&lock, 0); }
static void push(long v) {
    long t = atomic_load(&tail);
    atomic_store(&elem[t % SIZE], v);
    atomic_store(&tail, t + 1);
}
static long pop(void) {
    long t = atomic_load(&tail) - 1, v = 0;
    atomic_exchange(&tail, t);
    if (atomic_load(&head) <= t BUG) return atomic_load(&elem[t % SIZE]);
    atomic_exchange(&tail, t + 1);
    enter();
    if (atomic_load(&head) <= t) {
        atomic_exchange(&tail, t);
        v = atomic_load(&elem[t % SIZE]);
    }
    leave();
    return v;
}
static long steal(void) {
    long v = 0;
    enter();
    long h = atomic_load(&head);
    atomic_exchange(&head, h + 1);
    if (h + 1 <= atomic_load(&tail)) v = atomic_load(&elem[h % SIZE]);
    else atomic_exchange(&head, h);
    leave();
    return v;
}
static void take(long v) {
    if (v) assert(!atomic_fetch_add(&got[v], 1));
}
static void *thief(void *p) {
    take(steal());
    take(steal());
    return p;
}
int main(void) {
    pthread_t t[2];
    for (long v = 1; v <= ITEMS; v++) push(v);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, thief, NULL);
    take(pop());
    take(pop());
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}
C
for strategy in auto random; do
    said "$strategy: an element that is stolen and taken" '^assertion failed' stealing.c -O1 '-DBUG=+1' -s $strategy
done
said "the queue is right" '^no violation' stealing.c -O1 '-DBUG=' -s bounded -p 0

# ---- a loop without a step -------------------------------------------------------------------------------------------------------
# Nothing that it looks at is shared with a thread that could change it: it is ended in its own code, with its place and a schedule.
cat >endless.c <<'C'
#include <pthread.h>
static void *turns(void *p) {
    volatile long n = 0;
    while (!*(int *)p) n++;
    return p;
}
int main(void) {
    pthread_t t;
    int never = 0;
    pthread_create(&t, NULL, turns, &never);
    pthread_join(t, NULL);
    return 0;
}
C
plumb explore --quiet -j1 -O1 -s dpor endless.c
exits "a loop without a step is not decided" 2
says "its place is named" out "without a step, at endless.c:4"
ok "and there is a schedule" "$([ -s endless.schedule ]; echo $?)"

finish
