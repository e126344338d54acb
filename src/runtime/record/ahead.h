/* Memory ahead of those who record. The first store into a page of a new file or of new memory costs as much as
 * recording some hundred operations: a thread of the recorder's own makes the next chunks ready before a thread of the
 * program comes to them, room on the disk included. Where it is late, or there is none, the writer does both
 * itself, as it comes. */
#ifndef PLUMB_RUNTIME_AHEAD_H
#define PLUMB_RUNTIME_AHEAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

struct recording;

typedef struct page_ahead {
    struct recording *m;
    pthread_t thread;
    sem_t wanted;
    uint64_t ready; /* chunks up to this number have room on the disk, and their pages have been touched */
    /* enum in ahead.c: not begun, being begun, running, over. Writers only read it, but for the one that begins. */
    uint32_t state;
    uint32_t asleep; /* the thread waits for `wanted` */
    uint32_t stop;
} page_ahead;

/* This chunk was given out. True: there is room for it. Never waits for the other thread. */
bool ahead_take(page_ahead *a, struct recording *m, uint64_t number);
void ahead_stop(page_ahead *a);

#endif
