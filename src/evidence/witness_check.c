/* Herlihy and Wing's definition, read as a list of things to check. Nothing here comes from the engines but the order itself. */
#include "evidence/witness_check.h"

#include "evidence/replay.h"

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
            text_printf(wrong, "operation #%u returned before #%u was called, but comes after it", history_number(h, by), history_number(h, i));
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

static uint32_t *part_numbers(const partition *parts, uint32_t operations) {
    uint32_t *part_of = MEM_ARRAY(uint32_t, operations);
    for (uint32_t p = 0; p < parts->count; p++)
        for (uint32_t i = parts->start[p]; i < parts->start[p + 1]; i++) part_of[parts->op[i]] = p;
    return part_of;
}

/* All parts side by side, in the order of the witness, each in place without a copy of its state: possible while every step
 * has one outcome. False means only that it did not go through: the slow way finds out why. */
static bool replay_quickly(const history *h, const object *o, const witness *w, uint32_t parts, const uint32_t *part_of) {
    state *now = mem_zero(parts, sizeof *now);
    bool good = true;
    for (uint32_t p = 0; p < parts; p++) o->type->init(o, &now[p]);
    for (uint32_t k = 0; k < w->n && good; k++) {
        operation op;
        value res;
        view(h, w, k, &op);
        good = o->type->step(o, &now[part_of[w->op[k]]], &op, 0, &res) == STEP_LEGAL;
    }
    for (uint32_t p = 0; p < parts; p++) {
        good = good && object_may_end(o, &now[p]);
        state_free(&now[p]);
    }
    free(now);
    return good;
}

static void explain_step(const object *o, const replay *r, const operation *op, replay_answer a, const history *h, text *wrong) {
    text_printf(wrong, "operation #%u ", history_number(h, op->index));
    operation_print(o, op, wrong);
    if (a == REPLAY_TOO_MANY) {
        text_printf(wrong, " leaves more than %d possible states", REPLAY_MAX_STATES);
    } else {
        text_add(wrong, " cannot come at its place: ");
        object_why_not(o, &r->now[0], op, wrong);
    }
}

static bool replay_slowly(const history *h, const object *o, const witness *w, const uint32_t *place, uint32_t n, text *wrong) {
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
static uint32_t *places_by_part(uint32_t parts, const uint32_t *part_of, const witness *w, uint32_t *start) {
    uint32_t *place = MEM_ARRAY(uint32_t, w->n);
    for (uint32_t p = 0; p <= parts; p++) start[p] = 0;
    for (uint32_t k = 0; k < w->n; k++) start[part_of[w->op[k]] + 1]++;
    for (uint32_t p = 0; p < parts; p++) start[p + 1] += start[p];
    uint32_t *next = mem_copy(start, parts * sizeof *next);
    for (uint32_t k = 0; k < w->n; k++) place[next[part_of[w->op[k]]]++] = k;
    free(next);
    return place;
}

static bool replay_by_parts(const history *h, const object *o, const witness *w, uint32_t parts, const uint32_t *part_of, text *wrong) {
    uint32_t *start = MEM_ARRAY(uint32_t, (size_t)parts + 1);
    uint32_t *place = places_by_part(parts, part_of, w, start);
    bool good = true;
    for (uint32_t p = 0; p < parts && good; p++) good = replay_slowly(h, o, w, place + start[p], start[p + 1] - start[p], wrong);
    free(place);
    free(start);
    return good;
}

static bool check_runs(const history *h, const object *o, const witness *w, text *wrong) {
    partition *parts = object_partition(o, h);
    uint32_t count = parts->count, *part_of = part_numbers(parts, h->n);
    partition_free(parts);
    bool good = replay_quickly(h, o, w, count, part_of) || replay_by_parts(h, o, w, count, part_of, wrong);
    free(part_of);
    return good;
}

bool witness_check(const history *h, const object *o, const witness *w, text *wrong) {
    return check_operations(h, w, wrong) && check_order(h, w, wrong) && check_runs(h, o, w, wrong);
}
