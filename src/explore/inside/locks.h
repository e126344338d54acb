/* What the files that model waiting share. */
#ifndef PLUMB_EXPLORE_INSIDE_LOCKS_H
#define PLUMB_EXPLORE_INSIDE_LOCKS_H

#include "explore/inside/hooks.h"

#include <time.h>

typedef struct lock_step {
    void *lock;
    step_kind kind, try_kind;
    wait_kind wait;
    bool (*may)(uintptr_t lock); /* it could be had now */
    bool tries;
    const struct timespec *until; /* NULL: it waits for ever */
    place_role role;
    uintptr_t pc;
} lock_step;

bool lock_acquire(const lock_step *l);
void lock_release(void *lock, step_kind kind, uintptr_t pc);
/* Whether a timed wait is to run out: a choice, offered only a few times to each thread (--timeouts), since code may
 * try again for ever. */
bool timeout_chosen(void);

/* A timed wait of the thread runs out, if it has one: no thread could go on otherwise. */
bool wait_times_out(fiber *f);
void wait_begin(fiber *f); /* a thread begins: it waits for nothing */

uint32_t mutex_leave(void *mutex, uintptr_t pc); /* without a step of its own; returns how often it was held */
void mutex_enter(void *mutex, uint32_t count);
uint32_t mutex_release(void *mutex, uintptr_t pc); /* the same with steps */
void mutex_acquire(void *mutex, uint32_t count, uintptr_t pc);
/* An execution in which a signal chose a waiter that there was not is the one in which it chose the first. */
bool signals_are_repeated(void);

#endif
