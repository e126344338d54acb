#include "evidence/judge.h"

#include "evidence/witness_check.h"

#include <stdio.h>

static const double RECHECK_FACTOR = 4, RECHECK_FLOOR = 0.25; /* times the seconds that deciding took, at least these */

static const double QUICK_FLOOR = 0.05;

static budget *no_longer_than(budget *bounded, budget *b, double seconds, double at_least) {
    budget_init_child(bounded, b);
    bounded->work = work_span_of(seconds > at_least ? seconds : at_least);
    return bounded;
}

static void leave_undecided(judgement *j, const char *why) {
    j->verdict = j->decision.verdict = VERDICT_UNDECIDED;
    snprintf(j->decision.why, sizeof j->decision.why, "%s", why);
}

static bool judge_witness(const history *h, const object *o, const judge_options *options, judgement *j, error *e) {
    const decision *d = &j->decision;
    bool promised = !d->engine || d->engine->promises & PROMISES_WITNESS;
    if (!promised && d->witness.n == 0 && h->n > h->pending) {
        leave_undecided(j, "not refuted: this engine finds violations, and no linearization that could be replayed");
        return true;
    }
    if (options->evidence == EVIDENCE_NONE) return true;
    text wrong = {0};
    j->witness_checked = witness_check(h, o, &d->witness, &wrong);
    if (!j->witness_checked)
        error_set(e, EXIT_INTERNAL, "internal error: engine %s calls this right, but its witness is wrong: %s",
                  d->engine ? d->engine->name : "?", text_str(&wrong));
    text_free(&wrong);
    return j->witness_checked;
}

static bool judge_core(const history *h, const object *o, const judge_options *options, budget *b, judgement *j,
                       error *e) {
    if (options->evidence == EVIDENCE_NONE) return true;
    if (options->quick) {
        core_whole(&j->decision, &j->core);
        return true;
    }
    budget brief;
    if (options->evidence == EVIDENCE_QUICK) b = no_longer_than(&brief, b, j->seconds, QUICK_FLOOR);
    core_extract(h, o, &j->decision, j->seconds, b, &j->core);
    text wrong = {0};
    bool good = core_check_moves(h, o, &j->core, &wrong);
    if (!good)
        error_set(e, EXIT_INTERNAL, "internal error: the core does not come from the history by allowed moves: %s",
                  text_str(&wrong));
    text_free(&wrong);
    if (!good) return false;
    /* A second opinion may cost a few times the first one, not the rest of the budget. */
    budget bounded;
    b = no_longer_than(&bounded, b, j->seconds * RECHECK_FACTOR, RECHECK_FLOOR * RECHECK_FACTOR);
    return core_recheck(h, o, j->decision.engine, b, &j->core, e);
}

/* What is linearizable with ties taken as overlapping (history/history.h) is so only if each client's order was kept.
 * Where operations take effect together, two of one client may have: no order of a witness tells. */
static void hold_against_ties(const history *h, const object *o, judgement *j) {
    if (!h->ties || j->verdict != VERDICT_LINEARIZABLE) return;
    if (!witness_keeps_own_order(h, &j->decision.witness))
        leave_undecided(j, "several clients return and call again at one stamp, and the linearization that was found "
                           "swaps two operations of one client; finer stamps would tell");
    else if (o->type->together)
        leave_undecided(j, "several clients return and call again at one stamp, and two operations of one client may "
                           "have taken effect together; finer stamps would tell");
}

/* A violation of what is there is one; that what is there is linearizable says nothing of what is not. */
static void weaken(const history *h, judgement *j) {
    if (!h->lacks || j->verdict != VERDICT_LINEARIZABLE) return;
    j->verdict = j->decision.verdict = VERDICT_UNDECIDED;
    witness none = j->decision.prefix; /* of a history that was decided */
    j->decision.prefix = j->decision.witness;
    j->decision.witness = none;
    int n = snprintf(j->decision.why, sizeof j->decision.why, "%.120s", h->lacks);
    if (h->n)
        snprintf(j->decision.why + n, sizeof j->decision.why - (size_t)n,
                 "; the %u operations before that are linearizable", h->n);
}

/* Every history without operations is linearizable, whatever happened: that is no answer about what was to be
 * judged. */
static void hold_against_nothing(const history *h, judgement *j) {
    char why[sizeof j->decision.why];
    if (h->n || j->verdict != VERDICT_LINEARIZABLE) return;
    history_say_nothing_judged(h, why, sizeof why);
    leave_undecided(j, why);
}

bool judge(const history *h, const object *o, const judge_options *options, budget *b, _Atomic uint32_t *furthest,
           judgement *out, error *e) {
    *out = (judgement){0};
    double start = clock_seconds();
    decide(h, o, &options->decide, b, furthest, &out->decision);
    double decided = clock_seconds();
    out->seconds = decided - start;
    out->verdict = out->decision.verdict;
    bool good = true;
    if (out->verdict == VERDICT_LINEARIZABLE) {
        good = judge_witness(h, o, options, out, e);
        if (good) hold_against_ties(h, o, out);
    } else if (out->verdict == VERDICT_VIOLATION) good = judge_core(h, o, options, b, out, e);
    out->evidence_seconds = clock_seconds() - decided;
    if (good) weaken(h, out);
    if (good) hold_against_nothing(h, out);
    return good;
}

void judgement_free(judgement *j) {
    decision_free(&j->decision);
    core_free(&j->core);
    *j = (judgement){0};
}
