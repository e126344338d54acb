/* What `plumb explore` and `plumb replay` do, once their options are understood. */
#ifndef PLUMB_CLI_EXPLORE_RUN_H
#define PLUMB_CLI_EXPLORE_RUN_H

#include "explore/model/run_request.h"

#define SETTING_TYPE_FLAG bool
#define SETTING_TYPE_TEXT const char *
#define SETTING_TYPE_LIST text
#define SETTING_TYPE_CHOICE int

/* What the command line of `plumb explore` says: see explore_options.def. */
typedef struct explore_settings {
    run_request how; /* threads: the only program; jobs: of everything */
#define HERE_OPTION(field, name, kind, ...) SETTING_TYPE_##kind field;
#include "explore/model/explore_options.def"
} explore_settings;

typedef struct replay_settings {
    bool gdb, full;
    const char *html;
    int color;
} replay_settings;

int explore_run(const explore_settings *s, char **operand, unsigned operands, error *e);
int replay_run(const replay_settings *s, const char *path, error *e);

#endif
