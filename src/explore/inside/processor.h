/* All that the explorer's inside knows of the processor: how a thread's registers are left on its stack and taken up
 * again, where the thread pointer and the thread-local block are, what a signal's context says, system calls, and the
 * counter of cycles. One file for each processor, with the same names; src/explore/inside/switch_*.c has what needs
 * labels. */
#ifndef PLUMB_EXPLORE_INSIDE_PROCESSOR_H
#define PLUMB_EXPLORE_INSIDE_PROCESSOR_H

#include "explore/inside/attributes.h"

#if defined __x86_64__
#include "explore/inside/processor_x86_64.h"
#elif defined __aarch64__
#include "explore/inside/processor_aarch64.h"
#else
#error "the explorer's inside does not know this processor"
#endif

/* Stores the registers that calls keep on the stack that is left, and goes on elsewhere by a jump (stack_take). */
void fiber_exchange(void **from, void *to) HIDDEN;
/* Does so, too, but stays and calls a function: a later fiber_exchange to `*at` returns as if from here. */
void fiber_hold(void **at, void (*meanwhile)(void)) HIDDEN;
/* Where a new fiber starts. No caller is known beyond it, which ends back traces and unwinding. */
void fiber_begin(void) HIDDEN;

/* The stack of a fiber that will call body(argument) when it is entered; `top` is aligned. */
void *frame_new(uintptr_t top, uintptr_t body, uintptr_t argument) HIDDEN;

#endif
