/* The commands: one file each, one record each. */
#ifndef PLUMB_CLI_COMMANDS_H
#define PLUMB_CLI_COMMANDS_H

#include "cli/option.h"

extern const command command_check, command_monitor, command_convert, command_generate, command_certify, command_view,
    command_theory, command_explore, command_replay, command_init, command_drive, command_cc, command_cxx,
    command_objects, command_engines, command_formats, command_monitors, command_export_monitor, command_help,
    command_replica, command_publish, command_worker, command_workers, command_version;

extern const command *const commands[]; /* ended by NULL, in the order of the help */
const command *command_find(const char *name);
int command_help_print(const command *c); /* `plumb help check` */
int help_short(void);                     /* `plumb` alone */
int complain(const error *e);             /* "plumb: ..." on stderr; returns the exit code */
int print_text(text *t);                  /* on stdout, and frees it; 66 when it cannot be written */

#endif
