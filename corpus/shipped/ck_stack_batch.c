/* Taking everything off ConcurrencyKit's stack at once, as libck-dev ships it, beside its MPMC pop. Items that were
 * taken are pushed again.
 *
 * Without a flag: wrong, a defect of the library. ck_stack_batch_pop_mpmc is the UPMC function: it exchanges the top
 *          for nothing and leaves the generation as it is. A pop that has read top and generation before, and what was
 *          below the top, does not notice that all of it was taken and the same item pushed again: its double-word
 *          compare-and-swap succeeds, and what was below the top is on the stack once more though another has it.
 * FRESH (right): items that were taken are not pushed again. */
#include <plumbline/test.h>

#include <ck_stack.h>
#include <stdlib.h>

typedef struct item {
    ck_stack_entry_t entry;
    long value;
} item;
CK_STACK_CONTAINER(item, entry, item_of)

enum { VALUES = 8 };
static _Alignas(16) ck_stack_t stack; /* cmpxchg16b wants it so */
static unsigned taken[VALUES];
static _Thread_local item *spare;

static void take(item *i) { plumb_assert(__atomic_fetch_add(&taken[i->value], 1, __ATOMIC_SEQ_CST) == 0); }

PLUMB_OP(push, v) {
    item *i = spare ? spare : malloc(sizeof *i);
    spare = NULL;
    i->value = v;
    ck_stack_push_mpmc(&stack, &i->entry);
    return plumb_none();
}
PLUMB_OP(pop) {
    ck_stack_entry_t *top = ck_stack_pop_mpmc(&stack);
    if (top) take(item_of(top));
    return plumb_bool(top);
}
/* All of them; the first is pushed again by the next push of this thread. */
PLUMB_OP(flush) {
    ck_stack_entry_t *all = ck_stack_batch_pop_mpmc(&stack), *next;
    long n = 0;
    for (ck_stack_entry_t *e = all; e; e = next, n++) {
        next = e->next;
        take(item_of(e));
    }
#ifndef FRESH
    if (all) spare = item_of(all);
#endif
    return plumb_int(n);
}
PLUMB_THREADS("push(1) push(2) : pop | flush push(3) : pop pop")
