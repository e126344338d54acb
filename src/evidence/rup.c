#include "evidence/rup.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

typedef struct watch_list { /* clauses that look at one literal */
    size_t *clause;         /* where they begin in `all` */
    uint32_t n, room;
} watch_list;

typedef struct rup_checker {
    int *all; /* every known clause, each ended by 0; its first two literals are watched */
    size_t n, room;
    watch_list *watched; /* by literal */
    int8_t *value;       /* by literal: 1 true, -1 false, 0 open */
    int *trail;
    size_t assigned, propagated;
    bool contradiction; /* among what is known, by itself */
    int variables;
} rup_checker;

static size_t code(int literal) {
    assert(literal != 0);
    return 2 * (size_t)abs(literal) + (literal < 0);
}

static bool assign(rup_checker *k, int literal) {
    assert(k->value[code(literal)] == -k->value[code(-literal)]);
    if (k->value[code(literal)]) return k->value[code(literal)] > 0;
    assert(k->assigned < (size_t)k->variables); /* each variable is on the trail once */
    k->value[code(literal)] = 1;
    k->value[code(-literal)] = -1;
    k->trail[k->assigned++] = literal;
    return true;
}

static void watch_literal(rup_checker *k, int literal, size_t clause) {
    watch_list *w = &k->watched[code(literal)];
    if (w->n == w->room) w->clause = MEM_GROW(w->clause, size_t, w->room = w->room ? 2 * w->room : 4);
    w->clause[w->n++] = clause;
}

/* The clause watches `falsified`, which is false now. False: all of it is. */
static bool visit(rup_checker *k, size_t at, int falsified, bool *moved) {
    int *c = k->all + at;
    assert(at < k->n || at + 2 <= k->room);
    assert((c[0] == falsified || c[1] == falsified) && k->value[code(falsified)] < 0); /* it is watched there */
    *moved = false;
    if (c[0] == falsified) {
        c[0] = c[1];
        c[1] = falsified;
    }
    if (k->value[code(c[0])] > 0) return true;
    for (size_t i = 2; c[i]; i++) {
        if (k->value[code(c[i])] < 0) continue;
        c[1] = c[i];
        c[i] = falsified;
        watch_literal(k, c[1], at);
        *moved = true;
        return true;
    }
    return assign(k, c[0]);
}

/* False: a contradiction. */
static bool propagate(rup_checker *k) {
    while (k->propagated < k->assigned) {
        int falsified = -k->trail[k->propagated++];
        watch_list *w = &k->watched[code(falsified)];
        uint32_t kept = 0, i = 0;
        bool good = true;
        for (; i < w->n && good; i++) {
            bool moved;
            size_t at = w->clause[i];
            good = visit(k, at, falsified, &moved);
            w = &k->watched[code(falsified)];
            if (!moved) w->clause[kept++] = at;
        }
        for (; i < w->n; i++) w->clause[kept++] = w->clause[i];
        w->n = kept;
        if (!good) return false;
    }
    return true;
}

static void take_back(rup_checker *k, size_t to) {
    assert(to <= k->assigned);
    while (k->assigned > to) {
        int literal = k->trail[--k->assigned];
        k->value[code(literal)] = k->value[code(-literal)] = 0;
    }
    k->propagated = to;
}

/* Two literals that are not false come first, as far as there are such. */
static unsigned choose_watches(const rup_checker *k, int *c) {
    unsigned found = 0;
    for (size_t i = 0; c[i] && found < 2; i++) {
        if (k->value[code(c[i])] < 0) continue;
        int swap = c[found];
        c[found++] = c[i];
        c[i] = swap;
    }
    return found;
}

/* What is assigned now follows from what is known, and stays. */
static void know(rup_checker *k, const int *clause) {
    size_t length = 0;
    while (clause[length]) length++;
    if (k->n + length + 1 > k->room) k->all = MEM_GROW(k->all, int, k->room = 2 * k->room + length + 1);
    int *c = k->all + k->n;
    for (size_t i = 0; i <= length; i++) c[i] = clause[i];
    unsigned open = choose_watches(k, c);
    assert(open <= length);
    if (length >= 2) {
        watch_literal(k, c[0], k->n);
        watch_literal(k, c[1], k->n);
        k->n += length + 1;
    }
    if (open == 0) k->contradiction = true;
    else if (open == 1) k->contradiction |= !assign(k, c[0]) || !propagate(k);
}

static bool follows(rup_checker *k, const int *clause) {
    size_t before = k->assigned;
    bool open = true;
    for (; *clause && open; clause++) open = assign(k, -*clause);
    bool yes = !open || !propagate(k);
    take_back(k, before);
    assert(k->assigned == before && k->propagated == before); /* a step that is only tried leaves nothing behind */
    return yes;
}

static bool in_range(const int *literal, size_t n, int variables) {
    for (size_t i = 0; i < n; i++)
        if (literal[i] < -variables || literal[i] > variables) return false;
    return n == 0 || literal[n - 1] == 0;
}

static size_t next_clause(const int *at, size_t i) {
    while (at[i]) i++;
    return i + 1;
}

static bool run(rup_checker *k, const int *clauses, size_t n, const int *steps, size_t m, size_t *used, text *wrong) {
    for (size_t i = 0; i < n && !k->contradiction; i = next_clause(clauses, i)) know(k, clauses + i);
    for (size_t i = 0; i < m && !k->contradiction; i = next_clause(steps, i)) {
        ++*used;
        if (!follows(k, steps + i)) {
            text_printf(wrong, "step %zu does not follow", *used);
            return false;
        }
        know(k, steps + i);
    }
    if (!k->contradiction) text_add(wrong, "the steps do not lead to a contradiction");
    return k->contradiction;
}

bool rup_check(const int *clauses, size_t n, const int *steps, size_t m, int variables, size_t *used, text *wrong) {
    *used = 0;
    if (!in_range(clauses, n, variables) || !in_range(steps, m, variables)) {
        text_add(wrong, "a literal is out of range");
        return false;
    }
    size_t literals = 2 * ((size_t)variables + 1);
    rup_checker k = {.variables = variables,
                     .room = n + 1024,
                     .watched = mem_zero(literals, sizeof(watch_list)),
                     .value = mem_zero(literals, sizeof(int8_t)),
                     .trail = MEM_ARRAY(int, (size_t)variables + 1)};
    k.all = MEM_ARRAY(int, k.room);
    bool good = run(&k, clauses, n, steps, m, used, wrong);
    for (size_t i = 0; i < literals; i++) free(k.watched[i].clause);
    FREE_ALL(k.all, k.watched, k.value, k.trail);
    return good;
}
