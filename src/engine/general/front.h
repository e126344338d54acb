/* What engines have in common that go from event to event and keep every way things can stand: the open operations by
 * slot, the ways before an event and all that are reached at it, their states and how they came about. What leads from
 * one way to another is up to each of them. */
#ifndef PLUMB_ENGINE_GENERAL_FRONT_H
#define PLUMB_ENGINE_GENERAL_FRONT_H

#include "base/slots.h"
#include "base/table.h"
#include "engine/general/state_table.h"
#include "engine/general/sweep.h"
#include "engine/general/trail.h"

enum { FRONT_SLOTS = 64 };

typedef struct front_way {
    uint64_t done;  /* slots of open operations that have taken effect */
    uint64_t begun; /* that have begun to, and go on; 0 where they take effect at one moment */
    uint32_t state; /* number in the state table */
    uint32_t trail; /* how it came about */
} front_way;

typedef struct front_ways {
    front_way *at;
    uint32_t n, room;
} front_ways;

typedef enum run_end { RUN_REACHED_END, RUN_NO_WAY, RUN_STOPPED, RUN_TOO_MANY_OPEN } run_end;

typedef struct front {
    const problem *p;
    operation slot[FRONT_SLOTS];
    uint64_t open;        /* slots in use */
    uint8_t *slot_of;     /* by position */
    front_ways now, work; /* before the event; everything reached at the event */
    table seen;           /* of work, by content: each way that was found to be new, which the caller adds to work */
    state_table states;
    trail trail;
    state state; /* scratch, for steps */
    uint32_t rank, returned;
    uint64_t steps;
    unsigned ticks;
    size_t charged;
} front;

void front_init(front *f, const problem *p); /* one way: the beginning */
void front_free(front *f);

/* What an engine does at events. False from `call`: there is no slot left; from `ret`: the budget is spent. */
typedef bool front_call(front *f, uint32_t position);
typedef bool front_return(front *f, unsigned slot);
/* Over all events up to `cut`, while there is a way left. */
run_end front_run(front *f, uint32_t cut, front_call *call, front_return *ret);

/* a slot for it; false: there is none */
bool front_open(front *f, uint32_t position, const operation *op, unsigned *slot);
/* something returned, and these are the ways left: what none of them needs is forgotten */
void front_returned(front *f);
void front_charge(front *f); /* the memory it holds, to the budget */
void front_clear_work(front *f);
/* A way that is not among those reached at this event yet; the caller adds it to `work`. */
bool front_is_new(front *f, const front_way *c);
/* A run that did not come to an end: why, and one of the ways it still had, or NULL. */
const front_way *front_gave_up(const front *f, run_end end, outcome *out);

void front_ways_add(front_ways *c, front_way item);

/* To be asked often. */
static inline bool front_spent(front *f) {
    if ((f->ticks & 1023) == 0) front_charge(f);
    return budget_tick(f->p->budget, &f->ticks);
}

#endif
