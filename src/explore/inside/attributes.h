/* Attributes that the files of the inside share, and the three kinds of state that they may keep.
 *
 * Every variable of these files that is not constant is marked with one of the kinds. The kind says what becomes of the
 * variable when an execution is resumed at a snapshot (snapshot.h); tests/explore/inside/test_state.sh fails for a
 * variable that is not marked. */
#ifndef PLUMB_EXPLORE_INSIDE_ATTRIBUTES_H
#define PLUMB_EXPLORE_INSIDE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define CALLER ((uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* else compilers compute an address for each of a few fields anew */
#define ONE_REGISTER(pointer) __asm__("" : "+r"(pointer))

/* Small, and changed by the running execution: snapshots copy the whole section. */
#define EXECUTION_STATE __attribute__((section("execution_state")))
/* The same of what only reports, reductions and caches look at: executions that differ in nothing else are in the same
 * state (state.c). */
#define EXECUTION_COUNTS __attribute__((section("execution_counts")))
/* Changed by the running execution: a *_copy function that snapshot.c lists keeps it and restores it. */
#define COPIED_STATE __attribute__((section(".bss.copied_state")))
/* Of the process: what was learned, found or opened, and caches. Executions do not take it back. */
#define PROCESS_STATE __attribute__((section(".bss.process_state")))
#define PROCESS_DATA __attribute__((section(".data.process_state"))) /* the same, when it does not begin as zero */

#endif
