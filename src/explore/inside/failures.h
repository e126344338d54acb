/* The ways in which an execution goes wrong (failures.c), and functions that are not modelled (unmodelled.c). */
#ifndef PLUMB_EXPLORE_INSIDE_FAILURES_H
#define PLUMB_EXPLORE_INSIDE_FAILURES_H

#include "explore/inside/attributes.h"
#include "explore/model/world.h"

bool failures_open(char *wrong, size_t room);
_Noreturn void fail(failure_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
void watchdog_start(void);                   /* in this process: timers do not pass to the processes that it makes */
void watchdog_run_begins(void);              /* an execution begins */
void refuse(const char *name, uintptr_t pc); /* ends the run when code under test is the caller */

#endif
