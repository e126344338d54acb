/* A failure that `plumb explore` found, replayed in another process and explained. */
#ifndef PLUMB_CLI_EXPLORE_FAILURE_H
#define PLUMB_CLI_EXPLORE_FAILURE_H

#include "cli/test_program.h"
#include "object/object.h"
#include "report/exploration.h"

#define JUDGE_SECONDS 10

/* The history of the failing execution, bound to what it was checked against; to be closed even when it cannot be opened. */
typedef struct failing_history {
    history *h;
    object *o;
} failing_history;

bool failing_open(const exploration *r, const run_request *how, failing_history *out, error *e);
void failing_close(failing_history *f);

bool failure_replay(const char *binary, char *const *argv, const run_request *how, const char *threads, const char *choices, execution *x, error *e);
bool failure_explain(exploration *r, const run_request *how, error *e); /* fills diagram and sentences */
/* The failing execution again, with every detail; why it is a violation; and the schedule is saved. */
bool failure_show(const test_program *t, const run_request *how, const program_result *failure, const char *schedule_path, execution *x, exploration *r, error *e);

#endif
