#include "explore/outside/replay_test.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define FROM_SECONDS 10
enum { FROM_PREEMPTIONS = 2 };

bool replay_test(const saved_schedule *saved, const test_program *t, replayed_test *out, error *e) {
    assert(saved->choices);
    *out = (replayed_test){.how = run_request_standard, .kept = mem_string(saved->options ? saved->options : "")};
    if (!run_request_recall(&out->how, out->kept, e)) return false;
    out->how.object = saved->object;
    out->how.init = saved->init;
    out->how.threads = saved->threads;
    return failure_replay(t->binary, t->argv, &out->how, saved->threads, saved->choices, &out->x, e);
}

void replayed_test_free(replayed_test *r) {
    execution_free(&r->x);
    free(r->kept);
    *r = (replayed_test){0};
}

replay_outcome replay_explore_from(const replayed_test *r, const saved_schedule *saved, const test_program *t,
                                   const char *path, const _Atomic int *stop, explored_test *out, error *e) {
    hunt_options o = {.binary = t->binary,
                      .argv = t->argv,
                      .how = r->how,
                      .threads = saved->threads ? (const char *const *)&saved->threads : NULL,
                      .threads_n = saved->threads != NULL,
                      .jobs = 1,
                      .seconds = FROM_SECONDS,
                      .keep_size = true,
                      .stop = stop};
    error differs = {0};
    assert(r->x.failure == FAILURE_DIVERGED);
    *out = (explored_test){0};
    if (o.how.messages) return REPLAY_UNREPEATABLE; /* graphs do not begin along a schedule */
    o.how.strategy = "auto";
    o.how.bound = FROM_PREEMPTIONS;
    o.how.prefix = saved->choices;
    o.how.prefix_steps = r->x.steps;
    if (!hunt_run(&o, &out->hunt, &differs)) return REPLAY_UNREPEATABLE;
    out->how = o.how;
    out->how.prefix = NULL; /* the failing schedule has it */
    out->how.threads = NULL;
    snprintf(out->path, sizeof out->path, "%s", path);
    return !out->hunt.failed || explored_failure_make(out, t, e) ? REPLAY_EXPLORED : REPLAY_ERROR;
}
