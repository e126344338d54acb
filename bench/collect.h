/* Executions of a queue that the explorer makes, as monitors see them. */
#ifndef PLUMB_BENCH_COLLECT_H
#define PLUMB_BENCH_COLLECT_H

#include "explore/outside/session.h"
#include "observe/observer.h"

typedef struct collector {
    object *o; /* a queue, with values of its own */
    /* each distinct history; x NULL: those so far do not count */
    void (*visit)(struct collector *c, const observed *x);
    void *context;
    uint64_t unread; /* lines that could not be understood */
} collector;

bool collector_open(collector *c);
void collector_close(collector *c);

bool program_compile(const char *plumb, const char *source, const char *binary);
/* Runs `how` (its history and context are filled in when c is not NULL) and says what it cost: CPU seconds of the
 * process. */
bool program_explore(const char *binary, run_request how, collector *c, campaign_result *r, double *cpu);

#endif
