/* What workers of this command can do: the kinds of units. */
#ifndef PLUMB_CLI_UNITS_H
#define PLUMB_CLI_UNITS_H

#include "cli/check.h"
#include "scale/runner.h"

/* check_unit.c: one history. */
void check_unit_pack(const check_settings *c, const job_settings *s, const char *name, const void *bytes, size_t size,
                     text *out); /* bytes NULL: they are the unit's contents */
bool check_unit_work(const unit *u, const char *folder, text *out, error *e);

#endif
