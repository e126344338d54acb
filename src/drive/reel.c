#include "drive/reel.h"

#include "base/mem.h"

#include <assert.h>
#include <time.h>

enum { REEL_FIRST = 4096, REEL_MOST = 1 << 16 };

static int64_t nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void reel_open(reel *t) {
    *t = (reel){.room = REEL_FIRST, .spare_room = REEL_FIRST, .start = nanoseconds()};
    t->event = MEM_ARRAY(reel_event, REEL_FIRST);
    t->spare = MEM_ARRAY(reel_event, REEL_FIRST);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->taken, NULL);
}

void reel_close(reel *t) {
    FREE_ALL(t->event, t->spare);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->taken);
}

int64_t reel_now(const reel *t) { return nanoseconds() - t->start; }

void reel_put(reel *t, const reel_event *e) {
    pthread_mutex_lock(&t->lock);
    while (t->n >= REEL_MOST && e->kind == REEL_CALL && !t->unlimited) pthread_cond_wait(&t->taken, &t->lock);
    if (t->n == t->room) t->event = MEM_GROW(t->event, reel_event, t->room *= 2);
    reel_event *to = &t->event[t->n++];
    *to = *e;
    assert(e->kind <= REEL_NOTE && e->nargs <= HISTORY_MAX_ARGS);
    if (e->kind != REEL_NOTE) to->time = reel_now(t);
    pthread_mutex_unlock(&t->lock);
}

void reel_end_waiting(reel *t) {
    pthread_mutex_lock(&t->lock);
    t->unlimited = true;
    pthread_cond_broadcast(&t->taken);
    pthread_mutex_unlock(&t->lock);
}

uint32_t reel_take(reel *t, const reel_event **out) {
    pthread_mutex_lock(&t->lock);
    reel_event *filled = t->event;
    uint32_t n = t->n, room = t->room;
    t->event = t->spare;
    t->room = t->spare_room;
    t->spare = filled;
    t->spare_room = room;
    t->n = 0;
    assert(t->event != t->spare);
    pthread_cond_broadcast(&t->taken);
    pthread_mutex_unlock(&t->lock);
    *out = filled;
    return n;
}
