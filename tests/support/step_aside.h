/* Lets another thread of the test go on. sched_yield lets everything go first that is ready on the machine: at a load of 35 on
 * two processors 6 ms instead of 0.4, and thousands of them starved runtime_test_guard. Who slept is soon woken. */
#ifndef PLUMB_TESTS_STEP_ASIDE_H
#define PLUMB_TESTS_STEP_ASIDE_H

#include <time.h>

static inline void step_aside(void) { nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL); }

#endif
