/* Invariants hold, or do not, when no operation is running. */
#include <plumbline/test.h>
#include <stdatomic.h>
#include <stdlib.h>

#if CASE == 1 /* broken where b is done and a is not begun, though the two have nothing in common */
static atomic_int x, y;
PLUMB_OP(a) { x = 1; return plumb_none(); }
PLUMB_OP(b) { y = 1; return plumb_none(); }
PLUMB_INVARIANT { return !(y && !x); }
PLUMB_THREADS("a | b")
#elif CASE == 2 /* broken in one of the orders of six such operations */
static int x[3], y[3];
PLUMB_OP(a, i) { x[i] = 1; return plumb_none(); }
PLUMB_OP(b, i) { y[i] = 1; return plumb_none(); }
PLUMB_INVARIANT { return !(x[0] && !x[1] && y[1] && !y[2]); }
PLUMB_THREADS("a(0) a(1) a(2) | b(0) b(1) b(2)")
#elif CASE == 3 /* holds: what only one thread writes is not seen between its two writes */
static int x, z;
static atomic_int s;
PLUMB_OP(a) { x++; s++; z++; return plumb_none(); }
PLUMB_OP(b) { s++; return plumb_none(); }
PLUMB_INVARIANT { return x == z; }
PLUMB_THREADS("a a | b b")
#elif CASE == 4 /* holds: as above, with memory that is allocated */
static int live;
static void *_Atomic slot;
PLUMB_OP(put) {
    void *n = malloc(8);
    live++;
    void *old = atomic_exchange(&slot, n);
    if (old) free(old), live--;
    return plumb_none();
}
PLUMB_OP(peek) { return plumb_bool(slot != 0); }
PLUMB_INVARIANT { return live == (slot != 0); }
PLUMB_THREADS("put put | peek")
#elif CASE == 5 /* broken where both operations of the other thread have ended and none runs: c comes before a */
static atomic_int seen, x, y;
PLUMB_OP(c) { seen = 1; return plumb_none(); }
PLUMB_OP(a) { if (seen) x = 1; return plumb_none(); }
PLUMB_OP(d) { y = 1; return plumb_none(); }
PLUMB_INVARIANT { return !(x && !y); }
PLUMB_THREADS("c | a | d")
#elif CASE == 6 /* broken from the beginning */
static int x = 1;
PLUMB_OP(a) { x = 0; return plumb_none(); }
PLUMB_INVARIANT { return !x; }
PLUMB_THREADS("a | a")
#endif
