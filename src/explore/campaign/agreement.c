#include "explore/campaign/agreement.h"

#include "base/mem.h"
#include "engine/portfolio.h"
#include "history/builder.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIGHEST_K = 4 };

struct agreement {
    object *engines; /* the same object, for histories with values of their own */
    observer *all, *pattern, *count[HIGHEST_K + 1];
    /* of the histories so far */
    bool good, bad, silent;
    char refused[96]; /* the patterns refused one: why */
};

agreement *agreement_open(const object *o, text *why_not) {
    error e = {0};
    agreement *a = MEM_NEW(agreement);
    a->all = observer_open(observer_kind_find("all"), o, 0, why_not);
    a->pattern = observer_open(observer_kind_find("pattern"), o, 0, why_not);
    for (unsigned k = 0; a->pattern && k <= HIGHEST_K; k++)
        a->count[k] = observer_open(observer_kind_find("count"), o, k, why_not);
    a->engines = specification_open(o->name, o->init_text, &e);
    if (a->pattern && a->engines) return a;
    if (!a->engines) text_add(why_not, e.what);
    agreement_close(a);
    return NULL;
}

void agreement_close(agreement *a) {
    if (!a) return;
    observer_close(a->all);
    observer_close(a->pattern);
    for (unsigned k = 0; k <= HIGHEST_K; k++) observer_close(a->count[k]);
    object_close(a->engines);
    free(a);
}

/* ---- the engines ---- */

static value copied(const values *from, value v, values *to) {
    return value_kind_of(from, v) == KIND_INT ? value_int(to, value_as_int(from, v)) : v;
}

static bool add_event(builder *b, const observed *x, observed_event e) {
    const operation *op = &x->op[e.op];
    const char *method_name = object_method(x->o, op)->name;
    values *to = builder_values(b);
    value arg[HISTORY_MAX_ARGS], client = value_int(to, op->client);
    if (e.what == OBSERVED_POINT) return true;
    if (e.what == OBSERVED_RETURN) return builder_return(b, client, copied(x->o->values, op->res, to), 0);
    for (unsigned i = 0; i < op->nargs; i++) arg[i] = copied(x->o->values, op->arg[i], to);
    return builder_call(b, &(call_record){.client = client,
                                          .method = builder_method(b, method_name, strlen(method_name), 0),
                                          .key = VALUE_NONE,
                                          .arg = arg,
                                          .nargs = op->nargs});
}

static history *history_of(const observed *x, error *e) {
    builder *b = builder_new("an execution", e);
    bool good = true;
    for (uint32_t i = 0; good && i < x->events; i++) good = add_event(b, x, x->event[i]);
    history *h = good ? builder_finish(b) : NULL;
    assert(!h || h->n == x->n);
    builder_free(b);
    return h;
}

static verdict engines_decide(agreement *a, const observed *x, text *why) {
    error e = {0};
    decision d = {.verdict = VERDICT_UNDECIDED};
    budget unlimited;
    budget_init(&unlimited, 0, 0);
    history *h = history_of(x, &e);
    if (h && object_bind(a->engines, h, "an execution", &e))
        decide(h, a->engines, &(decide_options){0}, &unlimited, NULL, &d);
    else text_add(why, e.what);
    verdict v = d.verdict;
    decision_free(&d);
    history_free(h);
    return v;
}

/* ---- all of them ---- */

static bool disagree(const char *who, text *said) {
    text_clear(said);
    text_printf(said, "monitor %s does not agree with the complete engines", who);
    return false;
}

static void say_so_far(const agreement *a, text *said) {
    text_clear(said);
    text_printf(said, "all agree%s%s", a->good ? ", on linearizable ones" : "", a->bad ? ", on violations" : "");
    if (a->silent) text_add(said, ", patterns silent");
    if (*a->refused) text_printf(said, ", patterns refuse (%s)", a->refused);
}

/* Sound, and monotone in k. */
static bool counts_agree(agreement *a, const observed *x, bool violation, text *why) {
    for (unsigned k = 0, before = false; k <= HIGHEST_K; k++) {
        bool sees = observer_run(a->count[k], x, NULL, why) == OBSERVER_BAD;
        if (before > sees || (sees && !violation)) return false;
        before = sees;
    }
    return true;
}

bool agreement_check(agreement *a, const observed *x, text *said) {
    verdict truth = engines_decide(a, x, said);
    if (truth == VERDICT_UNDECIDED) return disagree("engines", said);
    bool violation = truth == VERDICT_VIOLATION;
    if (observer_run(a->all, x, NULL, said) != (violation ? OBSERVER_BAD : OBSERVER_GOOD)) return disagree("all", said);
    if (!counts_agree(a, x, violation, said)) return disagree("count", said);
    text_clear(said);
    observer_verdict v = observer_run(a->pattern, x, NULL, said);
    if (v == OBSERVER_UNDECIDED) snprintf(a->refused, sizeof a->refused, "%s", text_str(said));
    if ((v == OBSERVER_BAD && !violation) || (v == OBSERVER_GOOD && violation)) return disagree("pattern", said);
    a->good |= v == OBSERVER_GOOD;
    a->bad |= v == OBSERVER_BAD;
    a->silent |= v == OBSERVER_SILENT;
    say_so_far(a, said);
    return true;
}
