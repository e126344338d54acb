/* A register of two words under a sequence lock: readers retry when the sequence number was odd or has changed.
 *
 * BUG_RECHECK: the reader does not look at the sequence number again and may return halves of two writes. */
#include <plumbline/test.h>

#include <stdatomic.h>

static atomic_uint sequence;
static atomic_long low, high; /* together one value: high == low for every value written here */

static void register_write(long v) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, v);
    atomic_store(&high, v);
    atomic_fetch_add(&sequence, 1);
}

static long register_read(void) {
    for (;;) {
        unsigned before = atomic_load(&sequence);
        if (before & 1) continue;
        long a = atomic_load(&low), b = atomic_load(&high);
#ifndef BUG_RECHECK
        if (atomic_load(&sequence) != before) continue;
#endif
        return a == b ? a : 100 * a + b;
    }
}

PLUMB_OBJECT("register")
PLUMB_INITIAL("0")
PLUMB_ONE_THREAD(write)
PLUMB_OP(write, v) { register_write(v); return plumb_none(); }
PLUMB_OP(read) { return plumb_int(register_read()); }
PLUMB_THREADS("write(1) : write(2) | read read")
PLUMB_THREADS("write(1) : write(2) write(3) | read")
