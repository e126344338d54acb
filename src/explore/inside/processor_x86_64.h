/* x86-64. The thread pointer is the FS register; thread-local variables end where it points to, and libc's description
 * of the thread begins there. */
#ifndef PLUMB_EXPLORE_INSIDE_PROCESSOR_X86_64_H
#define PLUMB_EXPLORE_INSIDE_PROCESSOR_X86_64_H

#include "explore/inside/attributes.h"

#include <sys/auxv.h>
#include <ucontext.h>

/* What fiber_exchange pushes: r15, r14, r13, r12, rbx, rbp and the address at which it goes on. */
enum { HELD_BYTES = 7 * 8 };

static inline uintptr_t thread_pointer(void) {
    uintptr_t v;
    __asm__ volatile("rdfsbase %0" : "=r"(v));
    return v;
}
static inline void thread_pointer_set(uintptr_t v) { __asm__ volatile("wrfsbase %0" ::"r"(v) : "memory"); }

/* Goes on where fiber_exchange left. In line, and by a jump: processors expect every call to return, and guess wrong
 * for each that does not. */
_Noreturn ALWAYS_INLINE void stack_take(void *sp) {
    __asm__ volatile("movq %0,%%rsp\n"
                     "popq %%r15\n popq %%r14\n popq %%r13\n popq %%r12\n popq %%rbx\n popq %%rbp\n"
                     "popq %%rcx\n jmp *%%rcx" ::"r"(sp)
                     : "memory");
    __builtin_unreachable();
}

/* NULL, or what this processor, or its kernel, does not allow. */
static inline const char *processor_lacks(void) {
    enum { FSGSBASE = 2 };
    return getauxval(AT_HWCAP2) & FSGSBASE ? NULL : "this machine cannot set the FS register (FSGSBASE)";
}

/* ---- libc's thread-local block, from the thread pointer ---- */

enum { VARIABLES_ABOVE = 0, CONTROL_HEADER = 0, DTV_AT = 8, PTHREAD_USUAL = 2304 };

/* The block knows its own address: variables of the executable are found by the first word, threads by the third. */
static inline void control_block_moved(uintptr_t pointer) {
    ((uintptr_t *)pointer)[0] = pointer;
    ((uintptr_t *)pointer)[2] = pointer;
}

/* ---- signals ---- */

static inline uintptr_t context_pc(const void *context) {
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}
/* The interrupted code goes on in `function`, as if called, on another stack. */
static inline void context_divert(void *context, uintptr_t stack_top, void (*function)(void)) {
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    r[REG_RSP] = (greg_t)(stack_top - 8);
    r[REG_RIP] = (greg_t)(uintptr_t)function;
}

static inline long system_call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

#endif
