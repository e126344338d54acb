/* `plumb explore --serial [--golden ...]`: the serial runs that concurrent ones are compared with, made as programs
 * need them. */
#ifndef PLUMB_EXPLORE_OUTSIDE_SERIAL_CHECK_H
#define PLUMB_EXPLORE_OUTSIDE_SERIAL_CHECK_H

#include "explore/outside/plan.h"
#include "explore/outside/test_program.h"
#include "explore/outside/hunt.h"
#include "explore/outside/serial_phase.h"

typedef struct serial_check serial_check;

/* `path` is where the runs are kept. NULL with the error set: the golden code cannot be compiled, ... */
serial_check *serial_check_open(const explore_settings *s, const test_program *t, const plan *p, const run_request *how,
                                const char *path, error *e);
void serial_check_close(serial_check *c);
hunt_prepare serial_check_prepare; /* its context is the serial_check */
/* What histories of this program are checked against, as object_open finds it; NULL: the object of the plan. */
const char *serial_check_object(serial_check *c, const char *threads, text *name);
void serial_check_describe(const serial_check *c, text *out); /* "70 serial orders of lock_queue.c, ..." */
uint64_t serial_check_orders(const serial_check *c);

#endif
