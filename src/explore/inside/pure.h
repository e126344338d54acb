/* What was found out about the program when it was linked (facts.h). */
#ifndef PLUMB_EXPLORE_INSIDE_PURE_H
#define PLUMB_EXPLORE_INSIDE_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LOOP_PURE: see facts.h for what has to be checked besides */
bool loop_is_pure(uintptr_t pc);
bool loop_cas_loads(uintptr_t pc, uintptr_t *first); /* LOOP_CAS_LOADS */
/* LOOP_CONFIRMED: bit 0 if it has read zero, bit 1 if something else. Variables are asked for one by one. */
unsigned loop_confirms(uintptr_t load, uintptr_t hook);
uintptr_t loop_head(uintptr_t load); /* LOOP_HEAD; 0: it is not confirmed */
bool loop_relies(uintptr_t load, unsigned i, uintptr_t *variable);
bool loops_have_confirmed(void);
const char *program_opaque(size_t *size); /* foreign objects, a line each; NULL: none */

#endif
