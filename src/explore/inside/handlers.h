/* Signals that threads send each other (pthread_kill, raise) and their handlers (sigaction, signal). */
#ifndef PLUMB_EXPLORE_INSIDE_HANDLERS_H
#define PLUMB_EXPLORE_INSIDE_HANDLERS_H

#include "base/hash128.h"
#include "explore/inside/fiber.h"

extern bool handlers_known HIDDEN; /* handlers.c */
/* The program sends signals to other threads. */
static inline bool signals_are_sent(void) { return handlers_known; }

void handlers_begin(void); /* executions, with what is known now */

/* Before something that the running thread does: signals may come now, and have to if `must`. True: one came whose
 * handler does not let a call begin again. */
bool handlers_look(uintptr_t pc, bool must);
bool handlers_interrupt(uintptr_t pc); /* what waits is about to begin: it ends at once with EINTR */
void handlers_see_wait(void);          /* in which a signal could come, which is not explored */
bool handlers_are_due(thread_set threads);

bool handlers_has(int number); /* the program has a handler for it */
void handlers_hash(hash128 *h);
bool handlers_region(uintptr_t address, machine_region *out);

#endif
