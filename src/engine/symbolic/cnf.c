#include "engine/symbolic/cnf.h"

#include "base/mem.h"
#include "engine/symbolic/folding.h"
#include "engine/self_check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What CaDiCaL takes, roughly: a clause with its watches, a variable with its queues and tables. */
enum { CLAUSE_BYTES = 72, VARIABLE_BYTES = 160, CHARGE_STEP = 1 << 20, MOST_VARIABLES = 1 << 29 };

#ifdef PLUMB_CADICAL
#include <ccadical.h>

#ifdef PLUMB_CXX
#include "engine/symbolic/solver_try.h"
void cnf_guarded(void (*body)(void *argument), void *argument) {
    if (!solver_try(body, argument)) mem_exhausted("out of memory in the SAT solver");
}
#else
void cnf_guarded(void (*body)(void *argument), void *argument) { body(argument); }
#endif

bool cnf_available(void) { return true; }

static int out_of_budget(void *b) { return budget_check_clock(b); }

static struct CCaDiCaL *solver_new(budget *b) {
    CCaDiCaL *s = ccadical_init();
    ccadical_set_option(s, "quiet", 1);
    ccadical_set_terminate(s, b, out_of_budget);
    return s;
}

static void solver_free(void *s) { ccadical_release(s); }
static void solver_add(struct CCaDiCaL *s, literal l) { ccadical_add(s, l); }
static void solver_assume(struct CCaDiCaL *s, literal l) { ccadical_assume(s, l); }
static bool solver_failed(struct CCaDiCaL *s, literal l) { return ccadical_failed(s, l); }
static bool solver_value(struct CCaDiCaL *s, literal l) { return ccadical_val(s, l) > 0; }
static void solver_limit(struct CCaDiCaL *s, const char *what, int n) { ccadical_limit(s, what, n); }
static void solver_option(struct CCaDiCaL *s, const char *what, int n) { ccadical_set_option(s, what, n); }

static void solver_learn(struct CCaDiCaL *s, void *where, void (*learn)(void *where, int *clause)) {
    ccadical_set_learn(s, where, INT_MAX, learn);
}

static cnf_answer solver_solve(struct CCaDiCaL *s) {
    int answer = ccadical_solve(s);
    return answer == 10 ? CNF_SATISFIABLE : answer == 20 ? CNF_UNSATISFIABLE : CNF_STOPPED;
}

#else

void cnf_guarded(void (*body)(void *argument), void *argument) { body(argument); }
bool cnf_available(void) { return false; }
static struct CCaDiCaL *solver_new(budget *b) {
    (void)b;
    return NULL;
}
static void solver_free(void *s) { (void)s; }
static void solver_add(struct CCaDiCaL *s, literal l) { (void)s, (void)l; }
static void solver_assume(struct CCaDiCaL *s, literal l) { (void)s, (void)l; }
static bool solver_failed(struct CCaDiCaL *s, literal l) {
    (void)s, (void)l;
    return false;
}
static bool solver_value(struct CCaDiCaL *s, literal l) {
    (void)s, (void)l;
    return false;
}
static void solver_limit(struct CCaDiCaL *s, const char *what, int n) { (void)s, (void)what, (void)n; }
static void solver_option(struct CCaDiCaL *s, const char *what, int n) { (void)s, (void)what, (void)n; }
static cnf_answer solver_solve(struct CCaDiCaL *s) {
    (void)s;
    return CNF_STOPPED;
}
static void solver_learn(struct CCaDiCaL *s, void *where, void (*learn)(void *where, int *clause)) {
    (void)s, (void)where, (void)learn;
}

#endif

void literals_add(literals *l, literal x) {
    if (l->n == l->room) l->at = MEM_GROW(l->at, literal, l->room = l->room ? 2 * l->room : 1024);
    l->at[l->n++] = x;
}

void literals_free(literals *l) {
    free(l->at);
    *l = (literals){0};
}

static void add(cnf *c, literal l) {
    solver_add(c->solver, l);
    if (c->said) literals_add(c->said, l);
}

static void charge(cnf *c) {
    size_t bytes = (size_t)c->clauses * CLAUSE_BYTES + (size_t)c->variables * VARIABLE_BYTES;
    if (bytes < c->charged + CHARGE_STEP) return;
    budget_charge(c->budget, bytes - c->charged);
    c->charged = bytes;
}

static void say(cnf *c, const literal *part, unsigned n) {
    for (unsigned i = 0; i < n; i++) assert(part[i] && abs(part[i]) <= c->variables);
    if (c->folding) {
        folding_say(c->folding, part, n);
    } else {
        for (unsigned i = 0; i < n; i++) add(c, part[i]);
        add(c, 0);
    }
    if ((++c->clauses & 0xffff) == 0) charge(c);
}

void cnf_init(cnf *c, budget *b) {
    *c = (cnf){.budget = b, .solver = solver_new(b)};
    pool_at_failure(&c->cleanup, solver_free, c->solver);
}

void cnf_free(cnf *c) {
    pool_forget(&c->cleanup);
    solver_free(c->solver);
    budget_refund(c->budget, c->charged);
    folding_free(c->folding);
    free(c->part);
    free(c->assumed);
    *c = (cnf){0};
}

/* Without the attempts at lucky guesses that come before the first decision. */
void cnf_only_propagate(cnf *c) {
    c->propagates = true;
    solver_option(c->solver, "lucky", 0);
}

/* What the solver does between questions to make hard ones easier takes longer than these questions. */
void cnf_ask_often(cnf *c) {
    solver_option(c->solver, "lucky", 0);
    solver_option(c->solver, "inprocessing", 0);
    solver_option(c->solver, "walk", 0);
}

void cnf_fold(cnf *c) { c->folding = folding_new(); }

typedef struct learned_clause {
    cnf *c;
    const int *at;
} learned_clause;

static void keep_learned(void *argument) {
    const learned_clause *l = argument;
    for (const int *p = l->at; *p; p++) literals_add(l->c->learned, *p);
    literals_add(l->c->learned, 0);
}

/* Called by the solver, whose frames cannot be jumped over: that memory ran out is told when it has returned. */
static void learn(void *c, int *clause) {
    learned_clause l = {c, clause};
    if (!pool_try(keep_learned, &l)) l.c->lost = true;
}

/* With inprocessing clauses would be learned that only a stronger rule justifies. */
void cnf_keep_proof(cnf *c, literals *said, literals *learned) {
    c->said = said;
    c->learned = learned;
    cnf_ask_often(c);
    solver_learn(c->solver, c, learn);
}

literal cnf_variable(cnf *c) { return ++c->variables; }

literal cnf_variables(cnf *c, uint32_t n) {
    if (n > MOST_VARIABLES - (uint32_t)c->variables) return 0;
    literal first = c->variables + 1;
    c->variables += (int)n;
    charge(c);
    return first;
}

void cnf_assume_groups(cnf *c, const uint32_t *group, uint32_t groups) {
    c->group = group;
    c->groups = groups;
    c->assumed = MEM_ARRAY(literal, (size_t)groups + 1);
    for (uint32_t g = 0; g < groups; g++) c->assumed[g] = cnf_variable(c);
}

void cnf_begin(cnf *c) {
    c->size = c->owners = 0;
    c->holds = false;
}

void cnf_owner(cnf *c, uint32_t position) {
    if (c->owners < CNF_OWNERS) c->owner[c->owners] = position;
    c->owners++;
    if (c->group && c->group[position] != NO_GROUP) cnf_literal(c, -c->assumed[c->group[position]]);
}

void cnf_literal(cnf *c, literal l) {
    if (l == LIT_FALSE) return;
    if (l == LIT_TRUE) c->holds = true;
    if (c->size == c->room) c->part = MEM_GROW(c->part, literal, c->room = c->room ? 2 * c->room : 16);
    assert(l == LIT_TRUE || (l && abs(l) <= c->variables));
    c->part[c->size++] = l;
}

void cnf_end(cnf *c) {
    if (c->holds) return;
    if (c->size == 0 && !c->contradiction) {
        c->contradiction = true;
        c->wrongs = c->owners <= CNF_OWNERS ? c->owners : 0;
        memcpy(c->wrong, c->owner, sizeof c->wrong);
    }
    say(c, c->part, c->size);
}

void cnf_clause(cnf *c, literal a, literal b, literal d) {
    if (a == LIT_TRUE || b == LIT_TRUE || d == LIT_TRUE) return;
    if (a == LIT_FALSE && b == LIT_FALSE && d == LIT_FALSE) { /* a contradiction, told as such */
        cnf_begin(c);
        cnf_end(c);
        return;
    }
    literal part[3];
    unsigned n = 0;
    if (a != LIT_FALSE) part[n++] = a;
    if (b != LIT_FALSE) part[n++] = b;
    if (d != LIT_FALSE) part[n++] = d;
    say(c, part, n);
}

/* The clause being built waits in c->part meanwhile. */
literal cnf_both(cnf *c, literal a, literal b) {
    if (a == LIT_FALSE || b == LIT_FALSE || a == -b) return LIT_FALSE;
    if (a == LIT_TRUE || a == b) return b;
    if (b == LIT_TRUE) return a;
    literal both = cnf_variable(c);
    say(c, (const literal[]){-both, a}, 2);
    say(c, (const literal[]){-both, b}, 2);
    return both;
}

static void say_what_is_left(cnf *c) {
    folding_finish(c->folding);
    const literals *left = folding_left(c->folding);
    for (size_t i = 0; i < left->n; i++) add(c, left->at[i]);
}

cnf_answer cnf_solve(cnf *c) {
    if (budget_check_clock(c->budget)) return CNF_STOPPED;
    if (c->contradiction) return CNF_UNSATISFIABLE;
    if (c->folding) say_what_is_left(c);
    for (uint32_t g = 0; g < c->groups; g++) solver_assume(c->solver, c->assumed[g]);
    if (c->propagates) solver_limit(c->solver, "decisions", 0);
    cnf_answer answer = solver_solve(c->solver);
    if (c->lost) mem_exhausted("out of memory");
    return answer;
}

bool cnf_true(const cnf *c, literal l) {
    if (c->folding) l = folding_of(c->folding, l);
    if (l == LIT_TRUE || l == LIT_FALSE) return l == LIT_TRUE;
    return solver_value(c->solver, l);
}

/* ---- cores ---- */

enum { MOST_TO_SHRINK = 64, CONFLICTS_TO_SHRINK = 10000 };

static uint32_t take_failed(cnf *c, const bool *among, bool *needed) {
    uint32_t count = 0;
    for (uint32_t g = 0; g < c->groups; g++) count += needed[g] = among[g] && solver_failed(c->solver, c->assumed[g]);
    return count;
}

/* Is it unsatisfiable without group `left_out` as well? */
static bool fails_without(cnf *c, const bool *needed, uint32_t left_out) {
    for (uint32_t g = 0; g < c->groups; g++)
        if (needed[g] && g != left_out) solver_assume(c->solver, c->assumed[g]);
    solver_limit(c->solver, "conflicts", CONFLICTS_TO_SHRINK);
    return solver_solve(c->solver) == CNF_UNSATISFIABLE;
}

void cnf_core(cnf *c, bool *needed) {
    for (uint32_t g = 0; g < c->groups; g++) needed[g] = true;
    bool *fewer = MEM_ARRAY(bool, (size_t)c->groups + 1);
    uint32_t count = take_failed(c, needed, needed);
    for (uint32_t g = 0; g < c->groups && count <= MOST_TO_SHRINK; g++) {
        if (!needed[g] || !fails_without(c, needed, g)) continue;
        needed[g] = false;
        count = take_failed(c, needed, fewer);
        memcpy(needed, fewer, c->groups * sizeof *needed);
    }
    assert(count <= c->groups);
    free(fewer);
}
