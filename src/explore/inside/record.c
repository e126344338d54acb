/* Declared operations: registered before main, run and recorded. Compiled with exceptions: one may leave an operation.
 *
 * The call is attached to the first step of the operation and the return to its last: the tightest interval, which
 * gives the strongest check and no scheduling points of its own. An operation without a step gets one that touches
 * nothing. */
#include "explore/inside/inside.h"
#include "object/plugin_value.h"

static plumb_item *items, **items_end = &items;
static uint32_t kinds; /* a bit for each that was declared */

bool items_have(enum plumb_item_kind kind) { return kinds >> kind & 1; }

EXPORT void plumb_item_register(plumb_item *item) {
    item->next = NULL;
    kinds |= UINT32_C(1) << item->kind;
    *items_end = item;
    items_end = &item->next;
}

const plumb_item *items_registered(void) { return items; }

void record_reset(void) {
    m.world.op_count = 0;
    memset(m.world.events, 0, sizeof m.world.events);
    m.boundaries = m.marks = m.open_operations = 0;
}

static uint8_t method_of(const plumb_item *item) {
    uint8_t n = 0;
    for (const plumb_item *i = items; i && i != item; i = i->next) n = (uint8_t)(n + (i->kind == PLUMB_ITEM_OPERATION));
    return n;
}

void record_visible(fiber *f) {
    if (m.world.op_count == OPERATIONS_MAX)
        fail(FAILURE_UNMODELLED, "more than %d operations in one execution", OPERATIONS_MAX);
    f->op = m.world.op_count++;
    operation_becomes(f, OPERATION_VISIBLE);
    m.open_operations++;
    explored_operation *o = &m.world.ops[f->op];
    o->thread = f->number, o->method = method_of(f->item), o->nargs = (uint8_t)f->item->nargs, o->returned = false;
    memcpy(o->arg, f->arg, sizeof o->arg);
    o->result = VALUE_UNKNOWN;
    o->first = o->last = m.mode == ALONE ? NO_STEP : f->last_step;
    if (o->first != NO_STEP) m.world.events[f->number]++;
    o->call_at = m.boundaries++, o->return_at = UINT32_MAX;
    o->marks = 0;
}

static value result_of(const plumb_value *v) {
    if (v->kind == PLUMB_INT && v->as.integer < VALUE_INT_LIMIT && v->as.integer >= -VALUE_INT_LIMIT)
        return value_int(m.world.values, v->as.integer);
    uint8_t before = m.mode;
    m.mode = OUTSIDE;
    value r = plugin_handle(m.world.values, v);
    m.mode = before;
    return r;
}

static void record_return(fiber *f, const plumb_value *v) {
    explored_operation *o = &m.world.ops[f->op];
    o->result = result_of(v);
    o->returned = true;
    if (o->first != NO_STEP) o->last = f->last_step, m.world.events[f->number]++;
    o->return_at = m.boundaries++;
    m.open_operations--;
}

void items_run(enum plumb_item_kind kind) {
    for (plumb_item *i = items_have(kind) ? items : NULL; i; i = i->next)
        if (i->kind == kind) i->run(NULL);
}

/* Looks at the memory between two steps: what the invariant itself reads is nobody's step. */
void invariants_check(void) {
    if (!items_have(PLUMB_ITEM_INVARIANT)) return;
    const mode before = m.mode;
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
    if ((*f)->operation == OPERATION_VISIBLE) m.open_operations--;
    (*f)->item = NULL, operation_becomes(*f, OPERATION_NONE);
}

EXPORT plumb_value plumb_operation_run(plumb_item *item, const int64_t *arg) {
    fiber *f = m.now;
    if (m.mode == OUTSIDE || f->item) return item->run(arg);
    f->item = item;
    for (unsigned i = 0; i < OPERATION_ARGS; i++) f->arg[i] = i < item->nargs ? arg[i] : 0;
    operation_becomes(f, OPERATION_CALLED);
    spin_forget(f);
    if (m.mode == ALONE) record_visible(f);
    fiber *left __attribute__((unused, cleanup(operation_left))) = f;
    plumb_value v = item->run(arg);
    left = NULL;
    if (f->called && m.mode == RECORDING) {
        step_describe(STEP_NOTHING, 0, 0, PLACE_UNUSED, CALLER);
        step_take();
    }
    if (f->called) record_visible(f);
    record_return(f, &v);
    f->item = NULL, operation_becomes(f, OPERATION_NONE);
    spin_forget(f);
    if (!m.open_operations) invariants_check();
    return v;
}

EXPORT unsigned plumb_choose(unsigned n) {
    if (m.mode == OUTSIDE) return 0;
    spin_forget(m.now);
    return world_choose(n, CHOICE_OF_TEST);
}

/* Belongs to the step before it: no other thread can come between. An operation that had no step yet gets one. */
EXPORT void plumb_linearizes_here(void) {
    fiber *f = m.now;
    if (m.mode == OUTSIDE || !f || f->operation == OPERATION_NONE) return;
    if (f->called && m.mode == RECORDING) {
        step_describe(STEP_NOTHING, 0, 0, PLACE_UNUSED, CALLER);
        step_take();
    }
    if (f->called) record_visible(f);
    explored_operation *o = &m.world.ops[f->op];
    o->marks++;
    o->marked_after = m.boundaries;
    o->marked_as = m.marks++;
}
