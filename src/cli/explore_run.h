/* What `plumb explore` and `plumb replay` do, once their options are understood: print what the explorer found. */
#ifndef PLUMB_CLI_EXPLORE_RUN_H
#define PLUMB_CLI_EXPLORE_RUN_H

#include "base/error.h"
#include "explore/outside/explore_settings.h"

typedef struct replay_settings {
    bool gdb, full;
    bool trust; /* the schedule may be a stranger's */
    const char *html;
    int color;
} replay_settings;

int explore_run(const explore_settings *s, char **operand, unsigned operands, error *e);
int replay_run(const replay_settings *s, const char *path, error *e);

#endif
