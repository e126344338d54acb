#include "runtime/record/outsiders.h"

/* A slot of its own, which no reader sees: the rest of the recorder finds there what it expects of a thread that does
 * not record. */
void outsider_init(log_writer *w, log_slot *own) {
    log_header *h = w->r->shared.header;
    w->outsider = true;
    w->slot = own;
    *own = (log_slot){.taken = 1};
    w->fast.shared = (plumb_shared *)(void *)own;
    w->number = h->slots + (uint32_t)__atomic_fetch_add(&h->outsiders.threads, 1, __ATOMIC_SEQ_CST); /* plumb_tag */
}

/* The earliest of all: several may come at the same time. */
static void keep_earliest(uint64_t *since, uint64_t key) {
    uint64_t now = __atomic_load_n(since, __ATOMIC_SEQ_CST);
    while ((!now || key < now) &&
           !__atomic_compare_exchange_n(since, &now, key, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

/* `open` first: a reader that finds `calls` unchanged and nothing open afterwards has missed no operation that began
 * before it looked. */
void outsider_begins(log_header *h, uint64_t stamp) {
    keep_earliest(&h->outsiders.since, log_since(stamp));
    __atomic_fetch_add(&h->outsiders.open, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&h->outsiders.calls, 1, __ATOMIC_SEQ_CST);
    AFTER_EXCHANGE();
}

void outsider_ends(log_header *h, bool ghost) {
    if (ghost) __atomic_fetch_add(&h->outsiders.ghosts, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&h->outsiders.open, 1, __ATOMIC_SEQ_CST);
}
