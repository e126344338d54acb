/* Michael and Scott's queue with hazard pointers of ConcurrencyKit, as libck-dev ships it. Entries are freed when no
 * record has them as a hazard, which is what the queue promises to be enough.
 *
 * Without a flag: wrong, a defect of the library. An enqueue protects the tail that it has read, and then links its
 *          entry behind `fifo->tail`, read once more, instead of behind what it protects. Between that read and the
 *          compare-and-swap others may put in another entry, take it out and free it: the compare-and-swap then writes
 *          to freed memory.
 * KEEP (right): nothing is freed. */
#include <plumbline/test.h>

#include <ck_hp_fifo.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 4, HAZARDS = 2 };
static ck_hp_t hp = {.degree = HAZARDS};
static ck_hp_record_t record[RECORDS];
static atomic_int records;
static _Thread_local ck_hp_record_t *own;
static ck_hp_fifo_t q;

static ck_hp_record_t *record_now(void) {
    if (!own) {
        own = &record[atomic_fetch_add(&records, 1)];
        own->pointers = own->cache;
        own->global = &hp;
    }
    return own;
}

/* What ck_hp_reclaim does, for one entry. */
static void retire(ck_hp_fifo_entry_t *e) {
#ifndef KEEP
    for (int i = 0; i < RECORDS; i++)
        for (int k = 0; k < HAZARDS; k++)
            if (ck_pr_load_ptr(&record[i].cache[k]) == e) return; /* a leak, no more */
    free(e);
#else
    (void)e;
#endif
}

PLUMB_OBJECT("queue")
PLUMB_SETUP { ck_hp_fifo_init(&q, malloc(sizeof(ck_hp_fifo_entry_t))); }
PLUMB_OP(enq, v) {
    ck_hp_fifo_enqueue_mpmc(record_now(), &q, malloc(sizeof(ck_hp_fifo_entry_t)), (void *)(intptr_t)v);
    return plumb_none();
}
PLUMB_OP(deq) {
    void *v;
    ck_hp_fifo_entry_t *done = ck_hp_fifo_dequeue_mpmc(record_now(), &q, &v);
    if (!done) return plumb_empty();
    ck_hp_clear(own);
    retire(done);
    return plumb_int((intptr_t)v);
}
PLUMB_THREADS("enq(1) | enq(2) enq(3) deq deq")
