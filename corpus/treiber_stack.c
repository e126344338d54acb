/* Treiber's stack: one pointer to the top, pushed and popped by compare-and-swap.
 *
 * BUG_ABA: pop frees the node at once. A thread that has read top = A and A->next = B sleeps; others pop A and B and
 * push A again (malloc hands out the same memory). The sleeper's compare-and-swap still finds A and makes B the top.
 * TAGGED (right): a counter beside the pointer changes with every pop, so the old A is not the new A.
 * HAZARD (right): a popped node is freed only when no thread has announced that it looks at it.
 * BUG_HAZARD: the announcement is not checked against top again, so it may come too late.
 * Without any of them nodes are never freed: right, and leaking. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
    struct node *next;
    long value;
} node;

#if defined TAGGED
typedef struct tagged {
    node *top;
    unsigned long count;
} tagged;
static _Alignas(16) tagged stack;

static tagged stack_read(void) {
    tagged t;
    t.count = __atomic_load_n(&stack.count, __ATOMIC_SEQ_CST);
    t.top = __atomic_load_n(&stack.top, __ATOMIC_SEQ_CST);
    return t;
}

static bool stack_swing(tagged from, tagged to) {
    unsigned __int128 expected, desired;
    __builtin_memcpy(&expected, &from, 16);
    __builtin_memcpy(&desired, &to, 16);
    return __sync_bool_compare_and_swap((unsigned __int128 *)&stack, expected, desired);
}

static void push(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    for (;;) {
        tagged t = stack_read();
        n->next = t.top;
        if (stack_swing(t, (tagged){n, t.count})) return;
    }
}

static bool pop(long *value) {
    for (;;) {
        tagged t = stack_read();
        if (!t.top) return false;
        node *next = __atomic_load_n(&t.top->next, __ATOMIC_SEQ_CST); /* freed? then the count has changed */
        if (!stack_swing(t, (tagged){next, t.count + 1})) continue;
        *value = t.top->value;
        return true; /* kept for a free list that this example does not need */
    }
}
#else
static _Atomic(node *) top;

static void push(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    node *t = atomic_load(&top);
    do n->next = t;
    while (!atomic_compare_exchange_weak(&top, &t, n));
}

#if defined HAZARD || defined BUG_HAZARD
enum { THREADS = 8 };
static _Atomic(node *) hazard[THREADS];
static _Atomic int next_slot;
static _Thread_local int my_slot;

static _Atomic(node *) *my_hazard(void) {
    if (!my_slot) my_slot = atomic_fetch_add(&next_slot, 1) + 1;
    return &hazard[my_slot - 1];
}

static bool somebody_looks_at(node *n) {
    for (int i = 0; i < THREADS; i++)
        if (atomic_load(&hazard[i]) == n) return true;
    return false;
}

static bool pop(long *value) {
    _Atomic(node *) *mine = my_hazard();
    for (;;) {
        node *t = atomic_load(&top);
        if (!t) return false;
        atomic_store(mine, t);
#ifndef BUG_HAZARD
        if (atomic_load(&top) != t) continue;
#endif
        node *next = t->next;
        if (!atomic_compare_exchange_strong(&top, &t, next)) continue;
        *value = t->value;
        atomic_store(mine, (node *)0);
        if (!somebody_looks_at(t)) free(t); /* else a real program would keep it for later */
        return true;
    }
}
#else
static bool pop(long *value) {
    for (;;) {
        node *t = atomic_load(&top);
        if (!t) return false;
        node *next = t->next;
        if (!atomic_compare_exchange_strong(&top, &t, next)) continue;
        *value = t->value;
#ifdef BUG_ABA
        free(t);
#endif
        return true;
    }
}
#endif
#endif

PLUMB_OBJECT("stack")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) push(2) : pop | pop push(3)")
PLUMB_THREADS("push(1) push(2) : pop | pop push(3) | pop")
PLUMB_THREADS("push(1) pop | push(2) pop")
