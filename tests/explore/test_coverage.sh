#!/bin/bash
# The line "covered": a limit that was in force is said, in text, JSON and page alike; the same program without it gets the
# sentence without it.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
root=$PWD
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1

explore() { plumb explore -q --jobs 1 -O1 "$@"; }
covered() { grep '^covered: ' "$SCRATCH/out"; }

limited() { # title what-is-said arguments...: the sentence names the limit, in all forms
    local title=$1 what=$2
    shift 2
    explore "$@"
    ok "$title: not the unlimited sentence" "$(! covered | grep -Eq '^covered: every interleaving( of [0-9,]+ test programs?)?$'; echo $?)"
    says "$title: what limits it" out "$what"
    covered | sed 's/^covered: //' >sentence
    explore --json "$@"
    grep -o '"limits":{[^}]*}' "$SCRATCH/out" | grep -o '"[a-z_]*":[0-9]' >>in_force
    ok "$title: JSON has the same sentence" "$(grep -qF "\"covered\":\"$(cat sentence)\"" "$SCRATCH/out"; echo $?)"
    explore --html page.html "$@"
    ok "$title: the page has the same sentence" "$(grep -qF "$(cat sentence)" page.html; echo $?)"
}

unlimited() { # title arguments...
    local title=$1
    shift
    explore "$@"
    ok "$title: nothing limits it" "$([ "$(covered)" = "covered: every interleaving" ]; echo $?)"
}

# ---- the memory model ----
cat >orders.c <<'C'
#include <pthread.h>
#ifndef ORDER
#define ORDER __ATOMIC_SEQ_CST
#endif
#ifndef TIMES
#define TIMES 1
#endif
static long flag[2], seen[2];
static void *side(void *x) {
    long me = (long)x;
    for (int i = 0; i < TIMES; i++) __atomic_store_n(&flag[me], 1, ORDER);
    seen[me] = __atomic_load_n(&flag[!me], ORDER);
    return NULL;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, side, (void *)1);
    side((void *)0);
    pthread_join(t, NULL);
    return 0;
}
C
unlimited "sequentially consistent" orders.c
limited "relaxed" "every interleaving under sequential consistency; 2 places use weaker orders, whose reorderings were not explored (--model rc11)" orders.c -DORDER=__ATOMIC_RELAXED --model sc
cat >instructions.c <<'C'
#include <pthread.h>
static int x;
static void *adds(void *p) {
    __asm__ volatile("lock; incl %0" : "+m"(x));
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, adds, NULL);
    pthread_create(&t[1], NULL, adds, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return x != 2;
}
C
case $(uname -m) in
    x86_64) limited "inline assembly" "every interleaving under sequential consistency; 1 place is inline assembly on shared memory, whose store buffer was not explored (--model tso)" instructions.c --model sc ;;
    *) echo '"assembly":1' >>in_force ;; # of another processor
esac
# without a model the code says which: rc11 too, where an order is weaker than seq_cst, and by name what kept it from that
explore orders.c -DORDER=__ATOMIC_RELAXED
ok "relaxed: under both models" "$([ "$(covered | sed 's/ (.*//')" = "covered: every interleaving under sequential consistency
covered: every execution under RC11" ]; echo $?)"
explore --json orders.c -DORDER=__ATOMIC_RELAXED
says "relaxed: JSON has both" out '"second":{"model":"rc11","covered":"every execution under RC11","executions":4}'
explore --html page.html orders.c -DORDER=__ATOMIC_RELAXED
ok "relaxed: the page has both" "$(grep -q 'Covered: every interleaving under sequential consistency. Covered: every execution under RC11' page.html; echo $?)"
explore --json orders.c
says "sequentially consistent: nothing else was asked for" out '"second":null'
explore orders.c -DORDER=__ATOMIC_RELAXED --strategy dpor
says "relaxed, a strategy of interleavings: by name" out 'not looked at under rc11: --strategy is for interleavings'
explore orders.c -DORDER=__ATOMIC_RELAXED --progress lock-free
says "relaxed, an option for interleavings: by name" out 'not looked at under rc11: --progress is for interleavings'
says "and what was not explored stays said" out '2 places use weaker orders, whose reorderings were not explored'
limited "a bound" "with at most" orders.c -s bounded -p 0
limited "cut off" "cut off before" orders.c --steps 10 -DTIMES=10

# ---- time-outs ----
cat >timed.c <<'C'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long shared;
static void *waits(void *x) {
    struct timespec until = {0};
    for (int i = 0; i < N; i++)
        if (!pthread_mutex_timedlock(&m, &until)) {
            shared++;
            pthread_mutex_unlock(&m);
        }
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waits, NULL);
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
C
unlimited "as many time-outs as are offered" timed.c -DN=2
limited "more time-outs than are offered" "a timed wait could have run out once more" timed.c -DN=4

# ---- spurious failures ----
cat >weak.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_long n;
static void *add(void *x) {
    long was = atomic_load(&n);
    while (!CAS(&n, &was, was + 1)) {}
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    return 0;
}
C
unlimited "a strong compare-and-swap" weak.c -DCAS=atomic_compare_exchange_strong
limited "a weak compare-and-swap" "fail or wake up spuriously" weak.c -DCAS=atomic_compare_exchange_weak --spurious 0
unlimited "failing is the same as trying later" weak.c -DCAS=atomic_compare_exchange_weak
cat >tries.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_long n, failed;
static void *add(void *x) {
    for (int i = 0; i < TRIES; i++) {
        long was = atomic_load(&n);
        if (!atomic_compare_exchange_weak(&n, &was, i + 1)) failed++;
    }
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    failed++;
    pthread_join(t, NULL);
    return 0;
}
C
unlimited "one try, one failure" tries.c -DTRIES=1
limited "one spurious failure of two" "more were possible" tries.c -DTRIES=2
unlimited "two of two" tries.c -DTRIES=2 --spurious 2

# ---- memory that is used again ----
cat >again.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n;
static void *work(void *x) {
    for (int i = 0; i < BLOCKS; i++) {
        volatile long *p = malloc(sizeof *p);
        *p = 1;
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
        free((void *)p);
    }
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
C
unlimited "one block" again.c -DBLOCKS=1
limited "blocks that come back" "could have got other memory (--reuse)" again.c -DBLOCKS=2
unlimited "every possibility" again.c -DBLOCKS=2 --reuse choose
# allocating and freeing are no steps: that they could have been the other way round is known all the same
cat >passed.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(void *) slot;
static void *make(void *x) {
    void *first = malloc(32);
#ifdef EARLY
    void *second = malloc(32);
    atomic_store(&slot, first);
#else
    atomic_store(&slot, first);
    void *second = malloc(32);
#endif
    return second == x ? NULL : x;
}
static void *take(void *x) {
    void *got = atomic_exchange(&slot, NULL);
    if (got) free(got);
    return x;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, make, NULL);
    pthread_create(&u, NULL, take, NULL);
    pthread_join(t, NULL);
    return pthread_join(u, NULL);
}
C
limited "a block of another thread that could have come back" "1 allocation could have got other memory (--reuse)" passed.c
unlimited "what is freed after all allocations comes back to none" passed.c -DEARLY

# ---- races, foreign code, invariants, symmetry ----
cat >racy.c <<'C'
#include <pthread.h>
static long n;
static void *add(void *x) { n++; return x; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    n++;
    pthread_join(t, NULL);
    return 0;
}
C
limited "a data race" "data race" racy.c

cat >twice.c <<'C'
#include <plumbline/test.h>
#ifdef FOREIGN
void foreign(void);
#else
static void foreign(void) {}
#endif
static long a, b;
PLUMB_OP(left) { __atomic_store_n(&a, 1, __ATOMIC_SEQ_CST); foreign(); return plumb_none(); }
PLUMB_OP(right) { __atomic_store_n(&b, 1, __ATOMIC_SEQ_CST); foreign(); return plumb_none(); }
PLUMB_THREADS("left | right")
#ifdef INVARIANT
PLUMB_INVARIANT { return a <= 1; }
#endif
#ifdef SYMMETRY
PLUMB_VALUES_INTERCHANGEABLE
#endif
C
echo 'void foreign(void) {}' >foreign.c
cc -c foreign.c -o foreign.o
unlimited "all code is seen" twice.c
unlimited "threads of operations have no moment in which an invariant is not looked at" twice.c -DINVARIANT
limited "a symmetry that is declared" "1 declared symmetry was relied on" twice.c -DSYMMETRY -s dpor
unlimited "a symmetry that is not relied on" twice.c -DSYMMETRY --assume-nothing
limited "foreign code" "not compiled by plumb cc" twice.c foreign.o -DFOREIGN --foreign=warn

# A program with its own main can do more than operations.
cat >between.c <<'C'
#include <plumbline/test.h>
#include <pthread.h>
static long x, y;
PLUMB_OP(set) { __atomic_store_n(&y, 1, __ATOMIC_SEQ_CST); return plumb_none(); }
#ifdef INVARIANT
PLUMB_INVARIANT { return x <= 1; }
#endif
static void *other(void *p) { __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    PLUMB_CALL(set);
    pthread_join(t, NULL);
    return 0;
}
C
unlimited "no invariant" between.c
limited "an invariant beside other steps" "1 invariant was looked at where operations end" between.c -DINVARIANT

# ---- programs that are made up ----
cat >set.c <<'C'
#include <plumbline/test.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char in[8];
PLUMB_OBJECT("set")
PLUMB_OP(add, x) { pthread_mutex_lock(&m); int was = in[x]; in[x] = 1; pthread_mutex_unlock(&m); return plumb_bool(!was); }
PLUMB_OP(contains, x) { pthread_mutex_lock(&m); int was = in[x]; pthread_mutex_unlock(&m); return plumb_bool(was); }
C
limited "values" "2 different values (--operations gives more)" set.c --threads 2 --length 1
limited "threads and lengths" "at most 2 threads (--threads), 1 operation a thread (--length)" set.c --threads 2 --length 1
explore set.c --threads 2 --length 1 --operations 'add(1..3) contains(1..3)'
says "more values" out "3 different values"

# what small programs do not have is drawn by lot after half a second, made smaller, and never claimed as covered
cat >drawn.c <<'C'
#include <plumbline/test.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char in[8];
static _Thread_local int calls;
PLUMB_OBJECT("set")
PLUMB_OP(add, x) {
    pthread_mutex_lock(&m);
    int was = in[x];
    in[x] = 1;
#ifdef THREE
    plumb_assert(!(in[1] && in[2] && in[3]));
#endif
#ifdef SIX
    plumb_assert(++calls < 6);
#endif
    pthread_mutex_unlock(&m);
    return plumb_bool(!was);
}
PLUMB_OP(contains, x) { pthread_mutex_lock(&m); int was = in[x]; pthread_mutex_unlock(&m); return plumb_bool(was); }
C
explore drawn.c -DTHREE --time 30
ok "three values are drawn: found" "$([ $code = 1 ] && grep -q "^assertion failed" out; echo $?)"
ok "and made as small as it can be" "$(grep "^threads:" out | tr ' ' '\n' | grep -c 'add([123])' | grep -qx 3; echo $?)"
explore drawn.c -DSIX --time 30
ok "six operations of one thread are drawn: found" "$([ $code = 1 ] && grep -q "^assertion failed" out; echo $?)"
explore drawn.c --time 3
says "programs that were drawn are told" out "drawn by lot, run at random, and not counted as covered"
says "and not covered" out "3 operations a thread (--length), 2 different values"
rm -f drawn.schedule
explore drawn.c -DTHREE --time 3 --operations 'add(1..2) contains(1..2)'
ok "not more values than asked for" "$([ $code != 1 ]; echo $?)"

# ---- the smallest part of a program: only when all smaller ones were explored ----
cat >parts.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int x, a, b, c;
static void look(void) { plumb_assert(!(a && b && c)); }
PLUMB_OP(slow) { for (int i = 0; i < STEPS; i++) atomic_fetch_add(&x, 1); return plumb_none(); }
PLUMB_OP(one) { a = 1; look(); return plumb_none(); }
PLUMB_OP(two) { b = 1; look(); return plumb_none(); }
PLUMB_OP(three) { c = 1; look(); return plumb_none(); }
PLUMB_THREADS("slow one | slow two | slow three")
C
explore parts.c -DSTEPS=1; exits "three operations of six fail" 1
says "the smallest part" out "(the smallest part of a program of 6 operations that still fails)"
rm -f parts.schedule
explore parts.c -DSTEPS=20; exits "they fail beside long ones, too" 1
says "a part" out "(a part of a program of 6 operations; not every smaller part was explored to its end)"

# ---- a monitor that cannot say ----
cat >count.c <<'C'
#include <plumbline/test.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long q[8], head, tail;
PLUMB_OBJECT("queue") PLUMB_THREADS("enq(1) | deq")
PLUMB_OP(enq, x) { pthread_mutex_lock(&m); q[tail++] = x; pthread_mutex_unlock(&m); return plumb_none(); }
PLUMB_OP(deq) {
    pthread_mutex_lock(&m);
    plumb_value v = head < tail ? plumb_int(q[head++]) : plumb_empty();
    pthread_mutex_unlock(&m);
    return v;
}
C
unlimited "whole traces are checked" count.c
limited "a monitor that proves nothing" "in which the monitor saw nothing" count.c --monitor count,k=1

limited "a monitor that cannot decide" "could not be checked" count.c --monitor agree

# ---- clocks, looks, yields, allocations, signals ----
cat >small.c <<'C'
#include <plumbline/test.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
static atomic_int flag, other;
#ifdef SIGNAL
PLUMB_SIGNAL { atomic_fetch_add(&other, 1); }
#endif
static void *side(void *x) {
#ifdef CLOCK
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    clock_gettime(CLOCK_MONOTONIC, &t);
#endif
#ifdef LOOKS
    for (int i = 0; i < LOOKS && !atomic_load(&flag); i++) continue;
#endif
#ifdef YIELDS
    while (!atomic_load(&flag)) {
        atomic_fetch_add(&other, 1);
        sched_yield();
    }
#endif
#ifdef BLOCKS
    for (int i = 0; i < BLOCKS; i++) {
        void *volatile block = malloc(8 + 100 * i);
        free(block);
    }
#endif
    atomic_store(&other, 1);
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, side, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
C
unlimited "nothing special" small.c
limited "clocks" "at the clock could have seen" small.c -DCLOCK
unlimited "a few looks" small.c -DLOOKS=1
limited "many looks" "not after every number" small.c -DLOOKS=1000
limited "yields" "yields again and again while another waits was not followed" small.c -DYIELDS -s bounded -p 0
unlimited "one allocation, one failure" small.c -DBLOCKS=1 --alloc-failures 1
limited "more allocations than failures" "more could have failed (--alloc-failures)" small.c -DBLOCKS=2 --alloc-failures 1
unlimited "no signals" small.c -DSIGNAL --signals 0
limited "signals" "in which a signal more could have come (--signals)" small.c -DSIGNAL

# signals that threads send each other; of a wait for a condition, or a sleep, a signal's coming is not explored
cat >sent.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int came;
static void handler(int n) { came = n; }
static void *work(void *p) {
#ifdef SLEEPS
    usleep(1);
#endif
    came = 0;
    return p;
}
int main(void) {
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, work, NULL);
    pthread_kill(t, SIGUSR1);
    return pthread_join(t, NULL);
}
C
unlimited "a signal that comes anywhere" sent.c
limited "a signal and a sleep" "could have ended a wait for a condition or a sleep" sent.c -DSLEEPS

# ---- states ----
cat >turns.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int turns, done;
PLUMB_OP(turn) { while (!atomic_load(&done)) atomic_fetch_xor(&turns, 1); return plumb_none(); }
PLUMB_OP(end) { atomic_store(&done, 1); return plumb_none(); }
PLUMB_THREADS("turn | turn | end")
C
limited "states that come again" "came back to a state" turns.c -s states
limited "memory for states" "did not fit into --memory" turns.c -s states --memory 1K

# ---- loops of graphs that are not proved to wait ----
cat >rounds.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int flag;
static void *set(void *p) { return atomic_store(&flag, 1), p; }
int main(void) {
    pthread_t t;
    int looks = 0;
    pthread_create(&t, NULL, set, NULL);
    while (!atomic_load(&flag)) looks++;
    assert(looks < 1000);
    return pthread_join(t, NULL);
}
C
limited "a loop that counts its looks, by graphs" "a loop that read the same four times over was taken to wait" rounds.c --model rc11

# ---- store buffers ----
cat >stores.c <<'C'
#include <pthread.h>
static volatile int at, seen;
static void *look(void *unused) {
    seen = at;
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, look, NULL);
    for (int i = 1; i <= STORES; i++) at = i;
    return pthread_join(t, NULL);
}
C
limited "more stores than a buffer has room for" "waited until there was room in a buffer of 32" stores.c -DSTORES=34 --model tso
explore stores.c -DSTORES=3 --model tso
ok "few stores: nothing limits it" "$([ "$(covered)" = "covered: every interleaving under x86-TSO" ]; echo $?)"

# ---- every limit there is was in force above ----
# Of a loop that is taken for endless after millions of looks: tests/explore/test_spins.sh.
for limit in $(sed -n 's/^LIMIT(\([a-z_]*\),.*/\1/p' "$root/src/explore/model/coverage.def"); do
    [ "$limit" = spins_cut ] || ok "$limit was tested" "$(grep -qF "\"$limit\"" in_force; echo $?)"
done

finish
