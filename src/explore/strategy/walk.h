/* Every strategy walks a tree: executions are its paths, nodes are where a thread is picked or an alternative chosen.
 * The walk repeats the beginning that an execution has in common with the one before, asks a *policy* behind it, and
 * then goes back to the deepest node with something left to explore. Strategies are policies. */
#ifndef PLUMB_EXPLORE_STRATEGY_WALK_H
#define PLUMB_EXPLORE_STRATEGY_WALK_H

#include "explore/reduction/nodes.h"
#include "explore/strategy/strategy.h"

typedef struct walk walk;

typedef struct policy {
    /* At a new node: the first thread; sets d->backtrack to all that are worth it so far. PICK_STOP: none is. */
    int (*pick)(walk *k, world *w, node *d);
    unsigned (*choose)(walk *k, unsigned n); /* the first alternative; NULL: 0 */
    /* Of a node with a thread picked: is that one picked again as long as it can go on? NULL: unknown. */
    bool (*stays)(const walk *k, const node *d);
    void (*begin)(walk *k);         /* before each execution; may be NULL */
    void (*end)(walk *k, world *w); /* all steps are recorded; may be NULL */
    bool goes_back;                 /* explores what is left behind, until nothing is */
    bool sleeps;                    /* with sleep sets */
    bool reverses;                  /* races give nodes alternatives */
} policy;

typedef struct given_path { /* where a claimed share of the work begins (share.h) */
    uint8_t *choice;
    uint32_t *shared; /* numbers of the nodes */
    uint32_t length, room, used;
    thread_set sleep; /* at its last node */
} given_path;

typedef struct published_node { /* of this walk's path, for other processes (share.h) */
    uint32_t number;
    uint32_t index; /* of the node or choice on the path */
    bool choice;
} published_node;

struct walk {
    strategy base;
    const policy *policy;
    strategy_options o;
    driver driver;
    nodes n;
    uint32_t resume;              /* picks below this depth are repeated */
    uint32_t choice_resume;       /* choices below this number are repeated */
    uint32_t choices_made, picks; /* in this execution */
    uint32_t prefix_used;
    thread_set held; /* at the newest node, by retry_holds */
    given_path given;
    published_node *published; /* the deepest is the last */
    uint32_t publisheds, published_room;
    uint32_t looks;     /* executions of a share of the work */
    double part;        /* of the whole tree that they were, roughly */
    const world *world; /* of the last execution */
    bool started, finished, diverged, cut;
    bool working; /* on something that no other process does */
};

void walk_init(walk *k, const strategy_type *type, const policy *p, const strategy_options *o);
/* For the tables of strategies that are walks. */
const driver *walk_next(strategy *s);
void walk_done(strategy *s, world *w);
void walk_close(strategy *s);
trace_clocks walk_order(const strategy *s);
trace_clocks walk_clocks(strategy *s);
void walk_schedule(const strategy *s, schedule *out);
unsigned walk_preemptions(const strategy *s);
bool walk_cut(const strategy *s);
bool walk_diverged(const strategy *s);
double walk_explored(const strategy *s);
#define WALK_FUNCTIONS \
    .next = walk_next, .done = walk_done, .close = walk_close, .order = walk_order, .clocks = walk_clocks, \
    .schedule = walk_schedule, .preemptions = walk_preemptions, .cut = walk_cut, .diverged = walk_diverged, \
    .explored = walk_explored

/* For share.c. */
bool walk_go_back(walk *k); /* false: nothing left that is this walk's alone */
void walk_restart(walk *k); /* from the root, along the given path */
void walk_reserve_given(walk *k, uint32_t length);

/* The thread that ran before if it is one of these, else the lowest. Not of an empty set. */
int stay_or_lowest(const node *d, thread_set s);

#endif
