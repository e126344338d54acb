/* The question to the strategy, whenever every thread stands before a step. */
#include "explore/inside/scheduler.h"
#include "explore/inside/signals.h"

#include "explore/inside/buffers.h"
#include "explore/inside/check.h"
#include "explore/inside/detail.h"
#include "explore/inside/failures.h"
#include "explore/inside/handlers.h"
#include "explore/inside/locks.h"
#include "explore/inside/rounds.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/state.h"
#include "explore/inside/thread_life.h"
#include "explore/inside/windows.h"

#include <stdio.h>

scheduler_state scheduler EXECUTION_STATE;
scheduler_run scheduled PROCESS_STATE;

void scheduler_start(const driver *d) {
    INVARIANT(d->pick && d->choose && (!d->knowns || d->known));
    scheduled.driver = d;
    states_begin(d);
    rounds_begin();
    scheduled.passes =
        d->foresees && !windows_open() && !detail_wanted() && !options_now()->blocking && !options_now()->buffers;
    explored_world.stays = false;
    explored_world.passed = 0;
}

void scheduler_reset(void) { explored_world.enabled = 0; }

/* ---- no thread is enabled ---- */

static __attribute__((cold, noinline)) void deadlock_report(thread_set live) {
    const world *w = world_now();
    char who[230] = "";
    size_t at = 0;
    for (unsigned t = 0; t < w->threads; t++) {
        const step *s = &w->pending[t];
        if (!(live >> t & 1) || at >= sizeof who - 1) continue;
        at += (size_t)snprintf(who + at, sizeof who - at, "%s thread %u ", at ? "," : "", t);
        if (at < sizeof who && s->kind == STEP_JOIN) at += (size_t)snprintf(who + at, sizeof who - at, "joins");
        else if (at < sizeof who)
            at += (size_t)snprintf(who + at, sizeof who - at, "waits for %#lx", (unsigned long)s->at[0].address);
        if (at < sizeof who) at += (size_t)snprintf(who + at, sizeof who - at, " at %#lx", (unsigned long)s->pc);
    }
    fail(FAILURE_DEADLOCK, "no thread can go on:%s", who);
}

static spin_prospect foresee(unsigned thread) { return spin_foresee(fiber_at(thread), &world_now()->pending[thread]); }

/* Threads stopped in pure loops are left. In another execution they go on, unless nothing is left that could ever let
 * them: not to know that of any of them is not to know whether this is a livelock. */
static __attribute__((noinline)) void assumed_end(thread_set live) {
    bool goes_on = false, unknown = false;
    for (unsigned t = 0; t < world_now()->threads; t++) {
        if (!(live >> t & 1)) continue;
        goes_on |= foresee(t) == SPIN_GOES_ON;
        unknown |= foresee(t) == SPIN_UNKNOWN;
    }
    if (unknown && !goes_on) execution_end(ENDED_BOUND);
    const thread_set looking = live & ~scheduler.joining;
    if (!goes_on)
        fail(FAILURE_LIVELOCK, "thread %d waits for ever at %#lx: no thread is left that could change what it looks at",
             thread_lowest(looking), (unsigned long)world_now()->pending[thread_lowest(looking)].pc);
    execution_end(ENDED_ASSUMED);
}

/* One of them stopped in a pure loop though what it looks at has changed since: it would have gone on. */
static bool any_could_go_on(thread_set in_pure_loops) {
    for (thread_set left = in_pure_loops; left; left &= left - 1)
        if (foresee(thread_lowest(left)) != SPIN_STAYS) return true;
    return false;
}

/* Spinning may be counted by the code itself: a thread that waits by choice goes on in another execution. For the
 * others nothing will ever change: before that is called a livelock each looks on, for as long as real code counts. */
static thread_set spinning_end(thread_set spinning) {
    for (thread_set left = spinning; left; left &= left - 1)
        if (fiber_at(thread_lowest(left))->spin.by_choice) execution_end(ENDED_ASSUMED);
    for (thread_set left = spinning; left; left &= left - 1) {
        fiber *f = fiber_at(thread_lowest(left));
        if (f->spin.sure) continue;
        spin_will_look_on(f);
        return left & -left;
    }
    return 0;
}

/* A timed wait runs out, or a spinning thread goes round once more. */
static __attribute__((noinline)) thread_set none_enabled(void) {
    const world *w = world_now();
    thread_set live = w->live, spinning = 0, awaiting = 0;
    for (unsigned t = 0; t < w->threads; t++) {
        if (!((live & ~scheduler.assumed) >> t & 1)) continue;
        if (wait_times_out(fiber_at(t))) return thread_bit(t);
        if (w->pending[t].flags & STEP_AWAIT) awaiting |= thread_bit(t);
        else if (fiber_at(t)->spin.spinning) spinning |= thread_bit(t);
    }
    if (UNLIKELY(signals_are_sent()) && handlers_are_due(live)) execution_end(ENDED_ASSUMED);
    const thread_set in_pure_loops = scheduler.assumed | awaiting;
    if ((!spinning && in_pure_loops) || any_could_go_on(in_pure_loops)) assumed_end(live);
    if (!spinning) deadlock_report(live);
    const thread_set looks_on = spinning_end(spinning);
    if (looks_on) return looks_on;
    if (in_pure_loops) assumed_end(live);
    fail(FAILURE_LIVELOCK,
         "every thread that could go on spins, and nothing changes any more (thread %d among them, at %#lx)",
         thread_lowest(spinning), (unsigned long)w->pending[thread_lowest(spinning)].pc);
}

/* As it sees memory itself. */
static bool thread_enabled(unsigned t) {
    const step *s = &world_now()->pending[t];
    if (!buffers_wanted() || buffer_is_empty(t)) return step_enabled(fiber_at(t), s);
    buffers_over(fiber_at(t));
    const bool enabled = step_enabled(fiber_at(t), s);
    buffers_aside();
    return enabled;
}

/* Those of a set of threads that wait for something which has come about. */
static thread_set enabled_among(thread_set waiting) {
    thread_set enabled = 0;
    for (thread_set left = waiting; left; left &= left - 1) {
        unsigned t = thread_lowest(left);
        if (thread_enabled(t)) enabled |= thread_bit(t);
    }
    return enabled;
}

static thread_set awaiting_threads(void) {
    const world *w = world_now();
    thread_set awaiting = 0;
    for (thread_set left = w->live & scheduler.waiting; left; left &= left - 1)
        if (w->pending[thread_lowest(left)].flags & STEP_AWAIT) awaiting |= left & -left;
    return awaiting;
}

/* Each of them goes round a loop that it will not leave, and the others wait as well. */
static bool go_round_for_ever(thread_set going) {
    for (thread_set left = going; left; left &= left - 1)
        if (!spin_is_endless(&world_now()->pending[thread_lowest(left)])) return false;
    return !(going & ~world_now()->goes_round) && !any_could_go_on(scheduler.assumed | awaiting_threads());
}

/* All that could go on waits, as far as the strategy of graphs knows: for ever, if memory says so, too. */
_Noreturn static void blocked_end(void) {
    const thread_set candidates = world_now()->live & ~scheduler.assumed;
    const thread_set going = (candidates & ~scheduler.waiting) | enabled_among(candidates & scheduler.waiting);
    if (!going) none_enabled();
    if (go_round_for_ever(going))
        fail(FAILURE_LIVELOCK, "thread %d goes round for ever at %#lx: what it looks at changes no more",
             thread_lowest(going), (unsigned long)world_now()->pending[thread_lowest(going)].pc);
    execution_end(ENDED_ASSUMED);
}

static thread_set enabled_find(void) {
    const thread_set candidates = world_now()->live & ~scheduler.assumed;
    thread_set enabled = (candidates & ~scheduler.waiting) | enabled_among(candidates & scheduler.waiting);
    /* one that waits for a change may read an older message: the strategy knows */
    if (options_now()->messages) enabled |= candidates & awaiting_threads();
    /* kind_goes_first: done as soon as it can be, nothing is lost */
    const thread_set eager = scheduled.driver->any_order ? 0 : scheduler.first;
    const thread_set first = (scheduler.joining | eager) & enabled;
    if (first && !options_now()->messages) return first & -first;
    return enabled ? enabled : none_enabled();
}

/* ---- the question ---- */

/* A thread that runs ahead is not the one that the driver stays with. While a thread joins each step is looked at. */
static inline void free_steps_find(const fiber *f) {
    const world *w = world_now();
    bool any = w->stays && scheduled.passes && !scheduler.joining && !f->spin.hurry && !signals_are_explored();
    const uint32_t most = options_now()->most_steps < rounds_next() ? options_now()->most_steps : rounds_next(),
                   left = w->steps < most ? most - w->steps : 0;
    free_steps_set(!any ? 0 : left < PASSED_MAX ? left : PASSED_MAX);
}

/* A pick that is known needs no question: what is not looked at is brought up to date before the next one. */
static inline int pick_known(void) {
    world *w = &explored_world;
    const driver *d = scheduled.driver;
    unsigned t = d->known[w->steps];
    INVARIANT(w->steps < d->knowns && t < THREADS_MAX);
    if (UNLIKELY(!((w->live & ~scheduler.waiting & ~scheduler.assumed) >> t & 1))) return PICK_STOP;
    if (scheduler.refreshed >> t & 1) pending_refresh_thread(t);
    scheduler.stale = true;
    w->stays = w->steps + 1 == d->knowns && d->stays;
    return (int)t;
}

static __attribute__((noinline)) int pick_asked(void) {
    world *w = &explored_world;
    /* After a step that only read, every pending step is as it was; the newest one was refreshed when it was
     * described. */
    if (w->last.at[0].role != PLACE_READ || !w->steps || scheduler.stale)
        for (thread_set left = scheduler.refreshed & w->live; left; left &= left - 1)
            pending_refresh_thread(thread_lowest(left));
    scheduler.stale = w->stays = false;
    w->enabled = enabled_find();
    INVARIANT(w->enabled && !(w->enabled & ~w->live) && !(w->enabled & scheduler.assumed));
    CHECK_MACHINE();
    if (UNLIKELY(w->steps >= options_now()->most_steps)) execution_end(ENDED_BOUND);
    rounds_look();
    mode_aside();
    int t = scheduled.driver->pick(scheduled.driver->self, w);
    mode_back(RECORDING);
    if (UNLIKELY(t == PICK_BLOCKED)) blocked_end();
    if (UNLIKELY(t < 0)) execution_end(ENDED_PRUNED);
    if (UNLIKELY(t >= THREADS_MAX || !(w->enabled >> t & 1)))
        fail(FAILURE_DIVERGED, "step %u: thread %d was to go on, but cannot: the program did not repeat itself",
             w->steps, t);
    return t;
}

/* The thread that goes on, or the buffer whose oldest store does. */
static unsigned number_choose(void) {
    const world *w = world_now();
    const driver *d = scheduled.driver;
    if (UNLIKELY(snapshot_is_due()) && !d->foresees) fiber_keep();
    int t = w->steps < d->knowns ? pick_known() : PICK_STOP;
    if (t == PICK_STOP) {
        t = pick_asked();
        if (w->branches && snapshot_is_due() && d->foresees) {
            fiber_keep();
            /* another execution, which begins here */
            if (w->steps < scheduled.driver->knowns) return number_choose();
        }
    }
    return (unsigned)t;
}

fiber *fiber_choose(void) {
    const world *w = world_now();
    free_steps_set(0);
    if (buffers_wanted()) buffers_aside();
    unsigned t = number_choose();
    for (; is_buffer(t); t = number_choose()) {
        trail_extend();
        buffer_flush(t);
    }
    fiber *f = fiber_at(t);
    if (buffers_wanted()) buffers_over(f);
    INVARIANT(w->live >> t & 1 && f->state == FIBER_LIVE && !(scheduler.assumed >> t & 1));
    ONE_REGISTER(f);
    trail_extend();
    step_commit(f);
    free_steps_find(f);
    INVARIANT(f->step.last == w->steps - 1 && w->steps <= options_now()->most_steps);
    return f;
}

/* The driver stays with the thread that goes on: true if it need not be asked, and then the next step is made. */
static inline bool step_passes(fiber *f) {
    world *w = &explored_world;
    unsigned t = f->number;
    if (buffers_wanted()) return false;
    if (!w->stays || !scheduled.driver->foresees || (scheduler.waiting | scheduler.assumed) >> t & 1 ||
        w->pending[t].kind == STEP_YIELD)
        return false;
    if (w->passed == PASSED_MAX || w->steps >= options_now()->most_steps || rounds_are_due() ||
        (scheduler.joining && enabled_among(scheduler.joining & w->live)))
        return false;
    last_pass(w);
    step_commit(f);
    return true;
}

/* What graphs have no events for ends the run by name. */
static void check_is_modelled(const step *s) {
    static const char *const names[STEP_KINDS] = {
        [STEP_RDLOCK] = "a lock for reading",
        [STEP_TRYRDLOCK] = "a lock for reading",
        [STEP_BARRIER] = "a barrier",
        [STEP_ACQUIRE] = "a semaphore",
        [STEP_TRYACQUIRE] = "a semaphore",
        [STEP_RELEASE] = "a semaphore",
        [STEP_FUTEX_WAIT] = "a futex",
        [STEP_FUTEX_WAKE] = "a futex",
        [STEP_ONCE] = "a static initializer or once",
        [STEP_CLOCK] = "a look at the clock",
    };
    if (names[s->kind])
        fail(FAILURE_UNMODELLED, "%s at %#lx under a weak memory model", names[s->kind], (unsigned long)s->pc);
}

void step_take(void) {
    fiber *f = fiber_now();
    if (UNLIKELY(options_now()->messages)) check_is_modelled(&world_now()->pending[f->number]);
    INVARIANT(mode_now() == RECORDING && world_now()->live >> f->number & 1);
    if (UNLIKELY(f->spin.hurry)) spin_steps(f, &world_now()->pending[f->number]);
    if (windows_open()) windows_update(f);
    if (rounds_are_due()) image_make_now();
    else image_take();
    if (UNLIKELY(f->eager)) {
        f->eager = false;
        fiber_switch(fiber_at(f->back));
    } else if (!step_passes(f)) {
        fiber_switch(fiber_choose());
    }
    INVARIANT(fiber_now() == f && mode_now() == RECORDING); /* it runs again, and no other does */
    INVARIANT(f->step.last == world_now()->steps - 1);      /* the last step is the one that it described */
    stack_clean();
    if (UNLIKELY(detail_wanted())) plumb_explore_step(world_now()->steps - 1, fiber_now()->number);
}

/* Schedules have a byte for each. */
static void refuse_many(unsigned n, choice_kind kind) {
    if (kind == CHOICE_OF_MESSAGE)
        fail(FAILURE_UNMODELLED, "%u writes of one place, of which at most %d are modelled, under a weak memory model",
             n, UINT8_MAX);
    fail(FAILURE_UNMODELLED, "a choice among %u, of which at most %d are modelled, in thread %u", n, UINT8_MAX,
         fiber_now()->number);
}

unsigned world_choose(unsigned n, choice_kind kind) {
    volatile_settle();
    if (UNLIKELY(n > UINT8_MAX)) refuse_many(n, kind);
    world *w = &explored_world;
    if (n <= 1) return 0;
    const mode before = mode_aside();
    unsigned c = scheduled.driver->choose(scheduled.driver->self, w, n, kind);
    mode_back(before);
    w->choices++;
    stack_clean();
    if (c >= n) fail(FAILURE_DIVERGED, "alternative %u of %u was chosen: the program did not repeat itself", c, n);
    return c;
}

/* A live thread stands before a step, and what is known of pending steps is of live threads. */
void scheduler_check(void) {
    const world *w = world_now();
    const thread_set created = ((thread_set)2 << (world_numbers(w) - 1)) - 1;
    INVARIANT(!(w->live & ~created) && !((scheduler.waiting | scheduler.refreshed) & ~created));
    INVARIANT(!(scheduler.joining & ~scheduler.waiting));
    INVARIANT(w->passed <= PASSED_MAX);
    for (unsigned t = 0; t < w->threads; t++) {
        const fiber *f = fiber_at(t);
        INVARIANT(w->creator[t] <= t && w->created_at[t] <= w->steps && w->windows[t] <= WINDOWS_MAX);
        INVARIANT((f->state == FIBER_LIVE) == (w->live >> t & 1) || t == 0); /* which may be parked */
        if (!(w->live >> t & 1)) continue;
        INVARIANT(!(scheduler.assumed >> t & 1) || w->pending[t].flags & STEP_ASSUMED);
        INVARIANT(!(scheduler.waiting >> t & 1) || (f->wait.kind != WAIT_NONE && w->pending[t].flags & STEP_WAITS));
        INVARIANT(!(scheduler.refreshed >> t & 1) || f->step.update != UPDATE_NONE);
        INVARIANT(w->pending[t].kind < STEP_KINDS && w->pending[t].at[0].role <= PLACE_DRAIN);
    }
}
