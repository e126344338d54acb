/* The functions of the runtime that compiled code calls at its accesses: which registers they look at. */
#ifndef PLUMB_EXPLORE_COMPILE_HOOKS_H
#define PLUMB_EXPLORE_COMPILE_HOOKS_H

#include "explore/compile/machine_code.h"

typedef enum hook_kind {
    HOOK_NONE, /* no hook: it may do anything */
    HOOK_ASM,  /* __plumb_asm: keeps every register */
    HOOK_ENTRY,
    HOOK_EXIT,       /* of functions */
    HOOK_READ,       /* before a plain or volatile read */
    HOOK_OTHER,      /* before a write, fences, yields */
    HOOK_LOAD,       /* performs an atomic load */
    HOOK_UPDATE,     /* performs an atomic read-modify-write that returns the old value */
    HOOK_SWAP,       /* compare-and-swap with the expected value in memory, where it writes what it found */
    HOOK_SWAP_VALUE, /* compare-and-swap with the expected value in registers */
} hook_kind;

typedef struct hook {
    hook_kind kind;
    unsigned size;      /* bytes of an atomic access */
    register_set reads; /* arguments */
} hook;

hook hook_of(const char *callee);
bool never_returns(const char *callee);
bool returns_twice(const char *callee);

#endif
