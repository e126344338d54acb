/* The list of engines, cheapest first. A new engine is one file and one line in engines.def. */
#include "engine/engine.h"
#include "engine/self_check.h"
#include "base/pool.h"
#include "base/words.h"

#include <string.h>

#define ENGINE(name) extern const engine engine_##name;
#include "engine/engines.def"
#undef ENGINE

static const engine *const engines[] = {
#define ENGINE(name) &engine_##name,
#include "engine/engines.def"
#undef ENGINE
};

const engine *engine_at(unsigned i) { return i < sizeof engines / sizeof *engines ? engines[i] : NULL; }

const engine *engine_find(const char *name) {
    const engine *g;
    for (unsigned i = 0; (g = engine_at(i)); i++)
        if (!strcmp(g->name, name)) return g;
    return NULL;
}

bool engine_knows(const engine *g, const object *o) {
    return !g->objects || words_find(g->objects, o->type->name, strlen(o->type->name)) >= 0;
}

bool engine_accepts(const engine *g, const problem *p, text *why_not) {
    if (!engine_knows(g, p->o)) {
        text_printf(why_not, "does not know object %s", p->o->type->name);
        return false;
    }
    assert(g->decide && g->promises & PROMISES_SOUND);
    unsigned criteria = g->criteria ? g->criteria : CRITERION_BIT(CRITERION_LINEARIZABLE);
    /* local linearizability is linearizability of parts that the history was split into (object/local.h) */
    criterion_kind asked = p->o->criterion.kind == CRITERION_LOCAL ? CRITERION_LINEARIZABLE : p->o->criterion.kind;
    if (!(criteria & CRITERION_BIT(asked))) {
        text_printf(why_not, "does not decide criterion %s", criterion_type_of(p->o->criterion.kind)->name);
        return false;
    }
    return !g->accepts || g->accepts(p, why_not);
}

void witness_free(witness *w) {
    free(w->op);
    free(w->res);
    free(w->begins);
    free(w->ends);
    *w = (witness){0};
}

void outcome_out_of_memory(outcome *out) {
    outcome_init(out);
    out->stopped = STOP_EXHAUSTED;
}

typedef struct engine_run {
    const engine *engine;
    const problem *problem;
    outcome *out;
} engine_run;

static void run_engine(void *argument) {
    engine_run *r = argument;
    r->engine->decide(r->problem, r->out);
}

void engine_decide(const engine *g, const problem *p, outcome *out) {
    problem own = *p;
    budget b;
    budget_init_child(&b, p->budget);
    if (pool_is_running()) own.budget = &b;
    engine_run r = {g, &own, out};
    if (pool_try(run_engine, &r)) return;
    budget_refund(&b, atomic_load(&b.used));
    outcome_out_of_memory(out);
}

void outcome_init(outcome *out) { *out = (outcome){.verdict = VERDICT_UNDECIDED, .cut = RANK_NEVER}; }

void outcome_free(outcome *out) {
    witness_free(&out->witness);
    witness_free(&out->prefix);
    free(out->pattern);
    outcome_init(out);
}

const char *verdict_text(verdict v) {
    static const char *const name[] = {"linearizable", "violation", "undecided"};
    assert((unsigned)v < sizeof name / sizeof *name);
    return name[v];
}
