/* Volatile accesses where accesses choose messages: relaxed ones. The program performs them itself, behind the hook. So
 * a load that reads an older message finds that message in memory until its thread comes to the next hook; and what a
 * store leaves is known at the next hook only, where it becomes a step. No other thread runs in between. */
#ifndef PLUMB_EXPLORE_INSIDE_VOLATILES_H
#define PLUMB_EXPLORE_INSIDE_VOLATILES_H

#include "explore/inside/attributes.h"

#include <stdbool.h>
#include <stdint.h>

extern bool volatile_is_open HIDDEN; /* volatiles.c */

/* The running thread is about to make it. */
void volatile_load(uintptr_t a, uint64_t size, uintptr_t pc, uintptr_t sp);
void volatile_store(uintptr_t a, uint64_t size, uintptr_t pc, uintptr_t sp);
/* It has: before anything that comes behind it in its thread. */
void volatile_close(void);
static inline void volatile_settle(void) {
    if (UNLIKELY(volatile_is_open)) volatile_close();
}

#endif
