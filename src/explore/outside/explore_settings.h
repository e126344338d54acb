/* What the command line of `plumb explore` says: rows of explore_options.def. */
#ifndef PLUMB_EXPLORE_OUTSIDE_EXPLORE_SETTINGS_H
#define PLUMB_EXPLORE_OUTSIDE_EXPLORE_SETTINGS_H

#include "explore/model/run_request.h"

#define SETTING_TYPE_FLAG bool
#define SETTING_TYPE_TEXT const char *
#define SETTING_TYPE_LIST text
#define SETTING_TYPE_CHOICE int

typedef struct explore_settings {
    run_request how; /* threads: the only program; jobs: of everything */
#define HERE_OPTION(field, name, kind, ...) SETTING_TYPE_##kind field;
#include "explore/model/explore_options.def"
} explore_settings;

#endif
