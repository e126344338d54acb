#!/bin/bash
# Signals that threads send each other: their handlers run in the thread they were sent to, between any two of its accesses, and what was not
# sent or is blocked does not come.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1

cat >signals.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
static volatile sig_atomic_t came;
static atomic_int a, b, seen = -1;
static sem_t posted;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;
static void handler(int n) {
    came += n == SIGUSR1;
#ifdef ANYWHERE
    seen = a * 10 + b;
#endif
#ifdef LOCKS
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
#ifdef POSTS
    sem_post(&posted);
#endif
}
static void *work(void *p) {
#ifdef AWAITS
    while (!came) {}
#endif
#ifdef ANYWHERE
    a = 1;
    b = 1;
    a = 2;
#endif
#ifdef COUNTS
    came = came + 1;
#endif
#ifdef LOCKS
    pthread_mutex_lock(&m);
    a = 1;
    pthread_mutex_unlock(&m);
#endif
#ifdef BLOCKS
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    a = 1;
    assert(!came);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
#endif
#ifdef POSTS
    while (sem_wait(&posted)) {}
#endif
#ifdef INTERRUPTED
    assert(!sem_wait(&posted));
#endif
#ifdef BACK
    pthread_kill(first, SIGUSR1);
#endif
    return p;
}
int main(void) {
    pthread_t t;
    struct sigaction act = {.sa_handler = handler, .sa_flags = FLAGS};
    first = pthread_self();
    sem_init(&posted, 0, 0);
#ifndef NO_HANDLER
    sigaction(SIGUSR1, &act, NULL);
#endif
    pthread_create(&t, NULL, work, NULL);
#ifdef SENDS
    assert(!pthread_kill(t, SIGUSR1));
#endif
#ifdef INTERRUPTED
    sem_post(&posted);
#endif
    pthread_join(t, NULL);
    assert(OK);
#ifdef RAISES
    raise(SIGUSR1);
    assert(came == 1);
#endif
    return 0;
}
C
explore() { # options
    rm -f signals.schedule
    plumb explore --quiet -j1 -O1 --model sc signals.c "-DFLAGS=${flags-0}" "$@"
}
right() { # title options
    local title=$1
    shift
    explore "$@"
    exits "$title" 0
    says "$title: all of it" out "covered: every interleaving"
}
wrong() { # title what options
    local title=$1 what=$2
    shift 2
    explore "$@"
    exits "$title" 1
    says "$title: why" out "$what"
}

for ways in "" "-s dpor"; do
    right "a loop that only the handler ends $ways" -DSENDS -DAWAITS -DOK=came $ways
    wrong "nothing was sent $ways" "waits for ever" -DAWAITS -DOK=1 $ways
    for outcome in -1 0 10 11 21; do
        wrong "between any two accesses: $outcome $ways" "assertion failed" -DSENDS -DANYWHERE "-DOK=seen!=$outcome" $ways
    done
    for outcome in 1 2 20; do right "never: $outcome $ways" -DSENDS -DANYWHERE "-DOK=seen!=$outcome" $ways; done
done
wrong "an update that the handler's is lost in" "assertion failed" -DSENDS -DCOUNTS -DOK='came==2'
wrong "a lock that the thread holds itself" "locks a mutex that it already holds" -DSENDS -DLOCKS -DOK=1
right "a signal that is blocked" -DSENDS -DBLOCKS -DOK=1
right "a wait that only the handler ends" -DSENDS -DPOSTS -DOK=came
wrong "a wait that a handler interrupts" "assertion failed" -DSENDS -DINTERRUPTED -DOK=1
flags=SA_RESTART right "a wait that begins again" -DSENDS -DINTERRUPTED -DOK=1
right "to the thread that joins" -DBACK -DOK=came
right "to itself" -DRAISES -DOK=1
wrong "without a handler" "User defined signal 1, for which there is no handler, ends the program" -DSENDS -DNO_HANDLER -DOK=1
explore -DSENDS -DAWAITS -DOK=came --model rc11
says "graphs have no signals: by name" out "not modelled"
exits "and no verdict" 2
finish
