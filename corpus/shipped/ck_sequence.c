/* The sequence counter of ConcurrencyKit, as libck-dev ships it, around a register of two words with one writer.
 *
 * BUG_RETRY: the reader does not look at the counter again, and returns half of one value and half of another. */
#include <plumbline/test.h>

#include <ck_sequence.h>

static ck_sequence_t counter = CK_SEQUENCE_INITIALIZER;
static uint64_t low, high;

PLUMB_OBJECT("register")
PLUMB_INITIAL("0")
PLUMB_ONE_THREAD(write)
PLUMB_OP(write, v) {
    ck_sequence_write_begin(&counter);
    ck_pr_store_64(&low, (uint64_t)v);
    ck_pr_store_64(&high, (uint64_t)v);
    ck_sequence_write_end(&counter);
    return plumb_none();
}
PLUMB_OP(read) {
    uint64_t a, b;
    unsigned version;
    do {
        version = ck_sequence_read_begin(&counter);
        a = ck_pr_load_64(&low);
        b = ck_pr_load_64(&high);
#ifdef BUG_RETRY
        break;
#endif
    } while (ck_sequence_read_retry(&counter, version));
    return plumb_int((int64_t)(a == b ? a : 100 * a + b));
}
