#include "cli/explore_failure.h"

#include "base/budget.h"
#include "evidence/explain.h"
#include "explore/test_file.h"

bool failing_open(const exploration *r, const run_request *how, failing_history *out, error *e) {
    criterion c = {0};
    *out = (failing_history){.h = execution_history(r->x, r->name, e)};
    out->o = out->h ? object_open(how->object, how->init, e) : NULL;
    return out->o && (!how->criterion || criterion_parse(how->criterion, &c, e)) && object_relax(out->o, &c, e) && object_bind(out->o, out->h, r->name, e);
}

void failing_close(failing_history *f) {
    history_free(f->h);
    object_close(f->o);
}

bool failure_explain(exploration *r, const run_request *how, error *e) {
    failing_history f;
    judgement j = {0};
    budget b;
    budget_init(&b, JUDGE_SECONDS, 0);
    bool good = failing_open(r, how, &f, e) && judge(f.h, f.o, &(judge_options){0}, &b, NULL, &j, e);
    if (good && j.verdict == VERDICT_LINEARIZABLE)
        good = error_set(e, EXIT_INTERNAL, "the explorer calls a history a violation that the engines find linearizable");
    if (good && j.verdict == VERDICT_VIOLATION) {
        explain_diagram(f.h, f.o, &j.core, 90, &r->diagram);
        explain_sentences(f.h, f.o, &j.core, &r->sentences);
    }
    judgement_free(&j);
    failing_close(&f);
    return good;
}

bool failure_replay(const char *binary, char *const *argv, const run_request *how, const char *threads, const char *choices, execution *x, error *e) {
    run_request r = *how;
    r.threads = threads;
    session *s = session_open(binary, argv, e);
    bool good = s && session_replay(s, &r, choices, x, e);
    session_close(s);
    return good;
}

static void machine_options_text(const run_request *r, text *out) {
    text_printf(out, "reuse=%s races=%d leaks=%d filter=%d steps=%u trust_loops=%d monitor=%s criterion=%s", r->reuse, r->races, r->leaks, r->filter, r->steps, r->trust_loops, r->monitor ? r->monitor : "none",
                r->criterion ? r->criterion : "linearizable");
}

static bool save_failure(const char *path, const test_program *t, const run_request *how, const program_result *failure, error *e) {
    text machine = {0};
    machine_options_text(how, &machine);
    saved_schedule s = {.sources = (char *)(uintptr_t)text_str(&t->sources), .flags = (char *)(uintptr_t)text_str(&t->flags),
                        .object = (char *)(uintptr_t)how->object, .init = (char *)(uintptr_t)how->init, .threads = failure->threads, .options = machine.at,
                        .choices = failure->answer.schedule};
    bool good = schedule_save(path, &s, e);
    text_free(&machine);
    return good;
}

bool failure_show(const test_program *t, const run_request *how, const program_result *failure, const char *schedule_path, execution *x, exploration *r, error *e) {
    failure_kind kind = failure->answer.result.failure;
    if (!failure_replay(t->binary, t->argv, how, failure->threads, failure->answer.schedule, x, e)) return false;
    r->x = x;
    if (x->failure != kind)
        return error_set(e, EXIT_INTERNAL, "a failure (%s) did not repeat itself in another process (%s): the program depends on more than its schedule",
                         failure_name(kind), failure_name(x->failure));
    if (kind == FAILURE_VIOLATION && !failure_explain(r, how, e)) return false;
    if (save_failure(schedule_path, t, how, failure, e)) r->schedule = schedule_path;
    return true;
}
