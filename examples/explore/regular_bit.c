/* A regular bit made of a safe one (Lamport 1986): a writing that would change nothing is left out, so a reading that
 * overlaps a writing meets both values. -DALWAYS writes every time, which is only safe. -DKIND=PLUMB_REGULAR and
 * others: that kind of bit as it is.
 *
 *     plumb explore --criterion regular examples/explore/regular_bit.c */
#include <plumbline/bits.h>

#ifdef KIND
static plumb_bit bit = PLUMB_BIT(KIND, 0);
#else
static plumb_bit bit = PLUMB_BIT(PLUMB_SAFE, 0);
#endif
static int written; /* the writer's own */

PLUMB_OBJECT("register")
PLUMB_INITIAL("0")
PLUMB_ONE_THREAD(write)
PLUMB_ONE_THREAD(read)
PLUMB_OP(write, x) {
#if !defined ALWAYS && !defined KIND
    if (written == (int)x) return plumb_none();
#endif
    written = (int)x;
    plumb_bit_write(&bit, (int)x);
    return plumb_none();
}
PLUMB_OP(read) { return plumb_int(plumb_bit_read(&bit, 0)); }
PLUMB_THREADS("write(1) write(1) | read read")
PLUMB_THREADS("write(1) write(0) | read read")
