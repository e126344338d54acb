#include "explore/outside/measured_hunt.h"

#include "base/budget.h"
#include "explore/outside/failure.h"
#include "evidence/measure.h"

#include <assert.h>
#include <stdio.h>

/* The smallest k for which the failing history is quasi(k); false in *bounded: there is none. */
static bool measure_failure(const test_program *t, const run_request *how, const program_result *failure, uint32_t *k,
                            bool *bounded, error *e) {
    execution x = {0};
    explained f = {0};
    relaxation needed = {0};
    budget b;
    budget_init(&b, JUDGE_SECONDS, 0);
    bool good = failure_replay(t->binary, t->argv, how, failure->threads, failure->answer.schedule, &x, e) &&
                failure_bind(&x, t->name, how, &f, e) &&
                measure_relaxation(f.h, f.o, &(judge_options){0}, &b, NULL, &needed, e);
    *bounded = good && (needed.bounded || needed.above.verdict != VERDICT_VIOLATION);
    uint32_t least = *k + 1;
    *k = good && needed.low > least ? needed.low : least;
    assert(*k >= least);
    relaxation_free(&needed);
    explained_free(&f);
    execution_free(&x);
    return good;
}

void measuring_free(measuring *m) {
    if (m->has_forced) hunt_free(&m->forced);
    m->has_forced = false;
}

bool hunt_measured(const test_program *t, hunt_options *o, measuring *m, hunt *h, error *e) {
    bool limited = o->seconds > 0;
    double until = clock_seconds() + o->seconds;
    for (bool bounded = true;;) {
        snprintf(m->now, sizeof m->now, "quasi(%u)", m->k);
        o->how.criterion = m->now;
        if (!hunt_run(o, h, e)) return false;
        if (!h->failed || h->failure.answer.result.failure != FAILURE_VIOLATION || !h->failure.answer.schedule)
            return true;
        uint32_t k = m->k;
        if (!measure_failure(t, &o->how, &h->failure, &k, &bounded, e)) return false;
        if (!bounded) return true;
        assert(k > m->k && h->failed); /* each round asks for more: it ends */
        measuring_free(m);
        snprintf(m->below, sizeof m->below, "quasi(%u)", k - 1);
        m->forced = *h;
        m->has_forced = true;
        m->k = k;
        *h = (hunt){.preemptions = -1, .stopped = true, .begun = 1, .programs = 1};
        o->first = NULL;
        if (limited) o->seconds = until - clock_seconds();
        if ((limited && o->seconds <= 0) || (o->stop && *o->stop)) return true;
    }
}
