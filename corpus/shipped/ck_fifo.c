/* The queues of ConcurrencyKit, as libck-dev ships them.
 *
 * Without a flag: Michael and Scott's queue for many threads, with counted pointers; nothing is freed.
 * BUG_FREE: the entry that a dequeue hands back is freed at once, though others may still look at it.
 * BUG_REUSE: it is used for the next enqueue of the same thread, which the counted pointers are there for. A defect of
 * the library: a dequeue that finds head and tail at the same entry, without a successor, answers "empty" and does not
 * look whether head is still what it read. By then the entry may have been taken out and put in again, at the end of a
 * full queue.
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
static ck_fifo_mpmc_entry_t *entry_new(void) {
    return aligned_alloc(16, (sizeof(ck_fifo_mpmc_entry_t) + 15) / 16 * 16);
}
PLUMB_SETUP { ck_fifo_mpmc_init(&q, entry_new()); }
#ifdef BUG_REUSE
static _Thread_local ck_fifo_mpmc_entry_t *spare;
static ck_fifo_mpmc_entry_t *entry_get(void) {
    ck_fifo_mpmc_entry_t *e = spare;
    spare = NULL;
    return e ? e : entry_new();
}
PLUMB_THREADS("enq(1) enq(2) : deq | deq enq(3)")
#else
#define entry_get entry_new
#endif
PLUMB_OP(enq, v) {
    ck_fifo_mpmc_enqueue(&q, entry_get(), (void *)(intptr_t)v);
    return plumb_none();
}
PLUMB_OP(deq) {
    void *v;
    ck_fifo_mpmc_entry_t *done;
    if (!ck_fifo_mpmc_dequeue(&q, &v, &done)) return plumb_empty();
#ifdef BUG_FREE
    free(done);
#elif defined BUG_REUSE
    spare = done;
#endif
    return plumb_int((intptr_t)v);
}
#endif
