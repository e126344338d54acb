/* From the description of a pattern to its automaton: all situations that can be told apart, then the smallest machine
 * that tells them apart. */
#include "observe/pattern.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct pattern_progress {
    uint8_t matched; /* events of the pattern */
    uint8_t cover;   /* values that are certainly inside */
    uint8_t blocked; /* blocked operations that run */
    uint8_t owed;    /* values (or misses) whose blocked operation is still to end */
    bool seen;       /* a blocked operation has begun */
} pattern_progress;

/* ---- one step ---- */

/* Each event that may come now is seen as early as it can be: that is never worse for those behind it. One that comes
 * behind another is not seen at the same moment. */
static void match(const pattern *p, pattern_progress *s, bool returns, pattern_role role, unsigned letter) {
    const unsigned before = s->matched;
    for (unsigned i = 0; i < p->events; i++) {
        const pattern_event *e = &p->event[i];
        if (!(e->after & ~before) && e->returns == returns && e->letter == letter && e->roles >> role & 1)
            s->matched |= (uint8_t)(1u << i);
    }
    assert(!(s->matched >> p->events));
}

typedef enum count_result {
    COUNTED,
    COUNTED_WRONG /* this was not the guess to make */,
    COUNTED_TOO_MUCH
} count_result;

static count_result count_cover(const pattern *p, pattern_progress *s, bool returns, pattern_role role) {
    if (returns && role == DOES_INSERT) {
        if (s->cover == p->most && !p->most_is_enough) return COUNTED_TOO_MUCH;
        s->cover = (uint8_t)(s->cover + (s->cover < p->most));
        assert(s->cover && s->cover <= p->most);
    }
    if (!returns && role == DOES_REMOVE && s->cover-- == 0) return COUNTED_WRONG;
    return COUNTED;
}

static count_result count_blocked(const pattern *p, pattern_progress *s, const blocked_operation *b, bool returns,
                                  pattern_role role) {
    bool begins = !returns && role == (b->role == DOES_REMOVE ? DOES_INSERT : b->role);
    if (begins && s->owed++ == p->most) return COUNTED_TOO_MUCH;
    if (role != b->role) return COUNTED;
    s->seen = true;
    if (!returns) return s->blocked++ == p->most ? COUNTED_TOO_MUCH : COUNTED;
    return s->blocked-- == 0 || s->owed-- == 0 ? COUNTED_WRONG : COUNTED;
}

static count_result count(const pattern *p, pattern_progress *s, bool returns, pattern_role role, unsigned letter) {
    count_result c = p->covers >> letter & 1 ? count_cover(p, s, returns, role) : COUNTED;
    for (unsigned i = 0; i < p->blocks && c == COUNTED; i++)
        if (p->blocked[i].letter == letter) c = count_blocked(p, s, &p->blocked[i], returns, role);
    return c == COUNTED && s->blocked && !s->cover ? COUNTED_WRONG : c;
}

static bool is_bad(const pattern *p, const pattern_progress *s) {
    return s->matched == (1u << p->events) - 1 && (!p->blocks || (s->seen && !s->owed));
}

/* ---- all situations ---- */

typedef struct derivation {
    const pattern *p;
    pattern_progress *s;
    uint32_t n, room;
    uint32_t (*next)[PATTERN_SYMBOLS];
} derivation;

static uint32_t number(derivation *d, const pattern_progress *s) {
    for (uint32_t i = AUTOMATON_START; i < d->n; i++)
        if (!memcmp(&d->s[i], s, sizeof *s)) return i;
    if (d->n == d->room) {
        d->room *= 2;
        d->s = MEM_GROW(d->s, pattern_progress, d->room);
        d->next = mem_resize(d->next, d->room, sizeof *d->next);
    }
    d->s[d->n] = *s;
    return d->n++;
}

static uint32_t successor(derivation *d, const pattern_progress *from, unsigned symbol) {
    pattern_progress s;
    memcpy(&s, from, sizeof s);
    unsigned letter = symbol % PATTERN_LETTERS;
    pattern_role role = (pattern_role)(symbol / PATTERN_LETTERS % PATTERN_ROLES);
    bool returns = symbol / PATTERN_LETTERS / PATTERN_ROLES;
    match(d->p, &s, returns, role, letter);
    assert(pattern_symbol(returns, role, letter) == symbol);
    count_result c = count(d->p, &s, returns, role, letter);
    assert(c != COUNTED || (s.cover <= d->p->most && s.blocked <= d->p->most && s.owed <= d->p->most));
    assert(!(from->matched & ~s.matched));
    if (c != COUNTED) return c == COUNTED_WRONG ? AUTOMATON_GOOD : AUTOMATON_LOST;
    return is_bad(d->p, &s) ? AUTOMATON_BAD : number(d, &s);
}

enum { SITUATIONS = 4096 };

/* False: there are too many. */
static bool explore(derivation *d) {
    pattern_progress first;
    memset(&first, 0, sizeof first);
    d->n = AUTOMATON_START;
    for (uint32_t i = 0; i < AUTOMATON_START; i++)
        for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) d->next[i][c] = i;
    number(d, &first);
    for (uint32_t i = AUTOMATON_START; i < d->n && d->n <= SITUATIONS; i++)
        for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) {
            uint32_t to = successor(d, &d->s[i], c);
            d->next[i][c] = to;
        }
    return d->n <= SITUATIONS;
}

/* ---- the smallest one (Moore) ---- */

static bool same_class(const derivation *d, const uint32_t *class, uint32_t a, uint32_t b) {
    if (class[a] != class[b]) return false;
    for (unsigned c = 0; c < PATTERN_SYMBOLS; c++)
        if (class[d->next[a][c]] != class[d->next[b][c]]) return false;
    return true;
}

static uint32_t refine(const derivation *d, const uint32_t *class, uint32_t *finer) {
    uint32_t classes = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t like = 0;
        while (like < i && !same_class(d, class, like, i)) like++;
        finer[i] = like < i ? finer[like] : classes++;
        assert(like == i || class[like] == class[i]); /* finer than before */
    }
    return classes;
}

/* Good, bad and lost are absorbing, every class has one successor for each symbol, and nothing leads to no class. */
#ifdef PLUMB_SELF_CHECKS
static void check_automaton(const automaton *a, const derivation *d, const uint32_t *class) {
    for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) {
        for (unsigned s = 0; s < AUTOMATON_START; s++) assert(a->next[s][c] == s);
        for (unsigned s = 0; s < a->states; s++) assert(a->next[s][c] < a->states);
        for (uint32_t i = 0; i < d->n; i++) assert(a->next[class[i]][c] == class[d->next[i][c]]);
    }
}
#else
static void check_automaton(const automaton *a, const derivation *d, const uint32_t *class) {
    (void)a, (void)d, (void)class;
}
#endif

static uint32_t smallest(const derivation *d, uint32_t *class) {
    uint32_t *finer = MEM_ARRAY(uint32_t, d->n), classes = 3, before = 0;
    for (uint32_t i = 0; i < d->n; i++) class[i] = i <= AUTOMATON_LOST ? i : AUTOMATON_GOOD;
    while (classes != before) {
        before = classes;
        classes = refine(d, class, finer);
        assert(classes >= before || before == 3);
        memcpy(class, finer, d->n * sizeof *class);
    }
    free(finer);
    return classes;
}

/* The first state is number AUTOMATON_START but where nothing bad can be reached: it is the harmless one then. */
static void fill_in(automaton *a, const derivation *d, const uint32_t *class, uint32_t classes) {
    assert(class[AUTOMATON_LOST] == AUTOMATON_LOST);
    a->of = d->p;
    a->states = classes;
    for (uint32_t i = 0; i < d->n; i++)
        for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) a->next[class[i]][c] = (uint8_t) class[d->next[i][c]];
    check_automaton(a, d, class);
}

bool automaton_derive(automaton *a, const pattern *p) {
    derivation d = {
        .p = p, .room = 256, .s = MEM_ARRAY(pattern_progress, 256), .next = mem_resize(NULL, 256, sizeof *d.next)};
    bool good = explore(&d);
    uint32_t *class = MEM_ARRAY(uint32_t, d.n), classes = good ? smallest(&d, class) : 0;
    good = good && classes <= AUTOMATON_STATES;
    if (good) fill_in(a, &d, class, classes);
    FREE_ALL(class, d.s, d.next);
    return good;
}

automaton *automata_of(const pattern_set *s) {
    automaton *a = MEM_ARRAY(automaton, s->count);
    for (unsigned i = 0; i < s->count; i++) {
        bool good = automaton_derive(&a[i], &s->at[i]);
        assert(good);
        (void)good;
    }
    return a;
}

/* ---- drawing ---- */

static void dot_edges(const automaton *a, unsigned from, unsigned to, text *out) {
    text label = {0};
    for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) {
        if (a->next[from][c] != to) continue;
        if (label.size) text_add(&label, "\\n");
        pattern_symbol_print(a->of, c, &label);
    }
    if (label.size) text_printf(out, "    s%u -> s%u [label=\"%s\"];\n", from, to, text_str(&label));
    text_free(&label);
}

/* Loops and edges to the harmless state are left out: what is not drawn does not bring the bad state nearer. */
void automaton_dot(const automaton *a, text *out) {
    text_printf(out,
                "digraph \"%s %s\" {\n    label=\"%s: %s\";\n    rankdir=LR; node [shape=circle, label=\"\"];\n    s%d "
                "[style=bold];\n    s%d [shape=doublecircle, label=\"bad\"];\n",
                a->of->object, a->of->name, a->of->object, a->of->sentence, AUTOMATON_START, AUTOMATON_BAD);
    for (unsigned from = AUTOMATON_START; from < a->states; from++)
        for (unsigned to = AUTOMATON_BAD; to < a->states; to++)
            if (to != from && to != AUTOMATON_LOST) dot_edges(a, from, to, out);
    text_add(out, "}\n");
}
