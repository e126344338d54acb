/* ConcurrencyKit's ring (libck-dev), many producers and consumers, as a queue. An enqueue that finds it full had no
 * effect. */
#include <ck_ring.h>

#include "run.h"

enum { ENQ, DEQ, SLOTS = 1024 };

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SLOTS];

static void enqueue(client *c, int64_t v) {
    plumb_call_int(c->log, ENQ, v);
    if (ck_ring_enqueue_mpmc(&ring, buffer, (void *)(intptr_t)v)) plumb_ret_none(c->log);
    else plumb_ret_fail(c->log);
}

static int64_t dequeue(client *c) {
    void *p = NULL;
    if (goes_wrong(c) || !ck_ring_dequeue_mpmc(&ring, buffer, &p)) return 0;
    return (int64_t)(intptr_t)p;
}

static plumb_answer enqueue_guarded(client *c, int64_t v) {
    plumb_guard_call_word(c->me, ENQ, 1, PLUMB_WORD_INT(v));
    return ck_ring_enqueue_mpmc(&ring, buffer, (void *)(intptr_t)v) ? plumb_guard_ret_word(c->me, PLUMB_WORD_NONE)
                                                                    : plumb_guard_fail(c->me);
}

void work(client *c) {
    for (unsigned i = 0; i < c->operations; i++) {
        int64_t v = ((int64_t)c->number << 32 | i) + 1;
        if (dice(c) & 1) {
            if (c->log) enqueue(c, v);
            else if (enqueue_guarded(c, v) != PLUMB_VERIFIED) c->worst = PLUMB_REFUSED;
        } else {
            APPLY(c, DEQ, 0, PLUMB_WORD_NONE, v = dequeue(c), v ? PLUMB_WORD_INT(v) : PLUMB_WORD_EMPTY);
        }
    }
}

int main(int argc, char **argv) {
    ck_ring_init(&ring, SLOTS);
    return run_example(argc, argv, "queue");
}
