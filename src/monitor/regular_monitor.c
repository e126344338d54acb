/* regular and safe: each read by itself, with all writes (object/regular.h). When a read returns, all writes that it
 * may have overlapped have been called, so it is judged there and then. It is right iff some write with its value had
 * not returned yet when the last of the writes was called that were over when the read was called.
 *
 * Kept: writes that a read may still return, and some older ones, so that a violation can be shown. */
#include "monitor/store.h"
#include "object/regular.h"

typedef struct seen_write {
    monitored op;
    value v;
    moment ret;     /* MOMENT_NEVER: not yet */
    bool relied_on; /* while it was open: without it, a read that was judged might be wrong */
} seen_write;

enum { OLD_WRITES = 1024 };

/* Moments are the numbers of events plus one; 0: before all of them. */
typedef struct read_judge {
    monitor_part *part;
    seen_write *at; /* by call */
    uint32_t n, room, tidy_at;
    value initial;
    moment last_over; /* of the writes that returned, the last call */
    bool forgot;
    open_operations reads;
} read_judge;

static operation view_of(const monitored *m) {
    operation op = {.method = m->method, .nargs = m->nargs, .key = m->key, .res = m->res, .client = m->client};
    memcpy(op.arg, m->arg, sizeof op.arg);
    return op;
}

static bool is_read(const read_judge *j, const open_operation *op) {
    operation view = view_of(&op->op);
    return regular_reads(part_object(j->part), &view);
}

/* Of the writes that were over when this read was called, the last call. */
static moment over_at_call(const open_operation *read) { return read->mine; }

/* ---- writes ---- */

static void forget_writes(read_judge *j) {
    moment oldest = j->last_over;
    uint32_t kept = 0;
    for (const open_operation *r = j->reads.first; r; r = r->after)
        if (over_at_call(r) < oldest) oldest = over_at_call(r);
    for (uint32_t i = 0; i < j->n; i++)
        if (j->at[i].ret >= oldest) j->at[kept++] = j->at[i];
    j->forgot |= kept < j->n;
    j->n = kept;
    j->tidy_at = 2 * kept + OLD_WRITES;
}

static void call_write(read_judge *j, const open_operation *op) {
    operation view = view_of(&op->op);
    if (j->n >= j->tidy_at) forget_writes(j);
    if (j->n == j->room) {
        j->room = j->room ? 2 * j->room : 16;
        j->at = MEM_GROW(j->at, seen_write, j->room);
    }
    j->at[j->n++] = (seen_write){op->op, regular_written(part_object(j->part), &view), MOMENT_NEVER, false};
}

static seen_write *find_write(read_judge *j, const open_operation *op) {
    uint32_t i = j->n;
    while (i-- > 0 && j->at[i].op.number != op->op.number) assert(i);
    return &j->at[i];
}

static void return_write(read_judge *j, const open_operation *op) {
    seen_write *w = find_write(j, op);
    w->op = op->op;
    w->ret = op->op.ret + 1;
    if (op->op.call + 1 > j->last_over) j->last_over = op->op.call + 1;
}

static void remove_write(read_judge *j, const open_operation *op) {
    seen_write *w = find_write(j, op);
    memmove(w, w + 1, (size_t)(j->at + j->n - w - 1) * sizeof *w);
    j->n--;
}

/* ---- reads ---- */

static void rely_on_open(read_judge *j) {
    for (uint32_t i = 0; i < j->n; i++) j->at[i].relied_on |= j->at[i].ret == MOMENT_NEVER;
}

static bool overlaps_write(read_judge *j, const open_operation *read) {
    bool open = false;
    for (uint32_t i = j->n; i-- > 0;) {
        open |= j->at[i].ret == MOMENT_NEVER;
        if (j->at[i].ret != MOMENT_NEVER && j->at[i].ret > read->op.call + 1) return true;
    }
    if (open) rely_on_open(j);
    return open;
}

/* A write that can have been read; one that has returned, if there is one. */
static seen_write *find_source(read_judge *j, const open_operation *read) {
    const object *o = part_object(j->part);
    operation view = view_of(&read->op);
    seen_write *open = NULL;
    for (uint32_t i = j->n; i-- > 0;) {
        seen_write *w = &j->at[i];
        if (w->ret < over_at_call(read) || !regular_fits(o, &view, w->v)) continue;
        if (w->ret != MOMENT_NEVER) return w;
        if (!open) open = w;
    }
    return open;
}

static bool is_right(read_judge *j, const open_operation *op) {
    const object *o = part_object(j->part);
    operation view = view_of(&op->op);
    if (!over_at_call(op) && regular_fits(o, &view, j->initial)) return true;
    seen_write *w = find_source(j, op);
    if (w) w->relied_on |= w->ret == MOMENT_NEVER;
    return w || (o->criterion.kind == CRITERION_SAFE && overlaps_write(j, op));
}

/* The read, the writes of its value, and the one that was over before it and began after all of these had returned:
 * they are wrong by themselves. Where writes of its value may have been forgotten nothing is shown. */
static void show(const read_judge *j, const open_operation *op) {
    const object *o = part_object(j->part);
    operation view = view_of(&op->op);
    bool shown = false;
    if (j->forgot) return;
    for (uint32_t i = 0; i < j->n; i++) {
        if (!shown && j->at[i].op.call > op->op.call) {
            part_pattern(j->part, &op->op);
            shown = true;
        }
        bool matters = j->at[i].op.call + 1 == over_at_call(op) || regular_fits(o, &view, j->at[i].v);
        if (matters) part_pattern(j->part, &j->at[i].op);
    }
    if (!shown) part_pattern(j->part, &op->op);
}

static void judge_read(read_judge *j, const open_operation *op) {
    if (is_right(j, op)) return;
    part_violation(j->part, "a read returns what was never written, or was overwritten before it was called");
    show(j, op);
}

/* ---- events ---- */

static void call_any(void *self, open_operation *op) {
    read_judge *j = self;
    if (!is_read(j, op)) {
        call_write(j, op);
        return;
    }
    op->mine = j->last_over;
    open_operations_add(&j->reads, op);
}

static void return_any(void *self, open_operation *op) {
    read_judge *j = self;
    if (!is_read(j, op)) {
        return_write(j, op);
        return;
    }
    open_operations_remove(&j->reads, op);
    judge_read(j, op);
}

/* A write that never returns may be read for ever. */
static void pend_any(void *self, open_operation *op) {
    read_judge *j = self;
    if (is_read(j, op)) open_operations_remove(&j->reads, op);
    open_operation_free(j->part, op);
}

static void drop_any(void *self, open_operation *op) {
    read_judge *j = self;
    if (is_read(j, op)) {
        open_operations_remove(&j->reads, op);
        return;
    }
    bool relied_on = find_write(j, op)->relied_on;
    remove_write(j, op);
    if (relied_on) part_undecided(j->part, "a write failed that a read before was judged by, and reads are not kept");
}

/* ---- making ---- */

static void *create(monitor_part *p) {
    read_judge *j = MEM_NEW(read_judge);
    j->part = p;
    j->tidy_at = OLD_WRITES;
    j->initial = p->rest.w[0];
    return j;
}

static void destroy(void *self) {
    free(((read_judge *)self)->at);
    free(self);
}

static void store_regular(void *self, store *s) {
    read_judge *j = self;
    monitor_part *p = j->part;
    STORE(s, *j);
    j->part = p;
    STORE_ARRAY(s, j->at, j->n, j->room);
    store_open_operations(s, p, &j->reads);
}

static uint64_t live(const void *self) { return ((const read_judge *)self)->n; }

static size_t memory(const void *self) {
    const read_judge *j = self;
    return sizeof *j + j->room * sizeof *j->at;
}

static bool accepts(const object *o) { return criterion_is_of_reads(&o->criterion); }

MONITOR_RECORD(monitor_regular, "regular",
               "registers and keys under regular and safe: exact, at the return of the read; writes that can be read",
               .accepts = accepts, .create = create, .destroy = destroy, .call = call_any, .ret = return_any,
               .pend = pend_any, .drop = drop_any, .store = store_regular, .live = live, .memory = memory);
