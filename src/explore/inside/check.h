/* Invariants over all threads, looked at whenever the strategy is asked and at the end of every execution. Each file
 * checks its own state. */
#ifndef PLUMB_EXPLORE_INSIDE_CHECK_H
#define PLUMB_EXPLORE_INSIDE_CHECK_H

void machine_check(void);
void fibers_check(void);
void scheduler_check(void);
void record_check(void);
void races_check(void);
void heap_check_counts(void);

#ifdef NDEBUG
#define CHECK_MACHINE() ((void)0)
#else
#define CHECK_MACHINE() machine_check()
#endif

#endif
