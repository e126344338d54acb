/* Loops that read, look at something else, and read again to see whether they have to begin anew. What goes wrong here
 * does so only while the first read is out of date: a strategy that leaves such executions out must notice that it may
 * not.
 *
 * COMES_BACK: the value is there again when it is read the second time.  FREED: an iteration that fails has read freed
 * memory.
 * ELSEWHERE: it reads outside of the block, at an index that it has read meanwhile.  LEAVES: it does not always look
 * again.
 * WRITES: it has counted itself before.  MOVED: the second read is of another variable, for a pointer has changed. */
#include <plumbline/test.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic long first, second, count;
static _Atomic long *where = &first;
_Atomic long *block;
static _Atomic(long *) node;

PLUMB_SETUP {
    block = malloc(2 * sizeof *block);
    block[0] = block[1] = 0;
    long *n = malloc(sizeof *n);
    *n = 7;
    atomic_init(&node, n);
}

#if defined COMES_BACK
PLUMB_OP(look) {
    long t, v;
    do t = first, v = second;
    while (t != first);
    plumb_assert(t || v != 5);
    return plumb_none();
}
PLUMB_OP(change) { first = 1, second = 5, second = 0, first = 0; return plumb_none(); }
#elif defined FREED
PLUMB_OP(look) {
    long *t, v;
    do t = node, v = t ? *t : 0;
    while (t != node);
    return plumb_int(v);
}
PLUMB_OP(change) { free(atomic_exchange(&node, (long *)0)); return plumb_none(); }
#elif defined ELSEWHERE
PLUMB_OP(look) {
    long t, v;
    do t = first, v = block[second & (t - 1)];
    while (t != first);
    return plumb_int(v);
}
PLUMB_OP(change) { first = 1, second = 100; return plumb_none(); }
#elif defined LEAVES
PLUMB_OP(look) {
    long t;
    do {
        t = first;
        if (second) break;
    } while (t != first);
    plumb_assert(t || !second);
    return plumb_none();
}
PLUMB_OP(change) { first = 1, second = 1; return plumb_none(); }
#elif defined WRITES
PLUMB_OP(look) {
    long t;
    do {
        if (second) count++;
        t = first;
    } while (t != first);
    return plumb_none();
}
PLUMB_OP(change) { second = 1, first = 1; return plumb_none(); }
PLUMB_FINAL { plumb_assert(count < 2); }
#elif defined MOVED
PLUMB_OP(look) {
    long t, v;
    do t = *where, v = second;
    while (t != *where);
    plumb_assert(t || !v);
    return plumb_none();
}
PLUMB_OP(change) { first = 1, second = 1, second = 0, where = &count; return plumb_none(); }
#endif
