/* The steps of the current execution, with what strategies keep for each: a node is the state before a step.
 *
 *     node 0 --step 0--> node 1 --step 1--> node 2 ...
 *
 * A step is *recorded* when its final description is known: then it has a vector clock (happens-before: program order,
 * create and join, dependence) and stands in the lists of accesses, by address, that find the steps it depends on
 * without looking at all of them. Where only calls and returns are asked for, and as long as that will do, it has none
 * of this but knows what came before it (known_steps.h). Steps are taken back in the opposite order. */
#ifndef PLUMB_EXPLORE_REDUCTION_NODES_H
#define PLUMB_EXPLORE_REDUCTION_NODES_H

#include "explore/reduction/known_steps.h"
#include "explore/model/trace_clocks.h"
#include "explore/model/world.h"

enum { NO_THREAD = 255, ACCESS_BUCKETS = 512, WIDE_BUCKET = ACCESS_BUCKETS, MARKER_BUCKET, BUCKETS };
enum { GRANULE_SHIFT = 3, MOST_GRANULES = 4 /* of a step that is not wide */ };

typedef uint16_t clock_row[THREADS_MAX];

typedef struct node {         /* as large as a line of the cache */
    thread_set able;          /* could be picked, by the world */
    thread_set enabled;       /* of these, those that no reduction holds back (symmetry.h) */
    thread_set backtrack;     /* worth picking */
    thread_set sleep;         /* not worth picking: explored from here, or covered elsewhere */
    uint32_t shared;          /* its number among the nodes that several processes share; 0: none (share.h) */
    thread_set_packed marked; /* have executed their marker before (symmetry.h) */
    uint16_t preemptions;     /* before this node */
    uint16_t index;           /* the step is the index-th of its thread, from 1; of steps with a vector clock */
    uint8_t thread;           /* picked */
    uint8_t previous;         /* the thread of the step before; NO_THREAD: none */
    uint8_t kind, flags;      /* of the step, once recorded */
    bool free_switch;         /* going on with another thread than `previous` is no preemption */
    bool closed;              /* part of a given prefix: others explore its alternatives */
    place at[2];
} node;

typedef struct touch { /* one step in one list */
    uint32_t step;
    int32_t older;  /* in the same list; -1: none */
    int32_t change; /* the newest one at or behind it that does more than read; -1: none */
    uint32_t bucket;
} touch;

typedef struct choice { /* made behind step at-1 and before step at */
    uint32_t at;
    uint8_t n, taken, first; /* first: the alternatives below it belong to other processes */
    bool closed;
    uint32_t shared;
} choice;

struct share; /* of several processes: strategy/share.h */

typedef struct nodes {
    node *at;
    uint8_t *thread;                   /* of each step */
    uint64_t *trail;                   /* the world's, when each step was recorded: what came before it */
    clock_row *clock;                  /* of each recorded step */
    clock_row *count;                  /* count[d][t]: steps of t before node d */
    uint32_t (*position)[THREADS_MAX]; /* position[i][t]: number of t's step i (from 0) */
    uint32_t depth;                    /* nodes with a picked thread */
    uint32_t recorded, room;
    /* nodes at which several threads are worth picking, the oldest first; of strategies that find no races */
    uint32_t *fork;
    uint32_t forks;
    touch *nothing; /* stands before the first access: what is older than the oldest */
    touch *access;
    uint32_t accesses, access_room;
    int32_t newest[BUCKETS];
    uint32_t *accesses_before; /* of each step */
    choice *choice;
    uint32_t choices, choice_room;
    known_steps known;
    bool knowing; /* steps have no vector clocks, nor what belongs to them, but are in `known` */
    bool symmetry;
    /* Alternatives of a node that several processes share (its `shared` is not 0) are theirs to keep; set by the
     * strategy that shares its work (strategy/share.h). */
    void (*offer_shared)(struct share *s, unsigned stage, uint32_t number, thread_set initials, unsigned preferred);
    struct share *share; /* NULL: alone */
    unsigned share_stage;
    unsigned threads; /* seen so far in this execution */
    uint8_t group[THREADS_MAX];
} nodes;

void nodes_init(nodes *n);
void nodes_free(nodes *n);
node *nodes_push(nodes *n, unsigned thread);    /* the node n->depth, for the caller to fill in */
void nodes_forget(nodes *n, uint32_t recorded); /* takes back the steps from there on */
void nodes_push_choice(nodes *n, uint32_t at, unsigned of, unsigned taken);

/* Records step n->recorded as it turned out. With `reverse` races are found and nodes get alternatives (races.c). */
void nodes_record(nodes *n, const world *w, const step *s, bool reverse);
/* Records steps that the world made without a question (world.h). They are all of the thread that was picked last; each
 * of them leads to a node where nothing but that thread is worth picking. Of strategies that find no races. */
void nodes_pass(nodes *n, const world *w);
/* Vector clocks of all recorded steps that are only known so far. */
void nodes_reclock(nodes *n, const world *w);
/* What thread t knows before its next step. */
void nodes_clock(const nodes *n, const world *w, unsigned t, uint16_t *clock);
/* The node there is, on the path to be repeated, and this step: are they the same? */
static inline bool node_is(const node *d, const step *s) {
    return d->kind == s->kind && d->at[0].address == s->at[0].address;
}

static inline unsigned node_preemptions_behind(const node *d) {
    return d->preemptions + (unsigned)(!kind_goes_first(d->kind) && !d->free_switch && d->thread != d->previous);
}

static inline void clock_join(uint16_t *restrict a, const uint16_t *restrict b) {
    for (unsigned i = 0; i < THREADS_MAX; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
}

static inline uint32_t bucket_of(uintptr_t number) { return (uint32_t)((uint64_t)number * 0x9e3779b97f4a7c15u >> 55); }

#endif
