#include "runtime/record/ahead.h"

#include "runtime/record/recorder.h"
#include "runtime/record/room.h"

#include <errno.h>
#include <signal.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define HAS_ONE_THREAD() (__libc_single_threaded != 0)
#else
#define HAS_ONE_THREAD() false
#endif

enum {
    BEGIN_AT = 8,     /* chunks: what records less needs no thread */
    MOST_AHEAD = 256, /* chunks, 8 MiB: many times what is recorded until the thread has woken up */
    AT_ONCE = 16,     /* chunks that are made ready in one step */
};
enum { AHEAD_NONE, AHEAD_BEGINNING, AHEAD_RUNNING, AHEAD_OVER };

#define LOAD(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n(&(p), v, __ATOMIC_RELEASE)

/* As much as has been used, within limits: a short recording takes no more than twice what it needs. */
static uint64_t distance(uint64_t used) { return used < BEGIN_AT ? BEGIN_AT : used < MOST_AHEAD ? used : MOST_AHEAD; }

static uint64_t target(const recording *m) {
    uint64_t used = LOAD(m->header->chunks), most = m->header->chunk_limit;
    uint64_t to = used + distance(used);
    return to < most ? to : most;
}

/* Room is taken for all chunks from the last ready one on, also for those that writers have taken meanwhile: what is
 * ready is all there is up to that number. */
static bool make_ready(page_ahead *a, uint64_t to) {
    assert(a->ready < to);
    if (!room_take(a->m, a->ready + 1, to)) return false;
    STORE(a->ready, to);
    return true;
}

static void go_ahead(page_ahead *a) {
    for (;;) {
        uint64_t used = LOAD(a->m->header->chunks), from = a->ready < used ? used : a->ready, to = target(a->m);
        if (LOAD(a->stop) || from >= to) return;
        to = from + AT_ONCE < to ? from + AT_ONCE : to;
        if (!make_ready(a, to)) return; /* no room: writers find out for themselves */
    }
}

static void *run_ahead(void *context) {
    page_ahead *a = context;
    while (!LOAD(a->stop)) {
        go_ahead(a);
        STORE(a->asleep, 1);
        while (sem_wait(&a->wanted) && errno == EINTR) {}
    }
    return NULL;
}

/* By the first writer that comes here. Not in a program with one thread: a second one would make all its locks slower
 * (the C library's locks are plain instructions until then). Signals are for the program's own threads. */
static void begin(page_ahead *a, recording *m) {
    uint32_t none = AHEAD_NONE;
    sigset_t all, before;
    if (!__atomic_compare_exchange_n(&a->state, &none, AHEAD_BEGINNING, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    a->m = m;
    sem_init(&a->wanted, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool begun = pthread_create(&a->thread, NULL, run_ahead, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    STORE(a->state, begun ? AHEAD_RUNNING : AHEAD_OVER);
}

static void wake(page_ahead *a) {
    if (LOAD(a->asleep) && __atomic_exchange_n(&a->asleep, 0, __ATOMIC_ACQ_REL)) sem_post(&a->wanted);
}

bool ahead_take(page_ahead *a, recording *m, uint64_t number) {
    uint64_t ready = LOAD(a->ready);
    if (LOAD(a->state) == AHEAD_NONE && number >= BEGIN_AT && !HAS_ONE_THREAD()) begin(a, m);
    if (LOAD(a->state) == AHEAD_RUNNING && number + distance(number) / 2 > ready) wake(a);
    if (number <= ready) return true;
    return room_take(m, number, number); /* all of its pages at once: a third cheaper */
}

void ahead_stop(page_ahead *a) {
    if (a->state != AHEAD_RUNNING) return;
    STORE(a->stop, 1);
    sem_post(&a->wanted);
    pthread_join(a->thread, NULL);
    sem_destroy(&a->wanted);
    a->state = AHEAD_OVER;
}
