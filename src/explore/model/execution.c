#include "explore/model/execution.h"

#include "base/mem.h"
#include "explore/model/event_order.h"
#include "history/builder.h"
#include "history/value_code.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

void talk_operation(text *out, const char *method, const explored_operation *op, const values *v) {
    text result = {0};
    if (op->returned) value_encode(v, op->result, &result);
    talk_begin(out, "op");
    talk_text(out, method);
    talk_int(out, op->thread);
    talk_text(out, text_str(&result));
    talk_int(out, op->first);
    talk_int(out, op->last);
    talk_int(out, op->call_at);
    talk_int(out, op->return_at);
    talk_int(out, op->stores != 0);
    for (unsigned a = 0; a < op->nargs; a++) talk_int(out, op->arg[a]);
    talk_end(out);
    text_free(&result);
}

/* Operations in the order of their threads, each with those that returned before its call: what makes it this
 * history. */
void talk_history(text *out, const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events,
                  const values *v) {
    uint32_t number[OPERATIONS_MAX], sorted[OPERATIONS_MAX], count = 0;
    uint64_t returned = 0, before[OPERATIONS_MAX] = {0};
    assert(event_order_is_sound(op, n, order, events));
    for (unsigned t = 0; t < THREADS_MOST; t++)
        for (uint32_t i = 0; i < n; i++)
            if (op[i].thread == t) sorted[number[i] = count++] = i;
    assert(count == n);
    for (uint32_t i = 0; i < events; i++) {
        if (order[i] & 1) returned |= UINT64_C(1) << number[order[i] / 2];
        else before[number[order[i] / 2]] = returned;
    }
    text all = {0};
    for (uint32_t k = 0; k < count; k++) {
        const explored_operation *o = &op[sorted[k]];
        text_printf(&all, "%u,%u,%" PRId64, o->thread, o->method, o->nargs ? o->arg[0] : 0);
        for (unsigned a = 1; a < o->nargs; a++) text_printf(&all, ";%" PRId64, o->arg[a]);
        text_printf(&all, ",%" PRIx64 ",", before[k]);
        if (o->returned) value_encode(v, o->result, &all);
        text_char(&all, ' ');
    }
    talk_begin(out, "history");
    talk_text(out, text_str(&all));
    text_free(&all);
}

void talk_step(text *out, unsigned thread, const step *s, const read_message *read) {
    talk_begin(out, "step");
    talk_int(out, thread);
    talk_int(out, s->kind);
    talk_int(out, s->flags);
    talk_int(out, s->size);
    talk_int(out, s->order);
    for (int i = 0; i < 2; i++) {
        talk_hex(out, s->at[i].address);
        talk_int(out, s->at[i].size);
        talk_int(out, s->at[i].role);
    }
    talk_hex(out, s->pc);
    talk_hex(out, s->value);
    talk_hex(out, s->high);
    talk_hex(out, s->expected);
    talk_hex(out, s->expected_high);
    if (read) {
        talk_int(out, read->from);
        talk_int(out, read->newest);
    }
    talk_end(out);
}

void talk_block(text *out, const heap_block *b) {
    talk_begin(out, "block");
    talk_hex(out, b->address);
    talk_int(out, (int64_t)b->size);
    talk_int(out, b->thread);
    talk_hex(out, b->pc);
    talk_int(out, b->from);
    talk_int(out, b->to);
    talk_end(out);
}

void talk_region(text *out, const memory_region *r) {
    talk_begin(out, "region");
    talk_int(out, r->kind);
    talk_int(out, r->thread);
    talk_hex(out, r->address);
    talk_int(out, (int64_t)r->size);
    talk_text(out, r->name);
    talk_end(out);
}

void talk_memory(text *out, uintptr_t address, const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    talk_begin(out, "memory");
    talk_hex(out, address);
    text_char(out, '\t');
    for (size_t i = 0; i < size; i++) text_printf(out, "%02x", p[i]);
    talk_end(out);
}

/* ---- reading ---- */

/* Room for one more at the end of an array that grows by doubling. */
#define ONE_MORE(array, n, type) \
    ((n) & ((n)-1) ? &(array)[(n)++] : ((array) = MEM_GROW((array), type, (n) ? 2 * (size_t)(n) : 1), &(array)[(n)++]))

static void take_operation(execution *x, const talk_line *l) {
    executed_operation *op = ONE_MORE(x->op, x->ops, executed_operation);
    *op = (executed_operation){.method = mem_string(talk_get(l, 1)),
                               .thread = (unsigned)talk_get_int(l, 2),
                               .first = (uint32_t)talk_get_int(l, 4),
                               .last = (uint32_t)talk_get_int(l, 5),
                               .call_at = (uint32_t)talk_get_int(l, 6),
                               .return_at = (uint32_t)talk_get_int(l, 7),
                               .buffered = talk_get_int(l, 8)};
    if (*talk_get(l, 3)) op->result = mem_string(talk_get(l, 3));
    for (unsigned i = 9; i < l->n && op->nargs < OPERATION_ARGS; i++) op->arg[op->nargs++] = talk_get_int(l, i);
}

static void take_step(execution *x, const talk_line *l) {
    executed_step *s = ONE_MORE(x->step, x->steps, executed_step);
    *s = (executed_step){.thread = (unsigned)talk_get_int(l, 1)};
    s->step = (step){.kind = (uint8_t)talk_get_int(l, 2),
                     .flags = (uint8_t)talk_get_int(l, 3),
                     .size = (uint8_t)talk_get_int(l, 4),
                     .order = (uint8_t)talk_get_int(l, 5),
                     .pc = talk_get_hex(l, 12),
                     .value = talk_get_hex(l, 13),
                     .high = talk_get_hex(l, 14),
                     .expected = talk_get_hex(l, 15),
                     .expected_high = talk_get_hex(l, 16)};
    s->from = s->missed = NO_STEP;
    if (s->step.kind == STEP_FLUSH) x->model = EXECUTION_BUFFERED;
    if (l->n > 18) {
        x->model = EXECUTION_GRAPH;
        s->from = (uint32_t)talk_get_int(l, 17);
        s->missed = (uint32_t)talk_get_int(l, 18);
    }
    for (unsigned i = 0; i < 2; i++)
        s->step.at[i] = (place){.address = talk_get_hex(l, 6 + 3 * i),
                                .size = (uint32_t)talk_get_int(l, 7 + 3 * i),
                                .role = (uint8_t)talk_get_int(l, 8 + 3 * i)};
}

static void take_block(execution *x, const talk_line *l) {
    heap_block *b = ONE_MORE(x->block, x->blocks, heap_block);
    *b = (heap_block){.address = talk_get_hex(l, 1),
                      .size = (size_t)talk_get_int(l, 2),
                      .thread = (unsigned)talk_get_int(l, 3),
                      .pc = talk_get_hex(l, 4),
                      .from = (uint32_t)talk_get_int(l, 5),
                      .to = (uint32_t)talk_get_int(l, 6)};
}

static void take_region(execution *x, const talk_line *l) {
    memory_region *r = ONE_MORE(x->region, x->regions, memory_region);
    *r = (memory_region){.kind = (region_kind)talk_get_int(l, 1),
                         .thread = (unsigned)talk_get_int(l, 2),
                         .address = talk_get_hex(l, 3),
                         .size = (size_t)talk_get_int(l, 4),
                         .name = mem_string(talk_get(l, 5))};
}

static void take_memory(execution *x, const talk_line *l) {
    const char *hex = talk_get(l, 2);
    memory_piece *m = ONE_MORE(x->memory, x->memories, memory_piece);
    *m = (memory_piece){.address = talk_get_hex(l, 1), .size = strlen(hex) / 2};
    m->bytes = mem_alloc(m->size + 1);
    for (size_t i = 0; i < m->size; i++) {
        unsigned byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte);
        m->bytes[i] = (uint8_t)byte;
    }
}

bool execution_take(execution *x, const talk_line *l) {
    const char *tag = talk_get(l, 0);
    if (!strcmp(tag, "op")) take_operation(x, l);
    else if (!strcmp(tag, "step")) take_step(x, l);
    else if (!strcmp(tag, "block")) take_block(x, l);
    else if (!strcmp(tag, "memory")) take_memory(x, l);
    else if (!strcmp(tag, "region")) take_region(x, l);
    else return false;
    return true;
}

void execution_free(execution *x) {
    for (uint32_t i = 0; i < x->ops; i++) {
        free(x->op[i].method);
        free(x->op[i].result);
    }
    for (uint32_t i = 0; i < x->memories; i++) free(x->memory[i].bytes);
    for (uint32_t i = 0; i < x->regions; i++) free(x->region[i].name);
    FREE_ALL(x->op, x->step, x->block, x->memory, x->region, x->message);
    *x = (execution){0};
}

/* ---- its history ---- */

typedef struct call_or_return {
    uint32_t at, op;
    bool is_return;
} call_or_return;

static int boundary_compare(const void *a, const void *b) {
    const call_or_return *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool add_boundary(builder *b, const executed_operation *op, bool is_return) {
    values *t = builder_values(b);
    value client = value_int(t, op->thread), arg[OPERATION_ARGS];
    if (is_return) {
        const char *result = op->result;
        return builder_return(b, client, value_decode(t, &result), 0);
    }
    for (unsigned a = 0; a < op->nargs; a++) arg[a] = value_int(t, op->arg[a]);
    call_record call = {.client = client,
                        .method = builder_method(b, op->method, strlen(op->method), 0),
                        .key = VALUE_NONE,
                        .arg = arg,
                        .nargs = op->nargs};
    return builder_call(b, &call);
}

history *execution_history(const execution *x, const char *file, error *e) {
    call_or_return *event = MEM_ARRAY(call_or_return, 2 * (size_t)x->ops + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->ops; i++) {
        event[n++] = (call_or_return){.at = x->op[i].call_at, .op = i};
        if (x->op[i].result) event[n++] = (call_or_return){.at = x->op[i].return_at, .op = i, .is_return = true};
    }
    qsort(event, n, sizeof *event, boundary_compare);
    builder *b = builder_new(file, e);
    bool good = true;
    for (uint32_t i = 1; i < n; i++) assert(event[i - 1].at <= event[i].at);
    for (uint32_t i = 0; good && i < n; i++) good = add_boundary(b, &x->op[event[i].op], event[i].is_return);
    history *h = good ? builder_finish(b) : NULL;
    builder_free(b);
    free(event);
    return h;
}

const char *failure_name(failure_kind k) {
    static const char *const name[] = {[FAILURE_NONE] = "no failure",
                                       [FAILURE_ASSERTION] = "assertion failed",
                                       [FAILURE_DEADLOCK] = "deadlock",
                                       [FAILURE_LIVELOCK] = "livelock",
                                       [FAILURE_CRASH] = "crash",
                                       [FAILURE_EXCEPTION] = "uncaught exception",
                                       [FAILURE_USE_AFTER_FREE] = "use after free",
                                       [FAILURE_DOUBLE_FREE] = "double free",
                                       [FAILURE_INVALID_FREE] = "invalid free",
                                       [FAILURE_LEAK] = "leak",
                                       [FAILURE_DATA_RACE] = "data race",
                                       [FAILURE_INVARIANT] = "invariant broken",
                                       [FAILURE_MISUSE] = "misuse",
                                       [FAILURE_UNMODELLED] = "not modelled",
                                       [FAILURE_DIVERGED] = "the program does not repeat itself",
                                       [FAILURE_VIOLATION] = "violation",
                                       [FAILURE_ANNOTATION] = "wrong annotation",
                                       [FAILURE_PATTERN] = "bad pattern"};
    return (unsigned)k < sizeof name / sizeof *name ? name[k] : "failure";
}
