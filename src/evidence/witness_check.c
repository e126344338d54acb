/* Herlihy and Wing's definition, read as a list of things to check. Nothing here comes from the engines but the order
 * itself. */
#include "evidence/witness_check.h"

#include "base/mem.h"
#include "evidence/replay.h"
#include "evidence/steps_check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const history *h, text *wrong, uint32_t i, const char *what) {
    text_printf(wrong, "operation #%u %s", history_number(h, i), what);
    return false;
}

/* Completed operations exactly once, with the results they returned; pending ones at most once. */
static bool check_operations(const history *h, const witness *w, text *wrong) {
    uint8_t *seen = mem_zero(h->n, 1);
    bool good = true;
    for (uint32_t k = 0; k < w->n && good; k++) {
        uint32_t i = w->op[k];
        if (i >= h->n) {
            text_printf(wrong, "operation %u does not exist", i);
            good = false;
        } else if (seen[i]++) {
            good = refuse(h, wrong, i, "occurs twice");
        } else if (!history_pending(h, i) && w->res && w->res[k] != h->res[i]) {
            good = refuse(h, wrong, i, "has another result than the recorded one");
        }
    }
    for (uint32_t i = 0; i < h->n && good; i++)
        if (!seen[i] && !history_pending(h, i)) good = refuse(h, wrong, i, "completed but is missing");
    free(seen);
    return good;
}

/* From the last to the first: nothing that comes later may have returned before this one was called. Of all that come
 * later it is enough to know the one that returned first. */
static bool check_order(const history *h, const witness *w, text *wrong) {
    uint32_t first_return = RANK_NEVER, by = 0;
    for (uint32_t k = w->n; k-- > 0;) {
        uint32_t i = w->op[k];
        if (first_return < h->call[i]) {
            text_printf(wrong, "operation #%u returned before #%u was called, but comes after it",
                        history_number(h, by), history_number(h, i));
            return false;
        }
        if (h->ret[i] < first_return) {
            first_return = h->ret[i];
            by = i;
        }
    }
    return true;
}

static void view(const history *h, const witness *w, uint32_t k, operation *op) {
    history_operation(h, w->op[k], op);
    if (op->ret == RANK_NEVER && w->res) op->res = w->res[k];
}

static uint32_t part_of(const uint32_t *number, uint32_t i) { return number ? number[i] : 0; }

/* Everything at once, in the order of the witness: all parts side by side, each in place without a copy of its state,
 * which is possible while every step has one outcome. An operation respects the order if nothing before it was called
 * after its return: of all before it, it is enough to know the last call. False means only that something did not go
 * through: the slow way finds out what. In stretches, so that what is looked at twice is near. */
typedef struct order_progress {
    uint32_t last_call, completed;
    uint8_t *seen;
} order_progress;

static bool order_goes_on(const history *h, const witness *w, uint32_t from, uint32_t to, order_progress *p) {
    uint32_t last_call = p->last_call, completed = 0;
    /* a mark might be any of them, for all the compiler knows */
    const uint32_t *order = w->op, *calls = h->call, *returns = h->ret, n = h->n;
    uint8_t *seen = p->seen;
    bool good = true;
    for (uint32_t k = from; k < to; k++) {
        uint32_t i = order[k];
        if (i >= n) return false;
        uint32_t call = calls[i], ret = returns[i];
        good &= (seen[i] == 0) & (ret >= last_call);
        seen[i] = 1;
        last_call = call > last_call ? call : last_call;
        completed += ret != RANK_NEVER;
    }
    for (uint32_t k = from; w->res && k < to; k++)
        good &= (returns[order[k]] == RANK_NEVER) | (w->res[k] == h->res[order[k]]);
    p->last_call = last_call;
    p->completed += completed;
    return good;
}

static bool check_quickly(const history *h, const object *o, const witness *w, state *now, const uint32_t *number,
                          uint8_t *seen) {
    enum { STRETCH = 4096 };
    order_progress p = {.seen = seen};
    for (uint32_t from = 0, n; from < w->n; from += n) {
        n = w->n - from < STRETCH ? w->n - from : STRETCH;
        operation_sequence q = {
            .h = h, .op = w->op + from, .res = w->res ? w->res + from : NULL, .n = n, .part = number};
        if (!order_goes_on(h, w, from, from + n, &p) || object_run(o, now, &q) != n) return false;
    }
    for (uint32_t i = 0; i < h->n; i++) p.completed -= h->ret[i] != RANK_NEVER;
    return p.completed == 0;
}

static bool check_at_once(const history *h, const object *o, const witness *w, uint32_t parts, const uint32_t *number) {
    state *now = mem_zero(parts, sizeof *now);
    uint8_t *seen = mem_zero(h->n, 1);
    for (uint32_t p = 0; p < parts; p++) o->type->init(o, &now[p]);
    bool good = check_quickly(h, o, w, now, number, seen);
    for (uint32_t p = 0; p < parts; p++) {
        good = good && object_may_end(o, &now[p]);
        state_free(&now[p]);
    }
    free(seen);
    free(now);
    return good;
}

static void explain_step(const object *o, const replay *r, const operation *op, replay_answer a, const history *h,
                         text *wrong) {
    text_printf(wrong, "operation #%u ", history_number(h, op->index));
    operation_print(o, op, wrong);
    if (a == REPLAY_TOO_MANY) {
        text_printf(wrong, " leaves more than %d possible states", REPLAY_MAX_STATES);
    } else {
        text_add(wrong, " cannot come at its place: ");
        object_why_not(o, &r->now[0], op, wrong);
    }
}

static bool replay_slowly(const history *h, const object *o, const witness *w, const uint32_t *place, uint32_t n,
                          text *wrong) {
    replay r;
    replay_init(&r, o);
    bool good = true;
    for (uint32_t k = 0; k < n && good; k++) {
        operation op;
        view(h, w, place[k], &op);
        replay_answer a = replay_step(&r, &op);
        if (a == REPLAY_DONE) continue;
        explain_step(o, &r, &op, a, h, wrong);
        good = false;
    }
    if (good && !replay_may_end(&r)) {
        text_printf(wrong, "the order ends where the %s may not end", o->name);
        good = false;
    }
    replay_free(&r);
    return good;
}

/* The places of the witness, part by part, in the witness's order. */
static uint32_t *places_by_part(uint32_t parts, const uint32_t *number, const witness *w, uint32_t *start) {
    uint32_t *place = MEM_ARRAY(uint32_t, w->n);
    for (uint32_t p = 0; p <= parts; p++) start[p] = 0;
    for (uint32_t k = 0; k < w->n; k++) start[part_of(number, w->op[k]) + 1]++;
    for (uint32_t p = 0; p < parts; p++) start[p + 1] += start[p];
    uint32_t *next = mem_copy(start, parts * sizeof *next);
    assert(start[parts] == w->n);
    for (uint32_t k = 0; k < w->n; k++) place[next[part_of(number, w->op[k])]++] = k;
    for (uint32_t p = 0; p < parts; p++) assert(next[p] == start[p + 1]); /* every place is in one part */
    free(next);
    return place;
}

static bool replay_by_parts(const history *h, const object *o, const witness *w, uint32_t parts, const uint32_t *number,
                            text *wrong) {
    uint32_t *start = MEM_ARRAY(uint32_t, (size_t)parts + 1);
    uint32_t *place = places_by_part(parts, number, w, start);
    bool good = true;
    for (uint32_t p = 0; p < parts && good; p++)
        good = replay_slowly(h, o, w, place + start[p], start[p + 1] - start[p], wrong);
    free(place);
    free(start);
    return good;
}

/* Where time does not count: each client's operations are in the order in which it did them. */
static bool check_clients(const history *h, const witness *w, text *wrong) {
    uint32_t clients = 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (history_client(h, i) >= clients) clients = history_client(h, i) + 1;
    uint32_t *last = MEM_ARRAY(uint32_t, (size_t)clients + 1);
    memset(last, 0xff, clients * sizeof *last);
    bool good = true;
    for (uint32_t k = 0; k < w->n && good; k++) {
        uint32_t i = w->op[k], *of = &last[history_client(h, i)];
        good = *of == UINT32_MAX || h->ret[i] >= h->call[*of];
        if (!good)
            text_printf(wrong, "operation #%u comes after #%u, which the same client called later",
                        history_number(h, i), history_number(h, *of));
        if (*of == UINT32_MAX || h->call[i] > h->call[*of]) *of = i;
    }
    free(last);
    return good;
}

static bool sequence_check(const history *h, const object *o, const witness *w, text *wrong) {
    uint32_t *place = MEM_ARRAY(uint32_t, (size_t)w->n + 1);
    for (uint32_t k = 0; k < w->n; k++) place[k] = k;
    bool good =
        check_operations(h, w, wrong) && check_clients(h, w, wrong) && replay_slowly(h, o, w, place, w->n, wrong);
    free(place);
    return good;
}

bool witness_check(const history *h, const object *o, const witness *w, text *wrong) {
    if (criterion_is_together(&o->criterion)) return steps_check(h, o, w, wrong);
    if (!criterion_keeps_time(&o->criterion)) return sequence_check(h, o, w, wrong);
    uint32_t parts, *number = object_part_numbers(o, h, &parts);
    bool good = check_at_once(h, o, w, parts, number) || (check_operations(h, w, wrong) && check_order(h, w, wrong) &&
                                                          replay_by_parts(h, o, w, parts, number, wrong));
    free(number);
    return good;
}

/* Operations of one client whose stamps touch, at a stamp where several clients' do, were taken as overlapping: a
 * witness that has them the other way round proves nothing. */
bool witness_keeps_own_order(const history *h, const witness *w) {
    if (!h->ties) return true;
    uint32_t *place = MEM_ARRAY(uint32_t, h->n);
    memset(place, 0xff, h->n * sizeof *place);
    for (uint32_t i = 0; i < w->n; i++) place[w->op[i]] = i;
    bool kept = true;
    for (uint32_t t = 0; t < h->ties && kept; t++) kept = place[h->tied[t][0]] < place[h->tied[t][1]];
    free(place);
    return kept;
}
