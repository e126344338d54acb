/* `--phases "10s:reads=0.9; 20s:reads=0.1,rate=200"`: parts of a load, one after the other and then from the first. */
#ifndef PLUMB_CLI_DRIVE_PHASES_H
#define PLUMB_CLI_DRIVE_PHASES_H

#include "base/error.h"
#include "drive/load.h"

/* What a phase does not name is as the settings have it. NULL: none. */
bool drive_phases_parse(const char *words, load_settings *s, error *e);

#endif
