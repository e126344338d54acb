/* A failure that `plumb explore` found, replayed in another process and explained. */
#ifndef PLUMB_CLI_EXPLORE_FAILURE_H
#define PLUMB_CLI_EXPLORE_FAILURE_H

#include "cli/explore_page.h"
#include "cli/test_program.h"
#include "explore/outside/test_file.h"
#include "object/object.h"
#include "report/exploration.h"

#define JUDGE_SECONDS 10

/* The history of the failing execution, bound to what it was checked against. `w` is to be freed even when it cannot
 * be. */
bool failure_bind(const exploration *r, const run_request *how, explained *w, error *e);
/* A failure in words: fills diagram and sentences of a violation. */
bool failure_explain(exploration *r, failure_kind kind, const run_request *how, explained *w, error *e);
bool failure_replay(const char *binary, char *const *argv, const run_request *how, const char *threads,
                    const char *choices, execution *x, error *e);
/* Both: the failing execution again, with every detail, and why it is one. */
bool failure_show(const test_program *t, const run_request *how, const program_result *failure, execution *x,
                  exploration *r, explained *w, error *e);
/* What is to be saved of a failure; all of it but `machine` belongs to others. */
saved_schedule failure_schedule(const test_program *t, const run_request *how, const program_result *failure,
                                text *machine);

#endif
