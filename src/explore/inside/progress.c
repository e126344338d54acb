/* Which operations wait for another thread, and which repeat a loop because of one: what authors who claim
 * obstruction-freedom, lock-freedom or wait-freedom want to know. Herlihy, Shavit: On the nature of progress, OPODIS
 * 2011.
 *
 * Who is disabled in the middle of an operation would not end it if all others stopped now: then it is not
 * obstruction-free, and neither lock-free nor wait-free. Who begins another iteration of a loop that was proved pure
 * does so because others interfered, and they may do so for ever: then it is not wait-free. A
 * compare-and-swap that fails and is tried again in the same operation counts as such a loop. What is not seen is not
 * proven. */
#include "explore/inside/progress.h"
#include "explore/inside/scheduler.h"
#include "explore/inside/spin.h"

enum { SEEN_MAX = 64 };

static machine_wait seen[SEEN_MAX] PROCESS_STATE;
static unsigned seen_count PROCESS_STATE;
static bool wanted PROCESS_STATE;
static const driver *watched PROCESS_STATE;
static int picked PROCESS_STATE; /* the thread that took the last step; -1: none */
/* the compare-and-swap that failed last, and in which operation */
static struct {
    uintptr_t pc;
    uint32_t op;
} lost[THREADS_MAX] PROCESS_STATE;

static void see(const plumb_item *item, uintptr_t pc, bool repeats) {
    for (unsigned i = 0; i < seen_count; i++)
        if (seen[i].operation == item && seen[i].pc == pc && seen[i].repeats == repeats) return;
    if (seen_count < SEEN_MAX) seen[seen_count++] = (machine_wait){item, pc, repeats};
}

/* A compare-and-swap that failed and is tried again: in loops that are not pure this is how repeating is noticed. */
static void see_retry(const world *w) {
    unsigned t = (unsigned)picked;
    INVARIANT(t < w->threads);
    const fiber *f = fiber_at(t);
    if (w->last.kind == STEP_CAS && w->last.flags & STEP_FAILED && !f->spin.faked) { /* no other thread is to blame */
        lost[t].pc = w->last.pc;
        lost[t].op = f->operation.number;
    }
    if (!(w->live >> t & 1) || !f->operation.item || w->pending[t].kind != STEP_CAS) return;
    if (lost[t].pc == w->pending[t].pc && lost[t].op == f->operation.number && f->operation.state == OPERATION_VISIBLE)
        see(f->operation.item, lost[t].pc, true);
}

static int watch_pick(void *self, world *w) {
    (void)self;
    if (picked >= 0) see_retry(w);
    for (thread_set left = w->live & ~w->enabled; left; left &= left - 1) {
        unsigned t = thread_lowest(left);
        const step *s = &w->pending[t];
        const plumb_item *item = fiber_at(t)->operation.item;
        if (!item || s->kind == STEP_JOIN) continue;
        /* what it looked at is as it was: it waits for a change */
        if (thread_is_assumed(t)) see(item, s->pc, spin_foresee(fiber_at(t), s) != SPIN_STAYS);
        else if (s->flags & STEP_WAITS && !step_enabled(fiber_at(t), s)) see(item, s->pc, false);
    }
    return picked = watched->pick(watched->self, w);
}

static unsigned watch_choose(void *self, world *w, unsigned n, choice_kind kind) {
    (void)self;
    return watched->choose(watched->self, w, n, kind);
}

ending machine_run_watched(world *w, const driver *d) {
    static const driver watcher = {.pick = watch_pick, .choose = watch_choose};
    if (!wanted) return machine_run(w, d);
    watched = d;
    picked = -1;
    memset(lost, 0, sizeof lost);
    return machine_run(w, &watcher);
}

void machine_watch(bool progress) { wanted = progress; }
bool progress_wanted(void) { return wanted; }

unsigned machine_waits(const machine_wait **list) {
    *list = seen;
    return seen_count;
}
