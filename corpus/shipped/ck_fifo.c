/* The queues of ConcurrencyKit, as libck-dev ships them.
 *
 * Without a flag: Michael and Scott's queue for many threads, with counted pointers; nothing is freed.
 * BUG_FREE: the entry that a dequeue hands back is freed at once, though others may still look at it.
 * SPSC (right): the one for one producer and one consumer, whose entries are used again. */
#include <plumbline/test.h>

#include <ck_fifo.h>
#include <stdlib.h>

PLUMB_OBJECT("queue")
#ifdef SPSC
static ck_fifo_spsc_t q;
PLUMB_ONE_THREAD(enq)
PLUMB_ONE_THREAD(deq)
PLUMB_SETUP { ck_fifo_spsc_init(&q, malloc(sizeof(ck_fifo_spsc_entry_t))); }
PLUMB_OP(enq, v) {
    ck_fifo_spsc_entry_t *e = ck_fifo_spsc_recycle(&q);
    ck_fifo_spsc_enqueue(&q, e ? e : malloc(sizeof *e), (void *)(intptr_t)v);
    return plumb_none();
}
PLUMB_OP(deq) {
    void *v;
    return ck_fifo_spsc_dequeue(&q, &v) ? plumb_int((intptr_t)v) : plumb_empty();
}
#else
static _Alignas(16) ck_fifo_mpmc_t q;
static ck_fifo_mpmc_entry_t *entry_new(void) { return aligned_alloc(16, (sizeof(ck_fifo_mpmc_entry_t) + 15) / 16 * 16); }
PLUMB_SETUP { ck_fifo_mpmc_init(&q, entry_new()); }
PLUMB_OP(enq, v) {
    ck_fifo_mpmc_enqueue(&q, entry_new(), (void *)(intptr_t)v);
    return plumb_none();
}
PLUMB_OP(deq) {
    void *v;
    ck_fifo_mpmc_entry_t *done;
    if (!ck_fifo_mpmc_dequeue(&q, &v, &done)) return plumb_empty();
#ifdef BUG_FREE
    free(done);
#endif
    return plumb_int((intptr_t)v);
}
#endif
