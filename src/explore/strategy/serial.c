/* Every order of the operations that the threads allow, each operation alone from its call to its return: what the code
 * does when nothing interferes. An operation that waits for another thread has no place in such an order: it is given
 * up there, and tried again where the other one came first. */
#include "base/mem.h"
#include "explore/strategy/walk.h"

#include <assert.h>

/* Where there are invariants an operation has a step of its own before it, and one behind it (inside/record.c). */
static bool step_begins(const step *s) { return s->kind == STEP_NOTHING && s->at[0].role == PLACE_READ; }
static bool step_ends(const step *s) { return s->kind == STEP_NOTHING && s->at[0].role == PLACE_WRITE; }

/* The thread whose operation is under way, its first step done; NO_THREAD: none. An operation that an exception left
 * never returns. */
static unsigned busy_thread(const world *w, unsigned last) {
    thread_set newer = 0;
    if (last != NO_THREAD && w->live >> last & 1 && (step_begins(&w->last) || step_ends(&w->pending[last])))
        return last;
    for (uint32_t i = w->op_count; i-- > 0;) {
        const explored_operation *o = &w->ops[i];
        if (!o->returned && o->first != NO_STEP && !(newer >> o->thread & 1) && w->live >> o->thread & 1)
            return o->thread;
        newer |= (thread_set)1 << o->thread;
    }
    return NO_THREAD;
}

static int pick(walk *k, world *w, node *d) {
    (void)k;
    unsigned busy = busy_thread(w, d->previous);
    assert(busy == NO_THREAD || w->live >> busy & 1);
    thread_set may = busy == NO_THREAD ? d->enabled : d->enabled & (thread_set)1 << busy;
    if (!may) return PICK_STOP;
    d->backtrack = may;
    return stay_or_lowest(d, may);
}

static const policy serial_policy = {.pick = pick, .goes_back = true};
extern const strategy_type strategy_serial;

static strategy *open(const strategy_options *o) {
    walk *k = MEM_NEW(walk);
    walk_init(k, &strategy_serial, &serial_policy, o);
    k->n.symmetry = false;
    return &k->base;
}

const strategy_type strategy_serial = {
    .name = "serial",
    .summary = "operations one at a time, in every order that the threads allow",
    .exhaustive = true,
    .open = open,
    WALK_FUNCTIONS,
};
