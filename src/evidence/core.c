#include "evidence/core.h"

#include "evidence/oracle.h"

enum { ORACLE_STEPS = 2000000 };

void core_free(core *c) {
    for (uint32_t k = 0; k < c->moves; k++) free(c->move[k].keep);
    free(c->move);
    free(c->op);
    *c = (core){0};
}

object core_object(const object *o, const core *c) {
    object begun = *o;
    if (c->settled) begun.init = c->init;
    return begun;
}

void core_whole(const decision *d, core *out) {
    *out = (core){.n = d->part_n, .cut = RANK_NEVER, .moves = 1};
    out->op = mem_copy(d->part, d->part_n * sizeof *d->part);
    out->move = MEM_NEW(core_move);
    out->move[0] =
        (core_move){.cut = RANK_NEVER, .n = d->part_n, .keep = mem_copy(d->part, d->part_n * sizeof *d->part)};
}

static bool contradiction(error *e, const core *c, const char *decided, const char *by) {
    return error_set(e, EXIT_INTERNAL, "internal error: %s calls %u operations a violation, %s calls them linearizable",
                     decided, c->n, by);
}

static verdict decide_by(const history *h, const object *o, const engine *g, budget *b) {
    decide_options options = {.engine = g, .threads = 1};
    decision d;
    decide(h, o, &options, b, NULL, &d);
    verdict v = d.verdict;
    decision_free(&d);
    return v;
}

static bool recheck(const history *only, const object *o, const engine *decided_by, budget *b, core *c, error *e) {
    const char *decided = decided_by ? decided_by->name : "an engine";
    switch (oracle_linearizable(o, only, ORACLE_STEPS)) {
    case ORACLE_NO: c->checked_by = "oracle"; return true;
    case ORACLE_YES: return contradiction(e, c, decided, "the oracle");
    case ORACLE_GAVE_UP: break;
    }
    const engine *g;
    for (unsigned i = 0; (g = engine_at(i)) && !c->checked_by && !budget_check_clock(b); i++) {
        if (g == decided_by || g->by_name_only) continue;
        verdict v = decide_by(only, o, g, b);
        if (v == VERDICT_LINEARIZABLE) return contradiction(e, c, decided, g->name);
        if (v == VERDICT_VIOLATION) c->checked_by = g->name;
    }
    return true;
}

bool core_recheck(const history *h, const object *o, const engine *decided_by, budget *b, core *c, error *e) {
    history *only = history_select(h, c->op, c->n, c->cut);
    object begun = core_object(o, c);
    bool good = recheck(only, &begun, decided_by, b, c, e);
    history_free(only);
    return good;
}
