/* The front of the machine: one execution at a time, from clean memory or from a snapshot. */
#include "explore/inside/buffers.h"
#include "explore/inside/signals.h"
#include "explore/inside/machine.h"

#include "explore/inside/check.h"
#include "explore/inside/failures.h"
#include "explore/inside/handlers.h"
#include "explore/inside/heap.h"
#include "explore/inside/locks.h"
#include "explore/inside/messages.h"
#include "explore/inside/options.h"
#include "explore/inside/outcome.h"
#include "explore/inside/races.h"
#include "explore/inside/record.h"
#include "explore/inside/reset.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/state.h"
#include "explore/inside/steps.h"
#include "explore/inside/thread_life.h"
#include "explore/inside/windows.h"

enum { STEPS_STANDARD = 20000 };

machine_options machine_options_state PROCESS_STATE;
world explored_world COPIED_STATE;
static bool machine_is_open PROCESS_STATE;

void options_set(const machine_options *o) {
    machine_options_state = *o;
    if (!machine_options_state.most_steps) machine_options_state.most_steps = STEPS_STANDARD;
}

void options_set_blocking(bool blocking) { machine_options_state.blocking = blocking && !signals_are_sent(); }
void options_set_filter(bool filter) { machine_options_state.filter = filter; }
void options_set_messages(bool messages) { machine_options_state.messages = messages; }

bool machine_open(const machine_options *o, char *wrong, size_t room) {
    options_set(o);
    signals_open();
    if (machine_is_open) return true;
    record_open();
    explored_world.state = state_now;
    machine_is_open = heap_open(wrong, room) && fibers_open(wrong, room) && failures_open(wrong, room) &&
                      shared_open() && reset_open(wrong, room) && snapshots_open(wrong, room);
    return machine_is_open;
}

void machine_program(const scenario *s) { threads_run_scenario(s); }

void machine_program_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp) {
    threads_run_main(main, argc, argv, envp);
}

world *machine_world(void) { return &explored_world; }

/* ---- an execution from its start ---- */

static fiber *execution_begin(void) {
    execution_state_clear();
    reset_memory();
    heap_reset();
    fibers_reset();
    record_reset();
    shared_begin();
    threads_reset();
    steps_reset();
    scheduler_reset();
    races_reset();
    windows_reset();
    messages_reset();
    buffers_reset();
    explored_world.buffers = options_now()->buffers;
    return thread_first();
}

/* ---- for snapshots: what the execution has done to the world ---- */

static inline bool windows_any(const world *w) {
    uint64_t some[sizeof w->windows / 8], all = 0;
    memcpy(some, w->windows, sizeof some);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) all |= some[i];
    return all;
}

TAPE_INLINE void world_copy_in(tape *t, world *w) {
    INVARIANT(!t->keeping || (w->threads <= THREADS_MAX && w->op_count <= OPERATIONS_MAX));
    tape_copy(t, &w->threads, sizeof w->threads);
    tape_copy(t, &w->live, sizeof w->live);
    tape_copy(t, w->pending, w->threads * sizeof *w->pending);
    if (messages_wanted()) tape_copy(t, w->access, w->threads * sizeof *w->access);
    _Static_assert(offsetof(world, window) - offsetof(world, creator) == 8 * THREADS_MAX &&
                       offsetof(world, ops) - offsetof(world, last) == sizeof(step) + 16,
                   "each of a few thread by thread, and what says how far it has come");
    tape_copy(t, w->creator, 8 * THREADS_MAX);
    if (UNLIKELY(windows_any(w)))
        for (unsigned i = 0; i < w->threads; i++) tape_copy(t, w->window[i], w->windows[i] * sizeof w->window[i][0]);
    tape_copy(t, &w->last, sizeof(step) + 16);
    tape_copy(t, &w->op_count, sizeof w->op_count);
    tape_copy(t, w->ops, w->op_count * sizeof *w->ops);
}

void world_copy(tape *t) { TAPE_BOTH_WAYS(t, world_copy_in, &explored_world); }

/* ---- the front ---- */

ending machine_run(world *w, const driver *d) {
    INVARIANT(machine_is_open && w == &explored_world && mode_now() == OUTSIDE);
    execution_learned_reset();
    watchdog_run_begins();
    w->failure = FAILURE_NONE;
    w->message[0] = 0;
    outcome_reset();
    w->ending = ENDED_WELL;
    races_begin();
    handlers_begin();
    windows_begin();
    scheduler_start(d);
    execution_run(snapshot_resume(d) ? fiber_now() : execution_begin());
    INVARIANT(!(w->live & ~(((thread_set)2 << (world_numbers(w) - 1)) - 1)) && w->steps <= options_now()->most_steps);
    if (w->ending == ENDED_WELL && signals_are_repeated()) w->ending = ENDED_PRUNED;
    INVARIANT((w->ending == ENDED_BAD) == (w->failure != FAILURE_NONE));
    CHECK_MACHINE();
    if (execution_learned()) races_forget();
    /* a failure is found again: its schedule lacks the steps on memory that was private so far */
    if (execution_learned() && w->failure != FAILURE_UNMODELLED) w->ending = ENDED_LEARNED;
    return w->ending;
}
