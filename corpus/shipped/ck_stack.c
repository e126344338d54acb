/* The stack of ConcurrencyKit, as libck-dev ships it. Items that were popped are used again at once, from a list that
 * each thread keeps: memory is never handed back, so reading a stale item is harmless in itself.
 *
 * Without a flag: the MPMC functions, whose double-word compare-and-swap counts pops.
 * BUG_ABA: the UPMC functions. A thread that pops has read the top and what is below it; when it was popped and pushed
 * again meanwhile, the compare-and-swap still succeeds, and brings back what is long gone.
 * BUG_FREE: the UPMC functions, and items are freed at once. */
#include <plumbline/test.h>

#include <ck_stack.h>
#include <stdlib.h>

typedef struct item {
    ck_stack_entry_t entry;
    long value;
} item;
CK_STACK_CONTAINER(item, entry, item_of)

#if defined BUG_ABA || defined BUG_FREE
#define PUSH ck_stack_push_upmc
#define POP ck_stack_pop_upmc
#else
#define PUSH ck_stack_push_mpmc
#define POP ck_stack_pop_mpmc
#endif

static _Alignas(16) ck_stack_t stack; /* cmpxchg16b wants it so; the type itself does not ask for it */
static _Thread_local struct { item *item[4]; unsigned first, last; } spares; /* the oldest is used first */

static item *item_new(void) {
    if (spares.first == spares.last) return malloc(sizeof(item));
    return spares.item[spares.first++ % 4];
}

static void item_done(item *i) {
#ifdef BUG_FREE
    free(i);
#else
    spares.item[spares.last++ % 4] = i;
#endif
}

PLUMB_OBJECT("stack")
PLUMB_OP(push, v) {
    item *i = item_new();
    i->value = v;
    PUSH(&stack, &i->entry);
    return plumb_none();
}
PLUMB_OP(pop) {
    ck_stack_entry_t *top = POP(&stack);
    if (!top) return plumb_empty();
    long v = item_of(top)->value;
    item_done(item_of(top));
    return plumb_int(v);
}
PLUMB_THREADS("push(1) push(2) : pop | pop pop push(3) | pop")
PLUMB_THREADS("push(1) pop | push(2) pop")
