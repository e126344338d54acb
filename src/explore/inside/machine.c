/* One execution at a time: clean memory, fibers for threads, and the question to the strategy whenever everybody stands
 * before a step. */
#include "explore/inside/snapshot.h"

#include <stdio.h>

enum { FORCED_MOST = 64 }; /* rounds of spinning in which nothing changes before we call it a livelock */

static struct {
    int (*main)(int, char **, char **);
    int argc;
    char **argv, **envp;
} program;
static explored_operation operations[OPERATIONS_MAX];

/* ---- describing a step ---- */

void step_second(uintptr_t address, uint32_t size, place_role role) {
    m.world.pending[m.now->number].at[1] = (place){address, size, (uint8_t)role};
}

void step_waits(wait_kind wait, uintptr_t on) {
    m.now->waits = (uint8_t)wait, m.now->waits_on = on;
    m.waiting |= (thread_set)1 << m.now->number;
    m.world.pending[m.now->number].flags |= STEP_WAITS;
}

void step_refreshes(update u, uint64_t operand, uint64_t operand_high) {
    fiber *f = m.now;
    f->update = (uint8_t)u, f->operand = operand, f->operand_high = operand_high;
    m.refreshed |= (thread_set)1 << f->number;
    pending_refresh(f, &m.world.pending[f->number]);
}

/* ---- the question ---- */

static uint64_t update_result(const fiber *f, uint64_t now, uint32_t size) {
    uint64_t v = f->operand, r = now;
    switch ((update)f->update) {
    case UPDATE_SET:
    case UPDATE_CAS: r = v; break;
    case UPDATE_ADD: r = now + v; break;
    case UPDATE_SUB: r = now - v; break;
    case UPDATE_AND: r = now & v; break;
    case UPDATE_OR: r = now | v; break;
    case UPDATE_XOR: r = now ^ v; break;
    case UPDATE_NAND: r = ~(now & v); break;
    case UPDATE_NONE:
    case UPDATE_UNKNOWN: break;
    }
    return size < 8 ? r & ((UINT64_C(1) << 8 * size) - 1) : r;
}

/* An update that would leave memory as it is, is a read: it commutes with other reads (EXPLORER-TRACES, lever C2). */
static __attribute__((noinline)) void pending_refresh_any(fiber *f, step *s) {
    uintptr_t a = s->at[0].address;
    uint32_t size = s->at[0].size;
    uint64_t now = memory_at(a, size), high = size == 16 ? memory_at(a + 8, 8) : 0;
    bool fails = f->update == UPDATE_CAS && (now != s->expected || high != s->expected_high);
    bool known = f->update != UPDATE_UNKNOWN && (size <= 8 || f->update == UPDATE_SET || f->update == UPDATE_CAS);
    bool same = known && update_result(f, now, size) == now && (size <= 8 || f->operand_high == high);
    s->flags = (uint8_t)(s->flags & ~(STEP_FAILED | STEP_MARKER));
    if (fails) s->flags |= STEP_FAILED;
    s->at[0].role = fails || same ? PLACE_READ : PLACE_WRITE;
    if (!fails && !same && s->kind != STEP_WRITE) s->flags |= STEP_MARKER;
    s->value = now, s->high = high;
}

void pending_refresh(fiber *f, step *s) {
    if (f->update != UPDATE_CAS || s->at[0].size != 8) {
        pending_refresh_any(f, s);
        return;
    }
    uint64_t now = memory_at(s->at[0].address, 8);
    bool fails = now != s->expected, writes = !fails && f->operand != now;
    s->flags =
        (uint8_t)((s->flags & ~(STEP_FAILED | STEP_MARKER)) | (fails ? STEP_FAILED : 0) | (writes ? STEP_MARKER : 0));
    s->at[0].role = writes ? PLACE_WRITE : PLACE_READ;
    s->value = now, s->high = 0;
}

/* The program has executed the store, or the instruction, that the last step stood before: now its value is known. */
void last_settle(void) {
    step *s = &m.world.last;
    m.settle = false;
    s->value = memory_at(s->at[0].address, s->at[0].size);
    if (m.windows) windows_wrote(s->at[0].address, s->at[0].size, m.settle_old, s->value);
    if (s->kind != STEP_UPDATE) return;
    bool same = s->value == m.settle_old;
    s->at[0].role = same ? PLACE_READ : PLACE_WRITE;
    if (same) s->flags = (uint8_t)(s->flags & ~STEP_MARKER), spin_saw(s, s->value, m.settle_sp);
    else spin_forget(m.now);
}

static __attribute__((cold, noinline)) void deadlock_report(thread_set live) {
    char who[230] = "";
    size_t at = 0;
    for (unsigned t = 0; t < m.world.threads; t++) {
        const step *s = &m.world.pending[t];
        if (!(live >> t & 1) || at >= sizeof who - 1) continue;
        at += (size_t)snprintf(who + at, sizeof who - at, "%s thread %u ", at ? "," : "", t);
        if (at < sizeof who && s->kind == STEP_JOIN) at += (size_t)snprintf(who + at, sizeof who - at, "joins");
        else if (at < sizeof who)
            at += (size_t)snprintf(who + at, sizeof who - at, "waits for %#lx", (unsigned long)s->at[0].address);
        if (at < sizeof who) at += (size_t)snprintf(who + at, sizeof who - at, " at %#lx", (unsigned long)s->pc);
    }
    fail(FAILURE_DEADLOCK, "nobody can go on:%s", who);
}

/* Threads stopped in pure loops are left. Elsewhere they go on, unless nothing is left that could ever let them. */
static __attribute__((noinline)) void assumed_end(thread_set live) {
    bool stuck = true;
    for (unsigned t = 0; t < m.world.threads; t++)
        if (live >> t & 1) stuck &= spin_is_stuck(&m.fiber[t], &m.world.pending[t]);
    if (stuck)
        fail(FAILURE_LIVELOCK, "thread %d waits for ever at %#lx: nobody is left who could change what it looks at",
             __builtin_ctz(live), (unsigned long)m.world.pending[__builtin_ctz(live)].pc);
    execution_end(ENDED_ASSUMED);
}

/* One of them stopped in a pure loop though what it looks at has changed since: it would have gone on. */
static bool assumed_could_go_on(void) {
    for (thread_set left = m.assumed; left; left &= left - 1) {
        unsigned t = (unsigned)__builtin_ctz(left);
        if (!spin_is_stuck(&m.fiber[t], &m.world.pending[t])) return true;
    }
    return false;
}

/* Nobody can go on: a timed wait runs out, or somebody spins once more. Spinning may be counted by the code itself, so
 * it is a livelock only after many rounds in which nobody changed anything. */
static __attribute__((noinline)) thread_set nobody_enabled(void) {
    const world *w = &m.world;
    thread_set live = w->live, spinning = 0, awaiting = 0;
    for (unsigned t = 0; t < w->threads; t++) {
        if (!((live & ~m.assumed) >> t & 1)) continue;
        if (m.fiber[t].timed && m.waiting >> t & 1) return m.fiber[t].timed_out = true, (thread_set)1 << t;
        if (w->pending[t].flags & STEP_AWAIT) awaiting |= (thread_set)1 << t;
        else if (m.fiber[t].spinning) spinning |= (thread_set)1 << t;
    }
    if ((!spinning && (m.assumed | awaiting)) || assumed_could_go_on()) assumed_end(live);
    if (!spinning) deadlock_report(live);
    bool many = m.forced++ >= FORCED_MOST * (uint32_t)__builtin_popcount(spinning);
    if (many && (m.assumed | awaiting)) assumed_end(live);
    if (many)
        fail(FAILURE_LIVELOCK,
             "every thread that could go on spins, and nothing changes any more (thread %d among them, at %#lx)",
             __builtin_ctz(spinning), (unsigned long)m.world.pending[__builtin_ctz(spinning)].pc);
    unsigned skip = m.forced % (unsigned)__builtin_popcount(spinning);
    while (skip--) spinning &= spinning - 1;
    return spinning & -spinning;
}

static thread_set enabled_find(void) {
    thread_set enabled = m.world.live & ~m.waiting & ~m.assumed;
    for (thread_set left = m.world.live & m.waiting & ~m.assumed; left; left &= left - 1) {
        unsigned t = (unsigned)__builtin_ctz(left);
        if (step_enabled(&m.fiber[t], &m.world.pending[t])) enabled |= left & -left;
    }
    /* A join commutes with every step of everybody else: done as soon as it can be, nothing is lost. */
    if (m.joining & enabled) enabled = (m.joining & enabled) & -(m.joining & enabled);
    return enabled ? enabled : nobody_enabled();
}

static inline void step_commit(fiber *f) {
    world *w = &m.world;
    const unsigned t = f->number;
    _Static_assert(sizeof(step) % 8 == 0, "whole words");
    words_copy(&w->last, &w->pending[t], sizeof(step) / 8);
    if (w->windows[t]) windows_meet(f, &w->last);
    f->last_step = w->steps++;
    f->quiet = 0;
    if (f->spinning) f->spinning = false, spin_forget(f);
    if (w->last.at[0].role == PLACE_WRITE) m.forced = 0;
    if (f->called) record_visible(f);
}

/* A thread that runs ahead is not the one that the driver stays with. Where somebody joins each step is looked at. */
static inline void free_steps_find(void) {
    const world *w = &m.world;
    bool any = w->stays && m.passes && !m.joining;
    uint32_t left = m.options.most_steps - w->steps;
    m.free_steps = !any ? 0 : left < PASSED_MAX ? left : PASSED_MAX;
}

/* A pick that is known needs no question: what nobody looks at is brought up to date before the next one. */
static inline int pick_known(void) {
    world *w = &m.world;
    unsigned t = m.driver->known[w->steps];
    if (UNLIKELY(!((w->live & ~m.waiting & ~m.assumed) >> t & 1))) return PICK_STOP;
    if (m.refreshed >> t & 1) pending_refresh(&m.fiber[t], &w->pending[t]);
    m.stale = true;
    w->stays = w->steps + 1 == m.driver->knowns && m.driver->stays;
    return (int)t;
}

static __attribute__((noinline)) int pick_asked(void) {
    world *w = &m.world;
    /* After a step that only read, every pending step is as it was; the newest one was refreshed when it was
     * described. */
    if (w->last.at[0].role != PLACE_READ || !w->steps || m.stale)
        for (thread_set left = m.refreshed & w->live; left; left &= left - 1) {
            unsigned t = (unsigned)__builtin_ctz(left);
            pending_refresh(&m.fiber[t], &w->pending[t]);
        }
    m.stale = w->stays = false;
    w->enabled = enabled_find();
    if (UNLIKELY(w->steps >= m.options.most_steps)) execution_end(ENDED_BOUND);
    m.mode = OUTSIDE;
    int t = m.driver->pick(m.driver->self, w);
    m.mode = RECORDING;
    if (UNLIKELY(t < 0)) execution_end(ENDED_PRUNED);
    if (UNLIKELY(t >= THREADS_MAX || !(w->enabled >> t & 1)))
        fail(FAILURE_DIVERGED, "step %u: thread %d was to go on, but cannot: the program did not repeat itself",
             w->steps, t);
    return t;
}

static fiber *fiber_choose(void) {
    world *w = &m.world;
    m.free_steps = 0;
    if (UNLIKELY(w->steps >= m.keep_at) && !m.driver->foresees) fiber_keep();
    int t = w->steps < m.driver->knowns ? pick_known() : PICK_STOP;
    if (t == PICK_STOP) {
        t = pick_asked();
        if (w->branches && w->steps >= m.keep_at && m.driver->foresees) {
            fiber_keep();
            if (w->steps < m.driver->knowns) return fiber_choose(); /* another execution, which begins here */
        }
    }
    fiber *f = &m.fiber[t];
    ONE_REGISTER(f);
    trail_extend(w);
    step_commit(f);
    free_steps_find();
    return f;
}

static bool somebody_joins(void) {
    for (thread_set left = m.joining & m.world.live; left; left &= left - 1) {
        unsigned t = (unsigned)__builtin_ctz(left);
        if (step_enabled(&m.fiber[t], &m.world.pending[t])) return true;
    }
    return false;
}

/* The driver stays with the thread that goes on: true if it need not be asked, and then the next step is made. */
static inline bool step_passes(fiber *f) {
    world *w = &m.world;
    unsigned t = f->number;
    if (!w->stays || !m.driver->foresees || (m.waiting | m.assumed) >> t & 1 || w->pending[t].kind == STEP_YIELD)
        return false;
    if (w->passed == PASSED_MAX || w->steps >= m.options.most_steps || (m.joining && somebody_joins())) return false;
    last_pass(w);
    step_commit(f);
    return true;
}

void step_take(void) {
    fiber *f = m.now;
    if (m.windows) windows_update(f);
    if (UNLIKELY(f->eager)) {
        f->eager = false;
        fiber_switch(&m.fiber[f->back]);
    } else if (!step_passes(f)) {
        fiber_switch(fiber_choose());
    }
    if (UNLIKELY(m.detailed)) plumb_explore_step(m.world.steps - 1, m.now->number);
}

unsigned world_choose(unsigned n, choice_kind kind) {
    if (n <= 1) return 0;
    uint8_t before = m.mode;
    m.mode = OUTSIDE;
    unsigned c = m.driver->choose(m.driver->self, &m.world, n, kind);
    m.mode = before;
    m.world.choices++;
    if (c >= n) fail(FAILURE_DIVERGED, "alternative %u of %u was chosen: the program did not repeat itself", c, n);
    return c;
}

/* ---- the life of threads ---- */

void mode_refresh(void) { mode_set(m.unjoined ? RECORDING : ALONE); }

_Noreturn static inline __attribute__((always_inline)) void execution_end_here(ending e) {
    m.world.ending = e;
    execution_leave();
}

_Noreturn void execution_end(ending e) { execution_end_here(e); }

_Noreturn static inline void thread_ends_here(void) {
    fiber *f = m.now;
    world *w = &m.world;
    f->state = FIBER_ENDED;
    w->windows[f->number] = 0;
    /* Who joins this thread is ordered after its last step: that step is still the last one of all, and now known as
     * such. */
    if (f->last_step != NO_STEP && f->last_step == w->steps - 1 && w->last.at[1].role == PLACE_UNUSED)
        w->last.at[1] = (place){f->stack, 1, PLACE_RELEASE};
    w->live &= ~((thread_set)1 << f->number);
    if (f->eager) {
        f->eager = false;
        fiber_leave(&m.fiber[f->back]);
    }
    if (m.settle) last_settle();
    if (!w->live && m.parked) {
        m.parked = false, m.unjoined = 0;
        w->live = 1;
        mode_refresh();
        /* as scenario_body would */
        if (!scenario_has_after(m.scenario) && !m.options.leaks) execution_end_here(ENDED_WELL);
        fiber_leave(&m.fiber[0]);
    }
    if (!w->live) execution_end_here(ENDED_WELL);
    fiber_leave(fiber_choose());
}

_Noreturn void thread_ends(void) { thread_ends_here(); }

static void scenario_thread_body(fiber *f) {
    scenario_run_thread(m.scenario, f->number - 1u);
    thread_finish();
    thread_ends_here();
}

static void thread_run_ahead(fiber *f, unsigned group) {
    world *w = &m.world;
    unsigned t = f->number;
    w->creator[t] = m.now->number;
    w->created_at[t] = w->steps;
    w->live |= (thread_set)1 << t;
    w->group[t] = (uint8_t)group;
    m.unjoined++;
    mode_refresh();
    races_create(f);
    f->eager = true;
    f->back = m.now->number;
    fiber_switch(f);
}

static void scenario_body(fiber *f) {
    (void)f;
    const scenario *s = m.scenario;
    scenario_run_before(s);
    unsigned n = scenario_threads(s);
    for (unsigned t = 0; t < n; t++) thread_run_ahead(fiber_new(scenario_thread_body), scenario_group(s, t));
    if (n) {
        m.world.live &= ~(thread_set)1;
        m.parked = m.world.live != 0;
        if (m.parked) fiber_switch(fiber_choose());
        else m.world.live = 1, m.unjoined = 0, mode_refresh();
    }
    scenario_run_after(s);
    if (m.options.leaks) heap_check_leaks();
    execution_end_here(ENDED_WELL);
}

/* A `main` that returns while others run waits for them: their steps would else be cut off by the end of the
 * process. */
static void main_body(fiber *f) {
    (void)f;
    int status = program.main(program.argc, program.argv, program.envp);
    if (status) fail(FAILURE_ASSERTION, "main returned %d", status);
    if (m.options.leaks && !m.unjoined) heap_check_leaks();
    thread_ends();
}

static void pthread_body(fiber *f) {
    if (f->run_c11) f->result = (void *)(intptr_t)f->run_c11(f->argument);
    else f->result = f->run(f->argument);
    thread_finish();
    thread_ends_here();
}

fiber *thread_start(void *(*run)(void *), int (*run_c11)(void *), void *argument) {
    fiber *f = fiber_new(pthread_body);
    f->run = run, f->run_c11 = run_c11, f->argument = argument;
    thread_run_ahead(f, 0);
    return f;
}

/* ---- the front ---- */

bool machine_open(const machine_options *o, char *wrong, size_t room) {
    m.options = *o;
    if (!m.options.most_steps) m.options.most_steps = 20000;
    if (m.open) return true;
    m.world.ops = operations;
    m.world.values = values_new();
    m.open = heap_open(wrong, room) && fibers_open(wrong, room) && failures_open(wrong, room) && shared_open() &&
             reset_open(wrong, room) && snapshots_open(wrong, room);
    return m.open;
}

void machine_program(const scenario *s) { m.scenario = s, m.uses_main = false; }

void machine_program_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp) {
    program.main = main, program.argc = argc, program.argv = argv, program.envp = envp;
    m.uses_main = true;
}

world *machine_world(void) { return &m.world; }

static void execution_reset(world *w) {
    reset_memory();
    heap_reset();
    fibers_reset();
    record_reset();
    shared_begin();
    w->live = 1, w->enabled = 0, w->steps = 0, w->choices = 0;
    w->last = (step){.kind = STEP_NOTHING};
    w->trail = 0, m.stale = false;
    m.waiting = m.refreshed = m.joining = m.assumed = 0;
    m.unjoined = 0, m.parked = m.settle = false;
    m.forced = 0, m.quiet = 0, m.keys = 0;
    races_reset();
    windows_reset();
}

static inline bool windows_any(const world *w) {
    uint64_t some[sizeof w->windows / 8], all = 0;
    memcpy(some, w->windows, sizeof some);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) all |= some[i];
    return all;
}

TAPE_INLINE void machine_copy_in(tape *t, world *w) {
    tape_copy(t, &m.mode, sizeof m.mode);
    tape_copy(t, &m.now, sizeof m.now);
    tape_copy(t, &m.waiting, offsetof(machine_state, learned) - offsetof(machine_state, waiting));
    tape_copy(t, &w->threads, sizeof w->threads);
    tape_copy(t, &w->live, sizeof w->live);
    tape_copy(t, w->pending, w->threads * sizeof *w->pending);
    _Static_assert(offsetof(world, window) - offsetof(world, creator) == 8 * 16 &&
                       offsetof(world, ops) - offsetof(world, last) == sizeof(step) + 16,
                   "each of a few thread by thread, and what says how far it has come");
    tape_copy(t, w->creator, 8 * 16);
    if (UNLIKELY(windows_any(w)))
        for (unsigned i = 0; i < w->threads; i++) tape_copy(t, w->window[i], w->windows[i] * sizeof w->window[i][0]);
    tape_copy(t, &w->last, sizeof(step) + 16);
    tape_copy(t, &w->op_count, sizeof w->op_count);
    tape_copy(t, w->ops, w->op_count * sizeof *w->ops);
}

void machine_copy(tape *t) { TAPE_BOTH_WAYS(t, machine_copy_in, &m.world); }

static fiber *execution_begin(world *w) {
    execution_reset(w);
    fiber *first = fiber_new(m.uses_main ? main_body : scenario_body);
    w->creator[0] = 0, w->created_at[0] = 0, w->group[0] = 0;
    mode_set(ALONE);
    return first;
}

ending machine_run(world *w, const driver *d) {
    m.driver = d;
    m.learned = false;
    m.plain_filter = m.options.filter && !m.options.blocking;
    w->failure = FAILURE_NONE, w->message[0] = 0, w->ending = ENDED_WELL;
    w->stays = false, w->passed = 0;
    races_begin();
    windows_begin();
    m.passes = d->foresees && !m.windows && !m.detailed && !m.options.blocking;
    fiber *first = snapshot_resume(d) ? m.now : execution_begin(w);
    m.running = true;
    fiber_run(first);
    m.running = false;
    if (m.learned) races_forget();
    if (m.learned && (w->ending != ENDED_BAD || w->failure == FAILURE_DATA_RACE)) w->ending = ENDED_LEARNED;
    return w->ending;
}
