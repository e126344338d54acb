/* Confirmed reads (windows.c). */
#ifndef PLUMB_EXPLORE_INSIDE_WINDOWS_H
#define PLUMB_EXPLORE_INSIDE_WINDOWS_H

#include "explore/inside/fiber.h"

extern bool windows_are_open HIDDEN; /* windows.c: confirmed reads count in this execution */

static inline bool windows_open(void) { return windows_are_open; }
void windows_begin(void); /* an execution, from its start or from a snapshot */
void windows_reset(void);
void windows_end(unsigned thread);          /* it ends */
void windows_update(fiber *f);              /* it stands before its next step: which are open? */
void windows_meet(const fiber *f, step *s); /* it executes this step */
void windows_wrote(uintptr_t a, uint64_t size, uint64_t old, uint64_t new); /* a step did */
void windows_forbid(void);                                                  /* from the next execution on */

#endif
