/* Declared operations: registered before main, run and recorded. Compiled with exceptions: one may leave an operation.
 *
 * The call is attached to the first step of the operation and the return to its last: the tightest interval, which
 * gives the strongest check and no scheduling points of its own. An operation without a step gets one that touches
 * nothing. */
#include "explore/inside/buffers.h"
#include "explore/inside/check.h"
#include "explore/inside/failures.h"
#include "explore/inside/hooks.h"
#include "explore/inside/record.h"
#include "explore/inside/signals.h"
#include "explore/inside/state.h"
#include "object/plugin_value.h"

static plumb_item *items PROCESS_STATE, **items_end PROCESS_DATA = &items;
static explored_operation operations[OPERATIONS_MAX] COPIED_STATE;
static struct recorded {
    uint32_t boundaries; /* calls and returns so far */
    uint32_t marks;      /* linearization points so far */
    uint32_t open;       /* operations that are visible and have not returned */
    uint32_t running;    /* operations that have begun and not ended, where there are invariants */
} recorded EXECUTION_COUNTS;
static uint32_t kinds PROCESS_STATE; /* a bit for each that was declared */

bool items_have(enum plumb_item_kind kind) { return kinds >> kind & 1; }

EXPORT void plumb_item_register(plumb_item *item) {
    item->next = NULL;
    kinds |= UINT32_C(1) << item->kind;
    *items_end = item;
    items_end = &item->next;
}

const plumb_item *items_registered(void) { return items; }

void record_open(void) {
    explored_world.ops = operations;
    explored_world.values = values_new();
}

void record_reset(void) {
    explored_world.op_count = 0;
    memset(explored_world.events, 0, sizeof explored_world.events);
}

static uint8_t method_of(const plumb_item *item) {
    uint8_t n = 0;
    for (const plumb_item *i = items; i && i != item; i = i->next) n = (uint8_t)(n + (i->kind == PLUMB_ITEM_OPERATION));
    return n;
}

void record_visible(fiber *f) {
    if (explored_world.op_count == OPERATIONS_MAX)
        fail(FAILURE_UNMODELLED, "more than %d operations in one execution", OPERATIONS_MAX);
    INVARIANT(f->operation.state == OPERATION_CALLED && f->operation.item);
    f->operation.number = explored_world.op_count++;
    operation_becomes(f, OPERATION_VISIBLE);
    recorded.open++;
    explored_operation *o = &explored_world.ops[f->operation.number];
    o->thread = f->number;
    o->method = method_of(f->operation.item);
    o->nargs = (uint8_t)f->operation.item->nargs;
    o->returned = false;
    memcpy(o->arg, f->operation.arg, sizeof o->arg);
    o->result = VALUE_UNKNOWN;
    o->first = o->last = mode_now() == ALONE ? NO_STEP : f->step.last;
    if (o->first != NO_STEP) explored_world.events[f->number]++;
    o->call_at = recorded.boundaries++;
    o->return_at = UINT32_MAX;
    o->marks = 0;
}

static value result_of(const plumb_value *v) {
    if (v->kind == PLUMB_INT && v->as.integer < VALUE_INT_LIMIT && v->as.integer >= -VALUE_INT_LIMIT)
        return value_int(explored_world.values, v->as.integer);
    const mode before = mode_aside();
    value r = plugin_handle(explored_world.values, v);
    mode_back(before);
    return r;
}

static void record_return(fiber *f, const plumb_value *v) {
    explored_operation *o = &explored_world.ops[f->operation.number];
    INVARIANT(f->operation.number < explored_world.op_count && o->thread == f->number && !o->returned);
    INVARIANT(recorded.open && recorded.boundaries < 2 * OPERATIONS_MAX && o->call_at < recorded.boundaries);
    o->result = result_of(v);
    o->returned = true;
    INVARIANT(o->first == NO_STEP || (f->step.last != NO_STEP && o->first <= f->step.last));
    if (o->first != NO_STEP) {
        o->last = f->step.last;
        explored_world.events[f->number]++;
    }
    if (buffers_wanted()) o->stores = buffer_unsynchronised();
    o->return_at = recorded.boundaries++;
    recorded.open--;
}

void items_run(enum plumb_item_kind kind) {
    for (plumb_item *i = items_have(kind) ? items : NULL; i; i = i->next)
        if (i->kind == kind) i->run(NULL);
}

/* ---- invariants: what holds whenever no operation is running ----
 *
 * Where there are any, each operation has a step of its own before all it does and one behind it. Up to the first a
 * thread has done nothing of the operation, not even to memory that no other thread uses; with the second all is done:
 * so when none is running, memory is what the operations that have ended left there. The end of an operation depends on
 * the beginning of every other thread's, which decides whether there is a moment between the two. Beginnings commute,
 * and so do ends: a set of ended operations with none running is met in every interleaving of the trace that has one.
 * */

static bool invariants_want_steps(void) { return items_have(PLUMB_ITEM_INVARIANT) && mode_now() == RECORDING; }

static void invariant_step(uintptr_t address, uint32_t size, place_role role, uintptr_t pc) {
    step_describe(STEP_NOTHING, address, size, role, pc);
    step_take();
}

static void operation_begins(fiber *f, uintptr_t pc) {
    INVARIANT(!f->operation.begun);
    if (!invariants_want_steps()) return;
    invariant_step(ENDS_BASE, THREADS_MAX, PLACE_READ, pc);
    f->operation.begun = true;
    recorded.running++;
}

static void operation_ends(fiber *f, uintptr_t pc) {
    if (!f->operation.begun) return;
    invariant_step(ENDS_BASE + f->number, 1, PLACE_WRITE, pc);
    f->operation.begun = false;
    INVARIANT(recorded.running);
    recorded.running--;
}

/* Looks at the memory between two steps: what the invariant itself reads is no step. */
void invariants_check(void) {
    if (!items_have(PLUMB_ITEM_INVARIANT) || recorded.running) return;
    const mode before = mode_now();
    mode_set(ALONE);
    for (plumb_item *i = items; i; i = i->next)
        if (i->kind == PLUMB_ITEM_INVARIANT && !i->run(NULL).as.integer)
            fail(FAILURE_INVARIANT, "the invariant at %s:%u does not hold though no operation is running", i->file,
                 i->line);
    mode_set(before);
}

/* An exception leaves it: the operation never returns, and may have taken effect or not. */
static void operation_left(fiber **f) {
    if (!*f) return;
    if ((*f)->operation.state == OPERATION_VISIBLE) recorded.open--;
    (*f)->operation.item = NULL;
    operation_becomes(*f, OPERATION_NONE);
    operation_ends(*f, CALLER);
}

EXPORT plumb_value plumb_operation_run(plumb_item *item, const int64_t *arg) {
    fiber *f = fiber_now();
    if (mode_now() == OUTSIDE || f->operation.item) return item->run(arg);
    volatile_settle();
    operation_begins(f, CALLER);
    f->operation.item = item;
    for (unsigned i = 0; i < OPERATION_ARGS; i++) f->operation.arg[i] = i < item->nargs ? arg[i] : 0;
    operation_becomes(f, OPERATION_CALLED);
    spin_forget(f);
    if (mode_now() == ALONE) record_visible(f);
    stack_clean();
    fiber *left __attribute__((unused, cleanup(operation_left))) = f;
    plumb_value v = item->run(arg);
    volatile_settle();
    signal_point(CALLER);
    left = NULL;
    if (f->spin.called && mode_now() == RECORDING) {
        step_describe(STEP_NOTHING, 0, 0, PLACE_UNUSED, CALLER);
        step_take();
    }
    if (f->spin.called) record_visible(f);
    record_return(f, &v);
    f->operation.item = NULL;
    operation_becomes(f, OPERATION_NONE);
    spin_forget(f);
    operation_ends(f, CALLER);
    invariants_check();
    return v;
}

EXPORT unsigned plumb_choose(unsigned n) {
    if (mode_now() == OUTSIDE) return 0;
    spin_forget(fiber_now());
    return world_choose(n, CHOICE_OF_TEST);
}

/* Belongs to the step before it: no other thread can come between. An operation that had no step yet gets one. */
EXPORT void plumb_linearizes_here(void) {
    fiber *f = fiber_now();
    if (mode_now() == OUTSIDE || !f || f->operation.state == OPERATION_NONE) return;
    volatile_settle();
    if (f->spin.called && mode_now() == RECORDING) {
        step_describe(STEP_NOTHING, 0, 0, PLACE_UNUSED, CALLER);
        step_take();
    }
    if (f->spin.called) record_visible(f);
    explored_operation *o = &explored_world.ops[f->operation.number];
    INVARIANT(f->operation.state == OPERATION_VISIBLE && o->thread == f->number && !o->returned);
    o->marks++;
    o->marked_after = recorded.boundaries;
    o->marked_as = recorded.marks++;
}

/* Calls and returns alternate in a thread, and all of them are counted. */
void record_check(void) {
    const world *w = world_now();
    uint32_t open = 0, returned = 0;
    for (unsigned t = 0; t < w->threads; t++) {
        const fiber *f = fiber_at(t);
        INVARIANT(f->operation.state <= OPERATION_VISIBLE);
        INVARIANT(f->spin.called == (f->operation.state == OPERATION_CALLED));
        INVARIANT((f->operation.item != NULL) == (f->operation.state != OPERATION_NONE));
        if (f->operation.state != OPERATION_VISIBLE) continue;
        open++;
        INVARIANT(f->operation.number < w->op_count && w->ops[f->operation.number].thread == t);
        INVARIANT(!w->ops[f->operation.number].returned);
    }
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        returned += o->returned;
        INVARIANT(o->thread < w->threads && o->call_at < recorded.boundaries);
        INVARIANT(!o->returned || (o->call_at < o->return_at && o->return_at < recorded.boundaries));
        INVARIANT(o->first == NO_STEP || (o->first <= o->last && o->last < w->steps));
    }
    INVARIANT(w->op_count <= OPERATIONS_MAX && open == recorded.open && recorded.boundaries == w->op_count + returned);
}
