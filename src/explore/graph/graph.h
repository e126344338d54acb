/* An execution graph: the atomic accesses, fences, lock operations and joins of an execution, with what each read reads
 * from and the modification order of each place. Plain accesses are not in it: where nothing races they read what
 * happened before (docs/proofs/weak-memory.md).
 *
 * Events stand in the order in which they were added. Those of one thread are numbered from 0; a set that is closed
 * under program order and reads-from is so many events of each thread, which is what clocks are. An update has two
 * events: what it reads, and, right behind it in its thread, what it writes. */
#ifndef PLUMB_EXPLORE_GRAPH_GRAPH_H
#define PLUMB_EXPLORE_GRAPH_GRAPH_H

#include "explore/model/memory_model.h"
#include "explore/model/step.h"
#include "explore/model/update.h"

#include <stddef.h>

enum { NO_EVENT = UINT16_MAX, GRAPH_EVENTS = 4096 };

typedef uint16_t event_clock[THREADS_MAX]; /* so many events of each thread */

typedef enum graph_kind { GRAPH_READ, GRAPH_WRITE, GRAPH_FENCE, GRAPH_JOIN, GRAPH_CHOICE } graph_kind;

enum graph_flag {
    GRAPH_UPDATE = 1,  /* one of the two events of an update */
    GRAPH_AWAIT = 2,   /* an update that waits until it changes its place: a lock, or a loop proved to wait */
    GRAPH_BLOCKED = 4, /* it waits: its thread stands before it */
};

typedef struct graph_event {
    uint8_t thread, kind, order, flags;
    uint8_t update, order_done, order_failed; /* of an update: which order it has if it writes, and if not */
    uint8_t alternative;                      /* of a choice */
    uint32_t site;                            /* where in the code, and by which calls */
    uint16_t index;                           /* among the events of its thread */
    uint16_t before;                          /* the one before it there; NO_EVENT: it is the first */
    uint16_t place;
    uint16_t rf; /* of a read: the write; of a join: the last event of the thread; NO_EVENT: the first value, or none */
    uint16_t mo; /* of a write: its rank at its place; the first value has 0 */
    uint64_t operand[2], expected[2];
    uint64_t value[2];               /* of a write: what it leaves */
    event_clock seen;                /* program order and reads-from, the event itself included */
    event_clock knows;               /* happens before, itself included */
    event_clock released;            /* of a write: what a read that acquires gets to know */
    event_clock gathered, published; /* what an acquire fence would get to know; what the last release fence knew */
} graph_event;

typedef struct graph_place {
    uintptr_t address;
    uint32_t life, size;
    uint64_t first[2];
    uint16_t writes; /* without the first value */
} graph_place;

typedef struct graph {
    memory_model model;
    uint16_t n, room, places, place_room;
    graph_event *event;
    graph_place *place;
    uint16_t last[THREADS_MAX];   /* NO_EVENT: it has none */
    thread_set created;           /* the threads whose creation is known */
    uint8_t creator[THREADS_MAX]; /* its creator, after so many events of it */
    uint16_t created_after[THREADS_MAX];
} graph;

graph *graph_new(memory_model m);
graph *graph_copy(const graph *g);
void graph_free(graph *g);

uint16_t graph_place_of(graph *g, uintptr_t address, uint32_t life, uint32_t size, const uint64_t first[2]);
static inline uint16_t graph_events_of(const graph *g, unsigned thread) {
    return g->last[thread] == NO_EVENT ? 0 : (uint16_t)(g->event[g->last[thread]].index + 1);
}
uint16_t graph_find(const graph *g, unsigned thread, uint16_t index); /* NO_EVENT: there is none */
void graph_thread(graph *g, unsigned thread, unsigned creator, uint16_t after);

/* Appends an event as `like` describes it; clocks and index are computed (not what it reads or writes). */
uint16_t graph_add(graph *g, const graph_event *like);
void graph_read_from(graph *g, uint16_t e, uint16_t write); /* sets rf, clocks and the order of an update */
void graph_fence(graph *g, uint16_t e);
void graph_join(graph *g, uint16_t e, unsigned thread);
/* A write of this rank from now on; those of it and above it move up. It must not be in the order yet. */
void graph_place_write(graph *g, uint16_t e, uint16_t rank);
void graph_unplace_write(graph *g, uint16_t e);

static inline uint16_t graph_rank_read(const graph *g, const graph_event *e) {
    return e->rf == NO_EVENT ? 0 : g->event[e->rf].mo;
}
static inline bool graph_in_prefix(const graph *g, uint16_t e, uint16_t of) {
    return g->event[e].index < g->event[of].seen[g->event[e].thread];
}
static inline bool graph_knows(const graph *g, uint16_t later, uint16_t earlier) {
    return g->event[earlier].index < g->event[later].knows[g->event[earlier].thread];
}
/* The lowest rank that an event of this place may read, and above which it may write, knowing what happens before. */
uint16_t graph_oldest(const graph *g, uint16_t e);
uint16_t graph_write_at(const graph *g, uint16_t where, uint16_t rank);   /* NO_EVENT: the first value */
uint16_t graph_update_of(const graph *g, uint16_t where, uint16_t write); /* the update that read it, if one did */
const uint64_t *graph_value(const graph *g, uint16_t where, uint16_t write);
bool graph_update_writes(const graph *g, uint16_t read);
/* Of a read: the newest write among those that were added before it. */
bool graph_reads_newest(const graph *g, uint16_t e);
/* The same graph without the events that were added after `read` and are not in the prefix of `write`. */
graph *graph_restrict(const graph *g, uint16_t read, uint16_t write, uint16_t *new_read, uint16_t *new_write);

#endif
