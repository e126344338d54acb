/* A second record of a run of threads, in memory that outlives their process and by a clock of its own: the recorder
 * under test has no part in it. Each operation is stamped four times: before it is announced, before the object is
 * called, after the object returned, after the recorder has published that. The two inner stamps are an interval that
 * the recorder's must hold, the two outer ones an interval that must hold the recorder's (docs/RUNTIME.md, the
 * inclusions 1 and 2). So with the histories of both,
 *
 *     the outer one is a violation   =>   the recorded one is   =>   the inner one is. */
#ifndef PLUMB_TESTS_MIRROR_H
#define PLUMB_TESTS_MIRROR_H

#include "object/object.h"

#include <stdlib.h>

enum { MIRROR_THREADS = 4 };

typedef enum mirror_moment {
    MIRROR_BEFORE,
    MIRROR_CALLED,
    MIRROR_RETURNED,
    MIRROR_AFTER,
    MIRROR_MOMENTS
} mirror_moment;

typedef struct mirrored {
    bool adds;
    int64_t value;               /* put in, or taken out; CONCURRENT_EMPTY: nothing was there */
    uint64_t at[MIRROR_MOMENTS]; /* 0: it has not come that far */
} mirrored;

typedef struct mirror {
    uint64_t clock;
    uint32_t alarmed;               /* for the test that uses it: the run's own verifier has found a violation */
    uint32_t room;                  /* operations for each thread */
    uint64_t begun[MIRROR_THREADS]; /* operations, by slot of the recorder */
    mirrored op[];
} mirror;

mirror *mirror_new(uint32_t room); /* shared with the processes that are forked from now on */
void mirror_free(mirror *m);

/* By the thread in that slot. NULL is allowed: nothing happens. */
static inline void mirror_stamp(mirror *m, mirrored *op, mirror_moment when) {
    if (op) __atomic_store_n(&op->at[when], __atomic_add_fetch(&m->clock, 1, __ATOMIC_SEQ_CST), __ATOMIC_RELEASE);
}
static inline mirrored *mirror_begin(mirror *m, uint32_t slot, bool adds, int64_t v) {
    if (!m) return NULL;
    if (m->begun[slot] == m->room) abort();
    mirrored *op = &m->op[(uint64_t)slot * m->room + m->begun[slot]];
    op->adds = adds;
    op->value = v;
    __atomic_store_n(&m->begun[slot], m->begun[slot] + 1, __ATOMIC_RELEASE);
    mirror_stamp(m, op, MIRROR_BEFORE);
    return op;
}
static inline void mirror_result(mirrored *op, int64_t v) {
    if (op) op->value = v;
}

uint64_t mirror_count(const mirror *m, uint32_t slot, mirror_moment when); /* operations that have come that far */
const mirrored *mirror_at(const mirror *m, uint32_t slot, uint64_t number);

/* Its operations as a history from one moment to the other. */
history *mirror_history(const mirror *m, const object *o, mirror_moment from, mirror_moment to);

#endif
