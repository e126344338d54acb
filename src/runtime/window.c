#include "runtime/window.h"

#include "evidence/judge.h"
#include "history/builder.h"
#include "object/trust.h"
#include "runtime/checker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_TO_ORDER = 60 };

void window_init(segment_window *w, const log_header *h) { *w = (segment_window){.h = h, .values = values_new()}; }

void window_free(segment_window *w) {
    if (w->values) values_free(w->values);
    free(w->told);
    free(w->op);
    free(w->order);
    *w = (segment_window){0};
}

/* ---- coming in ---- */

static kept_operation *add(segment_window *w) {
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 1024;
        w->op = MEM_GROW(w->op, kept_operation, w->room);
    }
    return &w->op[w->n++];
}

uint32_t window_call(segment_window *w, const sketched *op, uint64_t event) {
    kept_operation *k = add(w);
    *k = (kept_operation){.call = (int64_t)event,
                          .name = value_int(w->values, op->client),
                          .method = op->method,
                          .nargs = op->nargs,
                          .stands = KEPT_OPEN};
    assert(op->method < w->h->methods && op->nargs <= HISTORY_MAX_ARGS);
    assert(w->n < 2 || k[-1].call < k->call); /* in the order of their calls */
    memcpy(k->arg, op->arg, sizeof k->arg);
    return w->n - 1;
}

void window_return(segment_window *w, uint32_t place, const sketched *op, uint64_t event) {
    assert(place < w->n);
    kept_operation *k = &w->op[place];
    assert(k->stands == KEPT_OPEN && k->call < (int64_t)event);
    k->stands = op->outcome == LOG_RETURNED ? KEPT_RETURNED : op->outcome == LOG_FAILED ? KEPT_GONE : KEPT_PENDING;
    k->res = op->res;
    k->ret = (int64_t)event;
    w->returned += k->stands == KEPT_RETURNED;
}

void window_excuse(segment_window *w, uint32_t place) {
    assert(place < w->n && w->op[place].stands == KEPT_OPEN);
    w->op[place].stands = KEPT_PENDING;
    w->excused++;
}

/* ---- as a history ---- */

static value as_value(values *to, const values *from, uint64_t word) {
    return (word & 7) == LOG_HANDLE ? value_copy(to, from, (value)(word >> 3)) : word_as_value(to, word);
}

static uint64_t as_word(values *to, const values *from, value v) {
    return (uint64_t)value_copy(to, from, v) << 3 | LOG_HANDLE;
}

typedef struct drafted {
    history *h;
    object *o;
} drafted;

static bool add_to(builder *b, const segment_window *w, const kept_operation *k, unsigned which) {
    values *t = builder_values(b);
    value arg[HISTORY_MAX_ARGS];
    assert(k->stands != KEPT_GONE);
    for (unsigned i = 0; i < k->nargs; i++) arg[i] = as_value(t, w->values, k->arg[i]);
    call_record call = {
        .client = value_copy(t, w->values, k->name), .method = which, .key = VALUE_NONE, .arg = arg, .nargs = k->nargs};
    bool back = k->stands == KEPT_RETURNED;
    return builder_operation(b, &call, k->call, back ? k->ret : STAMP_NEVER,
                             back ? as_value(t, w->values, k->res) : VALUE_UNKNOWN);
}

/* Those that tell the state, then these, numbered in this order, bound to the object. */
static bool draft(const segment_window *w, const uint32_t *op, uint32_t n, drafted *out, error *e) {
    builder *b = builder_new("segment", e);
    unsigned number[LOG_METHODS];
    bool good = true;
    for (uint32_t i = 0; i < w->h->methods; i++)
        number[i] = builder_method(b, w->h->method[i], strlen(w->h->method[i]), 0);
    for (uint32_t k = 0; k < w->carried + n && good; k++) {
        const kept_operation *one = k < w->carried ? &w->told[k] : &w->op[op[k - w->carried]];
        good = add_to(b, w, one, number[one->method]);
    }
    out->h = good ? builder_finish(b) : NULL;
    builder_free(b);
    out->o = out->h ? object_open_from_data(w->h->object, w->h->init[0] ? w->h->init + 1 : NULL, e) : NULL;
    return out->o && object_bind(out->o, out->h, "segment", e);
}

static void drafted_free(drafted *d) {
    if (d->h) history_free(d->h);
    object_close(d->o);
}

/* ---- the order ---- */

/* Those that tell the state were over before all others began: they come first in every order. */
static bool take_order(segment_window *w, const drafted *d, const uint32_t *op, const witness *found, error *e) {
    free(w->order);
    w->order = MEM_ARRAY(uint32_t, (size_t)found->n + 1);
    w->ordered = w->cut = 0;
    for (uint32_t k = 0; k < found->n; k++) {
        uint32_t number = history_number(d->h, found->op[k]);
        if ((k < w->carried) != (number < w->carried))
            return error_set(e, EXIT_INTERNAL, "the first state is not first");
        assert(number < d->h->n);
        if (k >= w->carried) w->order[w->ordered++] = op[number - w->carried];
    }
    return true;
}

bool window_order(segment_window *w, error *e) {
    uint32_t *op = MEM_ARRAY(uint32_t, (size_t)w->n + 1), n = 0;
    drafted d = {0};
    judgement j = {0};
    budget b;
    budget_init(&b, SECONDS_TO_ORDER, 0);
    for (uint32_t i = 0; i < w->n; i++)
        if (w->op[i].stands != KEPT_GONE) op[n++] = i;
    if (!n && !w->carried) { /* nothing to order */
        free(op);
        return take_order(w, &d, NULL, &j.decision.witness, e);
    }
    bool good = draft(w, op, n, &d, e) && judge(d.h, d.o, &(judge_options){.quick = true}, &b, NULL, &j, e);
    bool found = good && j.verdict == VERDICT_LINEARIZABLE && j.witness_checked && !j.decision.witness.begins;
    if (found) found = take_order(w, &d, op, &j.decision.witness, e);
    else if (good && j.verdict == VERDICT_VIOLATION)
        error_set(e, EXIT_UNDECIDED,
                  "what follows does not go on from the state of the last segment: a violation, or values stayed "
                  "inside for longer than was looked ahead");
    else if (good)
        error_set(e, EXIT_UNDECIDED, "no order was found in which the operations could have taken effect one by one");
    judgement_free(&j);
    drafted_free(&d);
    free(op);
    return found;
}

/* ---- cutting ---- */

static uint32_t may_be_cut(const segment_window *w, uint32_t most) {
    uint32_t k = w->cut;
    assert(w->cut <= w->ordered && w->ordered <= w->n);
    while (k < w->ordered && k - w->cut < most && w->op[w->order[k]].stands != KEPT_OPEN) k++;
    return k - w->cut;
}

/* For the next segment: the operations that tell its first state. */
static void carry(segment_window *w, const recalled *end, const drafted *d) {
    values *to = w->values;
    const values *from = d->h->values;
    free(w->told);
    w->told = MEM_ARRAY(kept_operation, (size_t)end->n + 1);
    w->carried = end->n;
    for (uint32_t i = 0; i < end->n; i++) {
        const operation *op = &end->op[i];
        kept_operation *k = &w->told[i];
        *k = (kept_operation){.call = 2 * ((int64_t)i - (int64_t)end->n),
                              .name = value_copy(to, from, end->client[i]),
                              .method = op->method,
                              .stands = KEPT_RETURNED,
                              .res = as_word(to, from, op->res)};
        k->ret = k->call + 1;
        assert(k->ret < 0 && op->nargs + d->o->type->keyed <= HISTORY_MAX_ARGS); /* before every event of the run */
        if (d->o->type->keyed) k->arg[k->nargs++] = as_word(to, from, op->key);
        for (unsigned a = 0; a < op->nargs; a++) k->arg[k->nargs++] = as_word(to, from, op->arg[a]);
    }
}

bool window_cut(segment_window *w, const char *path, uint32_t most, chain_link *link, uint32_t *written, error *e) {
    drafted d = {0};
    recalled end = {0};
    *written = may_be_cut(w, most);
    if (!*written) return true;
    bool good =
        draft(w, w->order + w->cut, *written, &d, e) && segment_write(path, d.h, d.o, w->carried, link, &end, e);
    for (uint32_t k = 0; k < *written && good; k++) {
        kept_operation *one = &w->op[w->order[w->cut++]];
        assert(one->stands != KEPT_OPEN && one->stands != KEPT_GONE && w->returned >= (one->stands == KEPT_RETURNED));
        w->returned -= one->stands == KEPT_RETURNED;
        one->stands = KEPT_GONE;
    }
    if (good) carry(w, &end, &d);
    recalled_free(&end);
    drafted_free(&d);
    return good;
}

static void move_words(kept_operation *k, values *to, const values *from) {
    k->name = value_copy(to, from, k->name);
    for (unsigned a = 0; a < k->nargs; a++)
        if ((k->arg[a] & 7) == LOG_HANDLE) k->arg[a] = as_word(to, from, (value)(k->arg[a] >> 3));
    if (k->stands == KEPT_RETURNED && (k->res & 7) == LOG_HANDLE) k->res = as_word(to, from, (value)(k->res >> 3));
}

/* In place, and into a new table of values: the old one holds values that are not used any more. */
void window_renew(segment_window *w, uint32_t *moved) {
    values *to = values_new();
    uint32_t n = 0, returned = 0;
    for (uint32_t i = 0; i < w->carried; i++) move_words(&w->told[i], to, w->values);
    for (uint32_t i = 0; i < w->n; i++) {
        moved[i] = w->op[i].stands == KEPT_GONE ? UINT32_MAX : n;
        if (moved[i] == UINT32_MAX) continue;
        w->op[n] = w->op[i];
        returned += w->op[n].stands == KEPT_RETURNED;
        move_words(&w->op[n++], to, w->values);
    }
    assert(n <= w->n && w->returned == returned);
    (void)returned;
    w->n = n;
    w->ordered = w->cut = 0;
    values_free(w->values);
    w->values = to;
}
