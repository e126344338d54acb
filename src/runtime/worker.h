/* A thread of the library's own beside those of the program, until it is asked to stop; and what it says about itself
 * meanwhile. */
#ifndef PLUMB_RUNTIME_WORKER_H
#define PLUMB_RUNTIME_WORKER_H

#include "base/sized.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct background_thread {
    pthread_t thread;
    pthread_mutex_t lock; /* of what it says */
    uint32_t stop;
    bool running;
} background_thread;

static inline void worker_init(background_thread *w) { pthread_mutex_init(&w->lock, NULL); }
static inline void worker_free(background_thread *w) {
    assert(!w->running);
    pthread_mutex_destroy(&w->lock);
}

static inline bool worker_start(background_thread *w, void *(*run)(void *context), void *context) {
    assert(!w->running && !w->stop);
    return w->running = pthread_create(&w->thread, NULL, run, context) == 0;
}

static inline bool worker_should_stop(const background_thread *w) {
    return __atomic_load_n(&w->stop, __ATOMIC_ACQUIRE);
}

/* False: it did not run. */
static inline bool worker_stop(background_thread *w) {
    if (!w->running) return false;
    __atomic_store_n(&w->stop, 1, __ATOMIC_RELEASE);
    pthread_join(w->thread, NULL);
    w->running = false;
    return true;
}

static inline void worker_tell(background_thread *w, void *theirs, const void *ours, size_t size) {
    pthread_mutex_lock(&w->lock);
    give_sized(theirs, ours, size);
    pthread_mutex_unlock(&w->lock);
}

#endif
