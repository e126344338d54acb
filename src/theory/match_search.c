/* Looking for a match: one is tried, the instances of axioms that are false under it say which pairs they come from, and
 * the next one avoids them all. What an instance read is all it depends on, so not all of its pairs can be as they were:
 * a clause over pairs. The clauses are few, since an instance reads few pairs; when they cannot be satisfied there is no
 * match. */
#include "theory/evaluation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AT_ONCE = 200 }; /* clauses of one try */

typedef struct pair_clauses { /* literals: 2 * number of the pair + 1 if it is matched */
    evaluation *v;
    uint32_t *literal, literals, literal_room;
    uint32_t *start, clauses, start_room; /* start[clauses] is the end */
    bool *by_default;                     /* by pair: what it is as long as no clause speaks of it */
    uint8_t *is;                          /* by pair, IS_OPEN: no clause needs it */
    uint32_t *trail, set;
    uint32_t fresh;
    bool impossible; /* an instance that is false whatever the match */
} pair_clauses;

static uint32_t pair_number(const evaluation *v, uint32_t cell) {
    uint32_t y = cell % v->n, i = v->y_start[y];
    while (v->pair[i] != cell) i++;
    assert(i < v->y_start[y + 1]);
    return i;
}

static void add_literal(pair_clauses *c, uint32_t literal) {
    for (uint32_t i = c->start[c->clauses]; i < c->literals; i++)
        if (c->literal[i] == literal) return; /* it was read twice */
    if (c->literals == c->literal_room)
        c->literal = MEM_GROW(c->literal, uint32_t, c->literal_room = 2 * c->literal_room + 64);
    c->literal[c->literals++] = literal;
}

static bool learn(void *context, const evaluation *v) {
    pair_clauses *c = context;
    if (v->reads == 0) c->impossible = true;
    if (c->impossible) return false;
    if (c->clauses + 2 > c->start_room) c->start = MEM_GROW(c->start, uint32_t, c->start_room = 2 * c->start_room + 16);
    c->start[c->clauses] = c->literals;
    for (uint32_t i = 0; i < v->reads; i++)
        add_literal(c, 2 * pair_number(v, v->read[i]) + (v->match[v->read[i]] == IS_FALSE));
    c->start[++c->clauses] = c->literals;
    return ++c->fresh < MOST_AT_ONCE;
}

/* ---- satisfying the clauses: one pair after another, with unit propagation ---- */

static void set_pair(pair_clauses *c, uint32_t literal) {
    c->is[literal >> 1] = literal & 1 ? IS_TRUE : IS_FALSE;
    c->trail[c->set++] = literal >> 1;
}

static void unset_down_to(pair_clauses *c, uint32_t set) {
    while (c->set > set) c->is[c->trail[--c->set]] = IS_OPEN;
}

/* How many literals of the clause are open; 0: it is false; *open is one of them. UINT32_MAX: it is true. */
static uint32_t open_literals(const pair_clauses *c, uint32_t k, uint32_t *open) {
    uint32_t count = 0;
    for (uint32_t i = c->start[k]; i < c->start[k + 1]; i++) {
        uint8_t is = c->is[c->literal[i] >> 1];
        if (is == (c->literal[i] & 1 ? IS_TRUE : IS_FALSE)) return UINT32_MAX;
        if (is != IS_OPEN) continue;
        *open = c->literal[i];
        count++;
    }
    return count;
}

/* False: a clause is. *undecided: a literal of one that nothing is known of yet, UINT32_MAX: there is none. */
static bool propagate(pair_clauses *c, uint32_t *undecided) {
    for (bool again = true; again;) {
        again = false;
        *undecided = UINT32_MAX;
        for (uint32_t k = 0; k < c->clauses; k++) {
            uint32_t open = 0, count = open_literals(c, k, &open);
            if (count == 0) return false;
            if (count == 1) set_pair(c, open);
            again |= count == 1;
            if (count != UINT32_MAX && *undecided == UINT32_MAX) *undecided = open;
        }
    }
    return true;
}

static bool satisfy(pair_clauses *c) {
    uint32_t undecided, before = c->set;
    bool good = propagate(c, &undecided);
    if (good && undecided == UINT32_MAX) return true;
    for (unsigned other = 0; other < 2 && good; other++) {
        uint32_t literal = (undecided & ~UINT32_C(1)) | (c->by_default[undecided >> 1] != other);
        uint32_t set = c->set;
        set_pair(c, literal);
        if (satisfy(c)) return true;
        unset_down_to(c, set);
    }
    unset_down_to(c, before);
    return false;
}

/* ---- the search ---- */

/* The only one of its x and the only one of its y. */
static bool is_alone(const evaluation *v, uint32_t cell) {
    uint32_t x = cell / v->n, y = cell % v->n;
    return v->x_start[x + 1] - v->x_start[x] == 1 && v->y_start[y + 1] - v->y_start[y] == 1;
}

static void put_match(pair_clauses *c) {
    evaluation *v = c->v;
    for (uint32_t i = 0; i < v->pairs; i++) {
        bool yes = c->is[i] == IS_OPEN ? c->by_default[i] : c->is[i] == IS_TRUE;
        v->match[v->pair[i]] = yes ? IS_TRUE : IS_FALSE;
    }
}

static bool look_for_false(pair_clauses *c) {
    const theory *t = c->v->b->t;
    c->fresh = 0;
    bool sequence = !c->v->before && !c->v->anywhere;
    for (unsigned i = 0; i < t->axioms; i++)
        if (!(sequence && t->axiom[i].of_order) && !evaluate_instances(c->v, t->axiom[i].as_written, learn, c)) break;
    return c->fresh || c->impossible;
}

bool match_exists(evaluation *v) {
    pair_clauses c = {.v = v,
                      .by_default = MEM_ARRAY(bool, (size_t)v->pairs + 1),
                      .is = MEM_ARRAY(uint8_t, (size_t)v->pairs + 1),
                      .trail = MEM_ARRAY(uint32_t, (size_t)v->pairs + 1),
                      .start = MEM_ARRAY(uint32_t, 2),
                      .start_room = 2};
    c.start[0] = 0;
    for (uint32_t i = 0; i < v->pairs; i++) {
        c.by_default[i] = is_alone(v, v->pair[i]);
        c.is[i] = IS_OPEN;
    }
    bool possible = true, found = false;
    while (possible && !found) {
        put_match(&c);
        found = !look_for_false(&c);
        unset_down_to(&c, 0);
        possible = !c.impossible && (found || satisfy(&c));
    }
    FREE_ALL(c.by_default, c.is, c.trail, c.start, c.literal);
    return found;
}
