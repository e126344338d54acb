/* arm64. The thread pointer is TPIDR_EL0; libc's description of the thread ends where it points to, two words follow,
 * then the thread-local variables. */
#ifndef PLUMB_EXPLORE_INSIDE_PROCESSOR_AARCH64_H
#define PLUMB_EXPLORE_INSIDE_PROCESSOR_AARCH64_H

#include "explore/inside/attributes.h"

#include <ucontext.h>

/* What fiber_exchange stores: x19 to x30, and d8 to d15; x30 is the address at which it goes on. */
enum { HELD_BYTES = 20 * 8 };

static inline uintptr_t thread_pointer(void) {
    uintptr_t v;
    __asm__ volatile("mrs %0,tpidr_el0" : "=r"(v));
    return v;
}
static inline void thread_pointer_set(uintptr_t v) { __asm__ volatile("msr tpidr_el0,%0" ::"r"(v) : "memory"); }

#define HELD_LOAD \
    "ldp x19,x20,[sp]\n ldp x21,x22,[sp,#16]\n ldp x23,x24,[sp,#32]\n ldp x25,x26,[sp,#48]\n" \
    "ldp x27,x28,[sp,#64]\n ldp x29,x30,[sp,#80]\n ldp d8,d9,[sp,#96]\n ldp d10,d11,[sp,#112]\n" \
    "ldp d12,d13,[sp,#128]\n ldp d14,d15,[sp,#144]\n add sp,sp,#160\n"

/* Goes on where fiber_exchange left, by a jump that is no return. */
_Noreturn ALWAYS_INLINE void stack_take(void *sp) {
    __asm__ volatile("mov sp,%0\n" HELD_LOAD "mov x16,x30\n br x16" ::"r"(sp) : "memory");
    __builtin_unreachable();
}

static inline const char *processor_lacks(void) { return NULL; }

/* ---- libc's thread-local block, from the thread pointer ---- */

enum { VARIABLES_ABOVE = 1, CONTROL_HEADER = 16, DTV_AT = 0, PTHREAD_USUAL = 1776 };

static inline void control_block_moved(uintptr_t pointer) { (void)pointer; } /* it holds no address of its own */

/* ---- signals ---- */

static inline uintptr_t context_pc(const void *context) {
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
}
/* The interrupted code goes on in `function`, as if called, on another stack. */
static inline void context_divert(void *context, uintptr_t stack_top, void (*function)(void)) {
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    m->sp = stack_top;
    m->pc = (uintptr_t)function;
}

static inline long system_call(long number, long a, long b, long c) {
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}

#endif
