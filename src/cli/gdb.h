/* An execution in gdb: the compiled test repeats it by itself, gdb stops before the steps at which another thread goes
 * on. */
#ifndef PLUMB_CLI_GDB_H
#define PLUMB_CLI_GDB_H

#include "explore/outside/test_program.h"
#include "explore/outside/debug_info.h"
#include "explore/outside/session.h"

/* Returns gdb's exit code. `x` is the same execution, replayed: it has the words for the steps. */
int gdb_replay(const test_program *t, const run_request *how, const char *choices, const execution *x, debug_info *d,
               error *e);

#endif
