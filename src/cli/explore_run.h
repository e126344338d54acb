/* What `plumb explore` and `plumb replay` do, once their options are understood. */
#ifndef PLUMB_CLI_EXPLORE_RUN_H
#define PLUMB_CLI_EXPLORE_RUN_H

#include "base/error.h"

#include <stdint.h>

#define EXPLORE_PROGRESS "none obstruction-free lock-free wait-free"
#define EXPLORE_STRATEGIES "auto dfs bounded dpor pct random"

typedef struct explore_settings {
    const char *object, *init, *operations, *threads, *length, *program, *schedule, *monitor, *junit, *sarif, *html,
        *criterion, *quasi, *golden;
    int strategy, reuse, color, progress;
    uint64_t preemptions, executions, seed, depth, steps, jobs;
    double seconds;
    bool races, leaks, freed_reads, assume_nothing, full, json, github, quiet, serial, measure;
    text flags;
} explore_settings;

typedef struct replay_settings {
    bool gdb, full;
    const char *html;
    int color;
} replay_settings;

int explore_run(const explore_settings *s, char **operand, unsigned operands, error *e);
int replay_run(const replay_settings *s, const char *path, error *e);

#endif
