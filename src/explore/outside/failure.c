#include "explore/outside/failure.h"

#include "base/budget.h"
#include "evidence/explain.h"
#include "theory/theory_object.h"

#include <assert.h>

void explained_free(explained *w) {
    judgement_free(&w->j);
    history_free(w->h);
    object_close(w->o);
    text_free(&w->diagram);
    text_free(&w->sentences);
    *w = (explained){0};
}

bool failure_bind(const execution *x, const char *name, const run_request *how, explained *w, error *e) {
    criterion c = {0};
    assert(!w->h && !w->o && how->object);
    w->h = execution_history(x, name, e);
    w->o = w->h ? specification_open(how->object, how->init, e) : NULL;
    return w->o && (!how->criterion || criterion_parse(how->criterion, &c, e)) && object_relax(w->o, &c, e) &&
           object_bind(w->o, w->h, name, e);
}

static bool explain_violation(const execution *x, const char *name, const run_request *how, explained *w, error *e) {
    budget b;
    budget_init(&b, JUDGE_SECONDS, 0);
    bool good = failure_bind(x, name, how, w, e) && judge(w->h, w->o, &(judge_options){0}, &b, NULL, &w->j, e);
    assert(!good || (w->h && w->o));
    w->judged = good;
    if (good && w->j.verdict == VERDICT_LINEARIZABLE)
        good =
            error_set(e, EXIT_INTERNAL, "the explorer calls a history a violation that the engines find linearizable");
    if (good && w->j.verdict == VERDICT_VIOLATION) {
        explain_diagram(w->h, w->o, &w->j.core, 90, &w->diagram);
        explain_sentences(w->h, w->o, &w->j.core, &w->sentences);
    }
    return good;
}

/* Another failure: its history is shown as it is, if it can be. */
static void show_history(const execution *x, const char *name, const run_request *how, explained *w) {
    error unshown = {0};
    if (how->object && x->ops && failure_bind(x, name, how, w, &unshown)) return;
    explained_free(w);
}

bool failure_explain(const execution *x, const char *name, failure_kind kind, const run_request *how, explained *w,
                     error *e) {
    if (kind == FAILURE_VIOLATION) return explain_violation(x, name, how, w, e);
    show_history(x, name, how, w);
    return true;
}

bool failure_replay(const char *binary, char *const *argv, const run_request *how, const char *threads,
                    const char *choices, execution *x, error *e) {
    run_request r = *how;
    assert(choices);
    r.threads = threads;
    session *s = session_open(binary, argv, e);
    bool good = s && session_replay(s, &r, choices, x, e);
    session_close(s);
    return good;
}

saved_schedule failure_schedule(const test_program *t, const run_request *how, const program_result *failure,
                                text *kept) {
    assert(!kept->size && t->sources.size && failure->answer.schedule);
    run_request_keep(how, kept);
    return (saved_schedule){.sources = (char *)(uintptr_t)text_str(&t->sources),
                            .flags = (char *)(uintptr_t)text_str(&t->flags),
                            .arguments = t->arguments.size ? t->arguments.at : NULL,
                            .object = (char *)(uintptr_t)how->object,
                            .init = (char *)(uintptr_t)how->init,
                            .threads = failure->threads,
                            .options = kept->at,
                            .choices = failure->answer.schedule};
}

bool failure_show(const test_program *t, const run_request *how, const program_result *failure, execution *x,
                  explained *w, error *e) {
    failure_kind kind = failure->answer.result.failure;
    assert(kind != FAILURE_NONE && failure->answer.schedule);
    if (!failure_replay(t->binary, t->argv, how, failure->threads, failure->answer.schedule, x, e)) return false;
    if (x->failure != kind)
        return error_set(e, EXIT_INTERNAL,
                         "a failure (%s) did not repeat itself in another process (%s): the program depends on more "
                         "than its schedule",
                         failure_name(kind), failure_name(x->failure));
    return failure_explain(x, t->name, kind, how, w, e);
}
