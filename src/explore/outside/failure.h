/* A failure that was found, replayed in another process and explained. */
#ifndef PLUMB_EXPLORE_OUTSIDE_FAILURE_H
#define PLUMB_EXPLORE_OUTSIDE_FAILURE_H

#include "evidence/judge.h"
#include "explore/outside/hunt.h"
#include "explore/outside/test_file.h"
#include "explore/outside/test_program.h"

#define JUDGE_SECONDS 10

/* The history of a failing execution, and what the engines say of it. */
typedef struct explained {
    history *h; /* NULL: there is none that can be shown */
    object *o;
    judgement j;
    bool judged;
    text diagram, sentences; /* of a violation, both checked by evidence/ */
} explained;

void explained_free(explained *w);
/* The history of the failing execution, bound to what it was checked against. `w` is to be freed even when it cannot
 * be. */
bool failure_bind(const execution *x, const char *name, const run_request *how, explained *w, error *e);
/* A failure in words; `name` is that of the test. */
bool failure_explain(const execution *x, const char *name, failure_kind kind, const run_request *how, explained *w,
                     error *e);
bool failure_replay(const char *binary, char *const *argv, const run_request *how, const char *threads,
                    const char *choices, execution *x, error *e);
/* Both: the failing execution again, with every detail, and why it is one. */
bool failure_show(const test_program *t, const run_request *how, const program_result *failure, execution *x,
                  explained *w, error *e);
/* What is to be saved of a failure; all of it but `kept` is owned by the arguments. */
saved_schedule failure_schedule(const test_program *t, const run_request *how, const program_result *failure,
                                text *kept);

#endif
