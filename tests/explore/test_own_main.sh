#!/bin/bash
# Programs with a main of their own as they are: arguments, environment, files; what fails by choice (--alloc-failures); roles of
# threads that several operations share.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
explore() { plumb explore --quiet -j1 -O1 "$@"; }

# ---- arguments, environment, files ----------------------------------------------------------------------------------------------
cat >reads.c <<'C'
#include <assert.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int n;
static int unwanted, allowed;
static void *add(void *p) {
    int was = n;
    n = was + 1;
    return p;
}
int main(int argc, char **argv) {
    pthread_t t[4];
    char line[80];
    for (int c; (c = getopt(argc, argv, "u:")) >= 0;)
        if (c == 'u') unwanted = atoi(optarg);
    int threads = optind < argc ? atoi(argv[optind]) : 1;
    if (getenv("ALLOWED")) allowed = atoi(getenv("ALLOWED"));
    FILE *f = fopen("allowed", "r");
    while (f && fgets(line, sizeof line, f)) allowed += atoi(line);
    if (f) fclose(f);
    for (int i = 0; i < threads; i++) pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
    assert(n != unwanted || allowed == 7);
    return 0;
}
C
explore reads.c
exits "no arguments" 0
explore reads.c -- -u 1 2
exits "arguments of main" 1
ok "are saved with the schedule" "$(grep -qx 'arguments: -u 1 2' reads.schedule; echo $?)"
plumb replay reads.schedule
exits "and given again" 1
says "to the same failure" out "assertion failed"
explore reads.c
exits "a schedule of other arguments is not tried" 0
ALLOWED=7 explore reads.c -- -u 1 2
exits "the environment" 0
printf '3\n4\n' >allowed
explore reads.c -- -u 1 2
exits "a file, in every execution" 0
rm allowed
explore reads.c -- -u 1 'a b'
exits "an argument with blanks" 0
explore -- reads.c
exits "two dashes that only end the options" 0
plumb cc reads.c -O1 -o reads
plumb explore --quiet -j1 reads -- -u 1 2
exits "of a program that is compiled" 1

# ---- memory that threads share only in executions that fail ----------------------------------------------------------------------
# The schedule of the first such execution has no steps there: it is found again when they are known.
cat >twice.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_long top, bottom;
static atomic_int task[8], got[4];
static int take(void) { /* looks at top before it has announced what it takes */
    long b = bottom - 1, t = top;
    bottom = b;
    if (t > b) {
        bottom = b + 1;
        return 0;
    }
    int v = task[b];
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1)) v = 0;
        bottom = b + 1;
    }
    return v;
}
static int steal(void) {
    long t = top, b = bottom;
    if (t >= b) return 0;
    int v = task[t];
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? v : 0;
}
static void *owner(void *p) {
    for (int i = 1; i <= 2; i++) {
        task[bottom] = i;
        bottom++;
    }
    for (int i = 0; i < 2; i++) {
        int v = take();
        if (v) got[v]++;
    }
    return p;
}
static void *thief(void *p) {
    for (int i = 0; i < 2; i++) {
        int v = steal();
        if (v) got[v]++;
    }
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, owner, NULL);
    pthread_create(&t[1], NULL, thief, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    assert(got[1] <= 1 && got[2] <= 1);
    return 0;
}
C
for strategy in auto dpor dfs random pct bounded; do
    explore twice.c -s $strategy
    exits "$strategy: an element taken twice is counted where no other counts" 1
    says "$strategy: and shown" out "assertion failed: twice.c"
done

# ---- what does nothing without a cancellation; signals without handlers ------------------------------------------------------------------------
cat >told.c <<'C'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
static void *work(void *p) {
    int was, kind;
    assert(!pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was) && was == PTHREAD_CANCEL_ENABLE);
    assert(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &kind) && kind == PTHREAD_CANCEL_DEFERRED);
    assert(!pthread_setcancelstate(was, &was) && was == PTHREAD_CANCEL_DISABLE);
    assert(pthread_setcancelstate(77, NULL) == EINVAL);
    pthread_testcancel();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    assert(!pthread_kill(t, SIGNAL));
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
C
explore told.c -DSIGNAL=0
exits "cancellation states, signal 0" 0
explore told.c -DSIGNAL=SIGUSR1
says "a signal without a handler" out "for which there is no handler, ends the program"
cat >cancels.c <<'C'
#include <pthread.h>
static void *work(void *p) { pthread_testcancel(); return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_cancel(t);
    return pthread_join(t, NULL);
}
C
explore cancels.c
exits "a cancellation is no verdict" 2
says "it is refused by name" out "not modelled: thread 0 calls pthread_cancel, which is not modelled, at cancels.c:6"
ok "and nothing is claimed" "$(! grep -q '^covered' "$SCRATCH/out"; echo $?)"
sed -i 's/{ pthread_testcancel(); return p; }/{ for (;;) pthread_testcancel(); return p; }/' cancels.c
explore cancels.c
says "by its name, too, where a thread waits for it" out "not modelled: thread 0 calls pthread_cancel"
cat >recovers.c <<'C'
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void handler(int n) { siglongjmp(back, n); }
int main(void) {
    signal(SIGSEGV, handler);
    return sigsetjmp(back, 1) ? 0 : *(volatile int *)8;
}
C
explore recovers.c
exits "a program that handles its own crashes is not called wrong" 2
says "but refused" out "not modelled: thread 0: Segmentation fault, which the program has a handler for, at recovers.c:7"

# ---- allocations that fail -------------------------------------------------------------------------------------------------------
cat >allocates.c <<'C'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static int failed;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
    volatile int *n = malloc(sizeof *n);
    if (!n) {
        assert(errno == ENOMEM);
        pthread_mutex_lock(&m);
        failed++;
        pthread_mutex_unlock(&m);
        return p;
    }
    *n = 1;
    free((void *)n);
    return p;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    assert(failed != UNWANTED);
    return 0;
}
C
explore allocates.c -DUNWANTED=1
exits "malloc does not fail when it is not asked to" 0
explore allocates.c -DUNWANTED=1 --alloc-failures 1
exits "one that fails" 1
plumb replay allocates.schedule
exits "and fails again in the replay" 1
for strategy in auto dpor dfs bounded; do
    explore allocates.c -DUNWANTED=2 --alloc-failures 1 -s $strategy
    exits "$strategy: one of two" 0
    says "$strategy: is a limit" out "more could have failed (--alloc-failures)"
    explore allocates.c -DUNWANTED=2 --alloc-failures 2 -s $strategy
    exits "$strategy: both" 1
done
explore allocates.c -DUNWANTED=3 --alloc-failures 2
ok "nothing more to fail" "$(! grep -q 'could have failed' "$SCRATCH/out"; echo $?)"

# ---- roles -----------------------------------------------------------------------------------------------------------------------
# One writer that adds and removes: two writers break it, one does not.
cat >writer.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int in[4];
PLUMB_OBJECT("set")
PLUMB_OP(add, x) { if (in[x]) return plumb_bool(false); in[x] = 1; return plumb_bool(true); }
PLUMB_OP(remove, x) { if (!in[x]) return plumb_bool(false); in[x] = 0; return plumb_bool(true); }
PLUMB_OP(contains, x) { return plumb_bool(in[x]); }
#ifdef ROLE
PLUMB_ONE_THREAD(ROLE)
#endif
#ifdef TOGETHER
PLUMB_ONE_THREAD(add, remove)
#endif
C
made=(--threads 2 --length 1-2 --operations 'add(1) remove(1) contains(1)')
explore writer.c "${made[@]}"
exits "two writers" 1
explore writer.c -DTOGETHER "${made[@]}"
exits "one writer that does both" 0
explore writer.c -DTOGETHER --program 'add(1) | remove(1)'
exits "a program that breaks the contract" 65
says "is refused with the role" err "add, remove are for one thread only"
explore writer.c -DTOGETHER --program 'add(1) remove(1) | contains(1)'
exits "one that keeps it" 0
explore writer.c -DROLE=added
exits "a role of an operation that there is not" 65
says "names it" err "'ROLE' is not a declared operation"

# ---- a schedule of a program that is no more --------------------------------------------------------------------------------------
# It is not tried, and not said to have been.
cat >changes.c <<'C'
#include <plumbline/test.h>
#include <assert.h>
#include <stdatomic.h>
static atomic_int n;
#if VERSION == 1
int main(void) { assert(0); }
#else
PLUMB_OBJECT("counter")
PLUMB_OP(get) { return plumb_int(n); }
#if VERSION == 2
PLUMB_OP(inc) { int was = n; n = was + 1; return plumb_none(); }
PLUMB_THREADS("inc | inc : get")
#else
PLUMB_OP(dec) { n--; return plumb_none(); }
PLUMB_THREADS("dec | dec : get")
#endif
#endif
C
again="the schedule that failed last time was tried first"
explore changes.c -DVERSION=1
exits "a main fails" 1
explore changes.c -DVERSION=4
exits "then there is none" 0
ok "and its schedule is not tried" "$(! grep -q "$again" "$SCRATCH/out"; echo $?)"
explore changes.c -DVERSION=2
exits "operations fail" 1
explore changes.c -DVERSION=4
exits "then they have other names" 0
ok "and the schedule is not tried" "$(! grep -q "$again" "$SCRATCH/out"; echo $?)"
sed 's/int was = n; n = was + 1;/n++;/' changes.c >mended.c
mv mended.c changes.c
explore changes.c -DVERSION=2
exits "then they are mended" 0
says "and it was" out "$again"

# ---- many threads: the first library has room for 16, the second for 80 ----------------------------------------------------------
cat >many.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static int sum;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *run(void *p) {
    pthread_rwlock_rdlock(&lock);
    int seen = sum;
    pthread_rwlock_unlock(&lock);
    (void)seen;
    if (atomic_fetch_add(&n, 1) == THREADS - 2) assert(p == (void *)(THREADS - 2L));
    return NULL;
}
int main(void) {
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    return 0;
}
C
for threads in 15 16 40 64; do
    explore many.c -DTHREADS=$threads -s random
    exits "$threads threads besides main" 1
    says "$threads threads: found" out "assertion failed"
    plumb replay many.schedule
    exits "$threads threads: replayed" 1
done
explore many.c -DTHREADS=80
exits "more than there is room for" 2
says "which is said" out "more than 80 threads"
finish
