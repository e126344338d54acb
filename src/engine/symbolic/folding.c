#include "engine/symbolic/folding.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* one pass more if what the last one learned was more than a 64th of what is left */
enum { MOST_PASSES = 8, WORTH_A_PASS = 64 };

struct clause_folding {
    literal *is; /* by variable: a constant, an equal literal of a smaller variable, or 0: itself */
    int room;
    literal last[2]; /* the last clause of two literals */
    size_t learned;  /* variables that were fixed or made equal to another since the last pass began */
    bool only_keeps; /* and learns nothing more */
    literals held;
    int *number; /* by variable, after folding_finish: its number among those that are left; 0: in no clause */
};

clause_folding *folding_new(void) { return MEM_NEW(clause_folding); }

void folding_free(clause_folding *f) {
    if (!f) return;
    free(f->is);
    free(f->number);
    literals_free(&f->held);
    free(f);
}

static literal with_sign_of(literal sign, literal l) { return sign < 0 ? -l : l; }

static bool is_constant(literal l) { return l == LIT_TRUE || l == LIT_FALSE; }

/* What l is by now. Chains are short: an equal literal is itself looked up before it is noted. */
static literal meaning(const clause_folding *f, literal l) {
    for (literal is; !is_constant(l) && abs(l) < f->room && (is = f->is[abs(l)]); l = with_sign_of(l, is)) {}
    return l;
}

static void make_room(clause_folding *f, int variable) {
    if (variable < f->room) return;
    int room = 2 * variable + 1024;
    f->is = MEM_GROW(f->is, literal, (size_t)room);
    memset(f->is + f->room, 0, (size_t)(room - f->room) * sizeof *f->is);
    f->room = room;
}

static void note(clause_folding *f, literal l, literal is) {
    assert(!f->is[abs(l)] && (is_constant(is) || abs(is) < abs(l))); /* so meanings end */
    f->is[abs(l)] = with_sign_of(l, is);
    f->learned++;
}

/* The part in place, shortened; false: the clause holds already. */
static bool shorten(const clause_folding *f, literal *part, unsigned *n) {
    unsigned left = 0;
    for (unsigned i = 0; i < *n; i++) {
        literal l = meaning(f, part[i]);
        if (l == LIT_TRUE) return false;
        bool skip = l == LIT_FALSE;
        for (unsigned k = 0; k < left && !skip; k++) {
            if (part[k] == -l) return false;
            skip = part[k] == l;
        }
        if (!skip) part[left++] = l;
    }
    assert(left <= *n);
    *n = left;
    return true;
}

/* After (a or b) the clause (not a or not b) says that b is not a. */
static void learn_pair(clause_folding *f, literal a, literal b) {
    const literal *last = f->last;
    if ((a == -last[0] && b == -last[1]) || (a == -last[1] && b == -last[0])) {
        if (abs(a) > abs(b)) note(f, a, -b);
        else note(f, b, -a);
    }
    f->last[0] = a;
    f->last[1] = b;
}

/* Keeps a shortened clause unless it can be remembered in another way. The second of two clauses that make two literals
 * one is kept with the first: both hold in the next pass. */
static void take(clause_folding *f, const literal *part, unsigned n) {
    if (n == 1 && !f->only_keeps) {
        note(f, part[0], LIT_TRUE);
        return;
    }
    if (n == 2 && !f->only_keeps) learn_pair(f, part[0], part[1]);
    for (unsigned i = 0; i < n; i++) literals_add(&f->held, part[i]);
    literals_add(&f->held, 0);
}

enum { MOST_SHORTENED = 8 };

void folding_say(clause_folding *f, const literal *part, unsigned n) {
    literal some[MOST_SHORTENED];
    for (unsigned i = 0; i < n; i++) make_room(f, abs(part[i]));
    if (n > MOST_SHORTENED) { /* a pass will look at it */
        for (unsigned i = 0; i < n; i++) literals_add(&f->held, part[i]);
        literals_add(&f->held, 0);
        f->learned++;
        return;
    }
    for (unsigned i = 0; i < n; i++) some[i] = part[i]; /* none: the empty clause */
    if (shorten(f, some, &n)) take(f, some, n);
}

/* A clause never grows, so what is kept of those before it does not reach it. */
static void pass(clause_folding *f) {
    size_t end = f->held.n;
    f->held.n = 0;
    f->learned = 0;
    f->last[0] = f->last[1] = 0;
    for (size_t at = 0; at < end;) {
        literal *part = f->held.at + at;
        unsigned n = 0;
        while (part[n]) n++;
        at += n + 1;
        assert(at <= end && f->held.n < at);
        if (shorten(f, part, &n)) take(f, part, n);
    }
}

static void renumber(clause_folding *f) {
    int next = 1;
    f->number = mem_zero((size_t)f->room + 1, sizeof *f->number);
    for (size_t i = 0; i < f->held.n; i++) {
        literal l = f->held.at[i];
        if (!l) continue;
        int *number = &f->number[abs(l)];
        assert(f->is[abs(l)] == 0); /* it is itself */
        if (!*number) *number = next++;
        f->held.at[i] = with_sign_of(l, *number);
    }
}

void folding_finish(clause_folding *f) {
    for (unsigned passes = 0; f->learned > f->held.n / WORTH_A_PASS && passes < MOST_PASSES; passes++) pass(f);
    f->only_keeps = true;
    if (f->learned) pass(f); /* the clauses left speak only of variables that are themselves */
    renumber(f);
}

const literals *folding_left(const clause_folding *f) { return &f->held; }

literal folding_of(const clause_folding *f, literal said) {
    literal l = meaning(f, said);
    if (is_constant(l)) return l;
    int number = abs(l) < f->room ? f->number[abs(l)] : 0;
    return with_sign_of(l, number ? number : LIT_FALSE);
}
