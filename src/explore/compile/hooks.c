#include "explore/compile/hooks.h"

#include <stdlib.h>
#include <string.h>

enum {
    ONE = BIT(RDI),
    TWO = ONE | BIT(RSI),
    THREE = TWO | BIT(RDX),
    FOUR = THREE | BIT(RCX),
    FIVE = FOUR | BIT(R8),
    SIX = FIVE | BIT(R9)
};

static void hook_is(hook *h, hook_kind kind, register_set reads) {
    h->kind = kind;
    h->reads = reads;
}

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* __tsan_atomicN_*: address, operands of N bits (two registers each when N is 128), memory orders. */
static hook atomic_hook(const char *name) {
    char *end;
    unsigned long bits = strtoul(name, &end, 10);
    hook h = {.size = (unsigned)bits / 8};
    bool wide = bits == 128;
    if (*end++ != '_' || bits % 8 || bits > 128 || bits == 0) return h;
    if (!strcmp(end, "load")) hook_is(&h, HOOK_LOAD, TWO);
    else if (!strcmp(end, "store")) hook_is(&h, HOOK_OTHER, wide ? FOUR : THREE);
    else if (!strcmp(end, "exchange") || starts(end, "fetch_")) hook_is(&h, HOOK_UPDATE, wide ? FOUR : THREE);
    else if (!strcmp(end, "compare_exchange_strong") || !strcmp(end, "compare_exchange_weak"))
        hook_is(&h, HOOK_SWAP, wide ? SIX : FIVE);
    else if (!strcmp(end, "compare_exchange_val") && !wide) hook_is(&h, HOOK_SWAP_VALUE, FIVE);
    return h;
}

hook hook_of(const char *callee) {
    hook h = {0};
    if (!strcmp(callee, "__plumb_asm") || !strcmp(callee, "__plumb_asm_wide"))
        return (hook){.kind = HOOK_ASM, .reads = ONE};
    if (!strcmp(callee, "plumb_pure_loop") || !strcmp(callee, "sched_yield") || !strcmp(callee, "thrd_yield"))
        return (hook){.kind = HOOK_OTHER};
    if (!starts(callee, "__tsan_")) return h;
    const char *name = callee + strlen("__tsan_");
    if (!strcmp(name, "func_entry")) return (hook){.kind = HOOK_ENTRY, .reads = ONE};
    if (!strcmp(name, "func_exit")) return (hook){.kind = HOOK_EXIT};
    if (!strcmp(name, "atomic_thread_fence") || !strcmp(name, "atomic_signal_fence"))
        return (hook){.kind = HOOK_OTHER, .reads = ONE};
    if (starts(name, "atomic")) return atomic_hook(name + strlen("atomic"));
    h.reads = strstr(name, "_range") || !strcmp(name, "vptr_update") ? TWO : ONE;
    if (strstr(name, "read_write") || strstr(name, "write") || starts(name, "vptr_update")) h.kind = HOOK_OTHER;
    else if (strstr(name, "read")) h.kind = HOOK_READ;
    return h;
}

static bool listed(const char *const *list, const char *name) {
    for (; *list; list++)
        if (!strcmp(*list, name)) return true;
    return false;
}

bool never_returns(const char *callee) {
    static const char *const list[] = {"abort",
                                       "exit",
                                       "_exit",
                                       "_Exit",
                                       "quick_exit",
                                       "__assert_fail",
                                       "__assert_perror_fail",
                                       "__assert",
                                       "__stack_chk_fail",
                                       "longjmp",
                                       "siglongjmp",
                                       "__longjmp_chk",
                                       "pthread_exit",
                                       "thrd_exit",
                                       "__cxa_throw",
                                       "__cxa_rethrow",
                                       "_Unwind_Resume",
                                       "_ZSt9terminatev",
                                       "__fortify_fail",
                                       "__chk_fail",
                                       NULL};
    return listed(list, callee);
}

bool returns_twice(const char *callee) {
    static const char *const list[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext", NULL};
    return listed(list, callee);
}
