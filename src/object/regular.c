#include "object/regular.h"

#include "object/leave_out.h"

#include <assert.h>
#include <string.h>

bool regular_reads(const object *o, const operation *op) { return object_method(o, op)->role & ROLE_OBSERVES; }

static const object_type *strict_of(const object *o) { return o->strict ? o->strict : o->type; }

/* What is held after it, whatever was held before. */
value regular_written(const object *o, const operation *op) {
    state held = {0};
    value res;
    state_push(&held, VALUE_NONE);
    strict_of(o)->step(o, &held, op, 0, &res);
    value v = held.w[0];
    state_free(&held);
    return v;
}

bool regular_fits(const object *o, const operation *read, value written) {
    state held = {0};
    value res;
    state_push(&held, written);
    bool fits = strict_of(o)->step(o, &held, read, 0, &res) == STEP_LEGAL;
    state_free(&held);
    return fits;
}

/* ---- the relaxed object ---- */

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (op->method < o->strict->method_count) return o->strict->step(o, s, op, choice, res);
    *res = op->res;
    return step_if(choice == 0);
}

/* An operation that changes a value it finds has no place among plain writes. */
static bool check_operation(const object *o, const operation *op, text *wrong) {
    const object_type *t = o->strict;
    const method *m = object_method(o, op);
    bool plain =
        m->role & ROLE_OBSERVES || !strcmp(m->name, "write") || !strcmp(m->name, "put") || !strcmp(m->name, "delete");
    if (!plain)
        text_printf(wrong, "%s under criterion %s, which is about reads and plain writes; expected those alone",
                    m->name, criterion_type_of(o->criterion.kind)->name);
    return plain && (!t->check_operation || t->check_operation(o, op, wrong));
}

/* Reads are judged one by one: each may leave alone. A write may leave when no read that is left returns its value:
 * the others had no fewer writes in between before. */
static void leave_out_reads(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        bool reads = regular_reads(o, &view);
        out->flags[i] = reads ? LEAVE_ALONE : 0;
        value about = reads ? view.res : regular_written(o, &view);
        if (about != VALUE_UNKNOWN) out->group[i] = value_group(g, about);
    }
    value_groups_finish(g, out, n);
}

void relax_regular(object *o, object_type *t) {
    o->excused = MEM_ARRAY(method, OBJECT_METHODS);
    memcpy(o->excused, t->methods, t->method_count * sizeof *o->excused);
    unsigned plain = t->method_count;
    for (unsigned m = 0; m < plain; m++) {
        if (!(t->methods[m].role & ROLE_OBSERVES)) continue;
        method *twin = &o->excused[t->method_count++];
        *twin = t->methods[m];
        twin->aliases = NULL;
        twin->result = RESULT_ANY;
    }
    assert(t->method_count == plain + 1); /* there is one way to read */
    t->methods = o->excused;
    t->step = step;
    t->check_operation = check_operation;
    t->leave_out = leave_out_reads;
    t->settle = NULL;
    t->wider = NULL;
    t->by_value = false;
    t->looks_for = NULL;
    t->brings = NULL;
}

/* ---- which reads are right ---- */

typedef struct written { /* a write, with the place of its events */
    value v;
    uint32_t call, ret;
    uint32_t last_ret; /* of this one and those called before it */
} written;

typedef struct part_writes {
    written *at; /* by call; the first is the initial value */
    uint32_t n;
    uint32_t *returned; /* calls of those that returned, by return; each the latest up to there */
    uint32_t *returned_at;
    uint32_t returns;
} part_writes;

/* How many of these numbers, which ascend, are below the limit? */
static uint32_t count_below(const uint32_t *at, uint32_t n, uint32_t limit) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at[middle] < limit) low = middle + 1;
        else high = middle;
    }
    return low;
}

static uint32_t called_before(const part_writes *w, uint32_t event) {
    uint32_t low = 1, high = w->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->at[middle].call < event) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool is_right(const object *o, const part_writes *w, const operation *read) {
    uint32_t before = called_before(w, read->ret), over = count_below(w->returned_at, w->returns, read->call);
    if (o->criterion.kind == CRITERION_SAFE && before > 1 && w->at[before - 1].last_ret > read->call) return true;
    for (uint32_t i = before; i-- > 1;)
        if ((!over || w->at[i].ret >= w->returned[over - 1]) && regular_fits(o, read, w->at[i].v)) return true;
    return !over && regular_fits(o, read, w->at[0].v);
}

static int compare_returns(const void *a, const void *b) {
    const written *x = a, *y = b;
    return (x->ret > y->ret) - (x->ret < y->ret);
}

static void sort_returns(part_writes *w) {
    written *by_return = mem_copy(w->at + 1, (w->n - 1) * sizeof *w->at);
    qsort(by_return, w->n - 1, sizeof *by_return, compare_returns);
    w->returned = MEM_ARRAY(uint32_t, w->n);
    w->returned_at = MEM_ARRAY(uint32_t, w->n);
    for (uint32_t i = 0; i + 1 < w->n && by_return[i].ret != RANK_NEVER; i++) {
        uint32_t last = i ? w->returned[i - 1] : 0;
        w->returned_at[i] = by_return[i].ret;
        w->returned[i] = by_return[i].call > last ? by_return[i].call : last;
        w->returns = i + 1;
    }
    free(by_return);
}

static void add_write(part_writes *w, const object *o, const operation *op) {
    uint32_t last = w->at[w->n - 1].last_ret;
    w->at[w->n++] = (written){regular_written(o, op), op->call, op->ret, op->ret > last ? op->ret : last};
}

static void excuse_part(const object *o, history *h, const uint32_t *op, uint32_t n) {
    part_writes w = {.at = MEM_ARRAY(written, n + 1), .n = 1};
    state start = {0};
    operation view;
    o->strict->init(o, &start);
    w.at[0] = (written){.v = start.w[0]};
    state_free(&start);
    for (uint32_t i = 0; i < n; i++) {
        history_operation(h, op[i], &view);
        if (!regular_reads(o, &view)) add_write(&w, o, &view);
    }
    sort_returns(&w);
    bool wrong = false; /* one is enough: that the others are wrong too is not asked */
    for (uint32_t i = 0; i < n; i++) {
        history_operation(h, op[i], &view);
        if (!regular_reads(o, &view) || view.ret == RANK_NEVER) continue;
        if (wrong || is_right(o, &w, &view)) h->method[op[i]] = (uint8_t)o->strict->method_count;
        else wrong = true;
    }
    FREE_ALL(w.at, w.returned, w.returned_at);
}

void regular_excuse(const object *o, history *h) {
    partition *parts = object_partition(o, h);
    for (uint32_t p = 0; p < parts->count; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        excuse_part(o, h, op, n);
    }
    partition_free(parts);
}
