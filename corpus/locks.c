/* Spin locks around a counter: ticket lock (default) or MCS lock (-DMCS).
 *
 * BUG_TICKET: the ticket is drawn by reading and writing: two threads draw the same number.
 * BUG_MCS: release takes a missing successor for "none waits" without asking the tail again: one waits forever. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stddef.h>

#if defined MCS || defined BUG_MCS
typedef struct waiter {
    _Atomic(struct waiter *) next;
    atomic_bool waits;
} waiter;
static _Atomic(waiter *) last;
static _Thread_local waiter me;

static void lock(void) {
    atomic_store(&me.next, (waiter *)0);
    atomic_store(&me.waits, true);
    waiter *before = atomic_exchange(&last, &me);
    if (!before) return;
    atomic_store(&before->next, &me);
    while (atomic_load(&me.waits)) {}
}

static void unlock(void) {
    waiter *next = atomic_load(&me.next), *mine = &me;
#ifdef BUG_MCS
    if (!next) {
        atomic_compare_exchange_strong(&last, &mine, (waiter *)0);
        return;
    }
#else
    if (!next) {
        if (atomic_compare_exchange_strong(&last, &mine, (waiter *)0)) return;
        while (!(next = atomic_load(&me.next))) {}
    }
#endif
    atomic_store(&next->waits, false);
}
#else
static atomic_int next_ticket, served;

static void lock(void) {
#ifdef BUG_TICKET
    int mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);
#else
    int mine = atomic_fetch_add(&next_ticket, 1);
#endif
    while (atomic_load(&served) != mine) {}
}

static void unlock(void) { atomic_fetch_add(&served, 1); }
#endif

static int counter; /* plain: the lock has to protect it */

PLUMB_OBJECT("fetch-add")
PLUMB_OP(add, n) {
    lock();
    int before = counter;
    counter = before + (int)n;
    unlock();
    return plumb_int(before);
}
PLUMB_THREADS("add(1) | add(1)")
PLUMB_THREADS("add(1) add(1) | add(1)")
