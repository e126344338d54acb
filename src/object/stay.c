#include "object/stay.h"

#include "object/about.h"
#include "object/leave_out.h"

#include <assert.h>

/* What stays of these operations with the named ones, by this rule. */
static uint32_t *close_named(const uint32_t *op, uint32_t of, const leave_out *rule, const uint8_t *named,
                             uint32_t *n) {
    uint8_t *group = mem_zero(rule->groups, 1);
    bool fragile = false;
    for (uint32_t i = 0; i < of; i++) {
        if (!named[i] && rule->group[i] != GROUP_KEEP) continue;
        bool must = named[i] || !(rule->flags[i] & LEAVE_ALONE);
        if (must && rule->flags[i] & LEAVE_FRAGILE) fragile = true;
        if (named[i] && rule->group[i] != GROUP_KEEP) group[rule->group[i]] = 1;
    }
    uint32_t *keep = NULL, room = 0;
    *n = 0;
    for (uint32_t i = 0; i < of; i++) {
        bool grouped = rule->group[i] != GROUP_KEEP; /* asked first: LEAVE_ALONE alone would be mispredicted */
        if (!named[i] && ((grouped && !group[rule->group[i]] && !fragile) || rule->flags[i] & LEAVE_ALONE)) continue;
        if (*n == room) keep = MEM_GROW(keep, uint32_t, room = room ? 2 * room : 64);
        keep[(*n)++] = op[i];
    }
    free(group);
    return keep;
}

typedef struct operation_set {
    const uint32_t *op;
    uint32_t n;
} operation_set;

/* What speaks about everything (a try that failed) lets no group leave. */
static void forget_fragile(const leave_out *rule, uint32_t n, uint8_t *named) {
    for (uint32_t i = 0; i < n; i++)
        if ((rule->flags[i] & (LEAVE_ALONE | LEAVE_FRAGILE)) == (LEAVE_ALONE | LEAVE_FRAGILE)) named[i] = 0;
}

/* Both lists are ascending, and the focus is among the operations. */
static void check_named(operation_set of, operation_set focus, const uint8_t *named) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < of.n; i++) found += named[i];
    assert(found == focus.n);
    (void)focus;
    (void)found;
}

/* telling apart all, not only what the focus is about; without what is fragile in the focus */
enum { CLOSELY = 1, ROBUST = 2 };

static staying close_focus(const object *o, const history *h, operation_set of, operation_set focus, unsigned how) {
    uint8_t *named = mem_zero(of.n, 1);
    for (uint32_t i = 0, k = 0; i < of.n && k < focus.n; i++)
        if (of.op[i] == focus.op[k]) {
            named[i] = 1;
            k++;
        }
    check_named(of, focus, named);
    leave_out rule;
    object_leave_out_around(o, h, of.op, of.n, focus.op, how & CLOSELY ? 0 : focus.n, &rule);
    if (how & ROBUST) forget_fragile(&rule, of.n, named);
    staying s = {.by_epochs = rule.by_epochs};
    s.op = close_named(of.op, of.n, &rule, named, &s.n);
    leave_out_free(&rule);
    free(named);
    assert(s.n <= of.n && (how & ROBUST || s.n >= focus.n));
    return s;
}

enum { LONG = 1024, LARGE = 4 }; /* of a long history, the LARGE-th part is not little */

static bool is_little(uint32_t n, uint32_t of) { return n < of && (of < LONG || n < of / LARGE); }

static void prefer(staying *best, staying other) {
    staying worse = other.n < best->n ? *best : other;
    if (other.n < best->n) *best = other;
    free(worse.op);
}

/* By the cheapest rule that leaves little, else by the one that leaves least. */
static staying stay_with(const object *o, const history *h, operation_set all, operation_set focus, unsigned how) {
    operation_set near = {0};
    uint32_t *about = object_narrow(o, h, all.op, all.n, focus.op, focus.n, &near.n);
    staying best = {.n = all.n};
    near.op = about;
    if (about) prefer(&best, close_focus(o, h, near, focus, how));
    if (!is_little(best.n, all.n)) prefer(&best, close_focus(o, h, all, focus, how));
    if (!is_little(best.n, all.n)) prefer(&best, close_focus(o, h, all, focus, how | CLOSELY));
    free(about);
    return best;
}

staying object_stay_with(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus,
                         uint32_t focus_n) {
    return stay_with(o, h, (operation_set){op, n}, (operation_set){focus, focus_n}, 0);
}

/* The first of these operations that is called after this rank. */
static uint32_t called_after(const history *h, const uint32_t *op, uint32_t n, uint32_t rank) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (h->call[op[middle]] <= rank) low = middle + 1;
        else high = middle;
    }
    assert(low == n || h->call[op[low]] > rank);
    assert(!low || h->call[op[low - 1]] <= rank);
    return low;
}

staying object_stay_near(const object *o, const history *h, const uint32_t *op, uint32_t n, uint32_t rank,
                         uint32_t each, uint32_t most) {
    uint32_t at = called_after(h, op, n, rank), from = at > each ? at - each : 0, to = n - at > each ? at + each : n,
             returned = at;
    if (to - from >= most) return (staying){0};
    while (returned > 0 && h->ret[op[returned - 1]] != rank) returned--; /* may have been called long before */
    uint32_t *focus = MEM_ARRAY(uint32_t, to - from + 1), focus_n = 0;
    if (returned > 0 && returned - 1 < from) focus[focus_n++] = op[returned - 1];
    for (uint32_t i = from; i < to; i++) focus[focus_n++] = op[i];
    staying s = stay_with(o, h, (operation_set){op, n}, (operation_set){focus, focus_n}, ROBUST);
    free(focus);
    if (s.n < most) return s;
    free(s.op);
    return (staying){0};
}
