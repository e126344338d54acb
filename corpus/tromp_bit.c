/* Tromp's atomic bit made of three safe bits, for one writer and one reader. A reading of a safe bit that overlaps a
 * writing may give anything: plumb_choose says what.
 *
 * Two simplifications look harmless and are wrong:
 * BUG_LINE3: the reader changes its flag without asking again whether the two flags differ.
 * BUG_LINE6: the reader does not read the value once more before it returns the older one. */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { VALUE = 1, BEING_WRITTEN = 2, DISTURBED = 4 /* a writing began or ended since the reader cleared this */ };

typedef struct safe_bit {
    atomic_int content;
} safe_bit;

static void safe_write(safe_bit *b, int x) { /* one writer, so its own reading needs no step of its own */
    int old = atomic_load_explicit(&b->content, memory_order_relaxed);
    atomic_store(&b->content, (old & VALUE) | BEING_WRITTEN | DISTURBED);
    atomic_store(&b->content, x | DISTURBED);
}

static int safe_read(safe_bit *b) { /* one reader */
    int before = atomic_fetch_and(&b->content, ~DISTURBED), after = atomic_load(&b->content);
    return before & BEING_WRITTEN || after & DISTURBED ? (int)plumb_choose(2) : before & VALUE;
}

static safe_bit value, writer_flag, reader_flag;
static int value_own, writer_own;  /* what the writer has written last */
static int reader_own, last_read;  /* what the reader has written, and has read last */

static void bit_write(int x) {
    if (x == value_own) return;
    value_own = x;
    safe_write(&value, x);
    if (safe_read(&reader_flag) == writer_own) safe_write(&writer_flag, writer_own = !writer_own);
}

static int bit_read(void) {
    if (safe_read(&writer_flag) == reader_own) return last_read;
    int x = safe_read(&value);
#ifndef BUG_LINE3
    if (safe_read(&writer_flag) != reader_own)
#endif
        safe_write(&reader_flag, reader_own = !reader_own);
    last_read = safe_read(&value);
    if (safe_read(&writer_flag) == reader_own) return last_read;
#ifndef BUG_LINE6
    last_read = safe_read(&value);
#endif
    return x;
}

PLUMB_OBJECT("register")
PLUMB_INITIAL("0")
PLUMB_ONE_THREAD(write)
PLUMB_ONE_THREAD(read)
PLUMB_OP(write, x) { bit_write((int)x); return plumb_none(); }
PLUMB_OP(read) { return plumb_int(bit_read()); }
PLUMB_THREADS("write(1) write(0) | read read")
PLUMB_THREADS("write(1) write(0) | read read read")
