/* Threads of an execution from their start to their end. Thread 0 runs main, or what a scenario does before and after
 * its threads. */
#include "explore/inside/thread_life.h"

#include "explore/inside/at_exit.h"
#include "explore/inside/buffers.h"
#include "explore/inside/heap.h"
#include "explore/inside/failures.h"
#include "explore/inside/options.h"
#include "explore/inside/races.h"
#include "explore/inside/scenario.h"
#include "explore/inside/spin.h"
#include "explore/inside/steps.h"
#include "explore/inside/threads.h"
#include "explore/inside/windows.h"

/* What runs: set before executions. */
static struct program_under_test {
    const scenario *scenario;
    bool uses_main;
    int (*main)(int, char **, char **);
    int argc;
    char **argv, **envp;
} program PROCESS_STATE;

static bool running PROCESS_STATE;

static struct life_state {
    unsigned unjoined; /* created threads that no thread has joined yet */
    bool parked;       /* thread 0 waits for the end of all others */
} life EXECUTION_STATE;

void threads_run_scenario(const scenario *s) {
    program.scenario = s;
    program.uses_main = false;
}

void threads_run_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp) {
    program = (struct program_under_test){
        .scenario = program.scenario, .uses_main = true, .main = main, .argc = argc, .argv = argv, .envp = envp};
}

bool threads_use_main(void) { return program.uses_main; }

void threads_reset(void) { explored_world.live = 1; }

/* After a create or a join. */
static void mode_refresh(void) { mode_set(life.unjoined ? RECORDING : ALONE); }

/* ---- the end ---- */

_Noreturn ALWAYS_INLINE void execution_end_here(ending e) {
    explored_world.ending = e;
    execution_leave();
}

_Noreturn void execution_end(ending e) { execution_end_here(e); }

bool execution_running(void) { return running; }

void execution_run(fiber *first) {
    INVARIANT(!running);
    running = true;
    fiber_run(first);
    running = false;
}

/* All threads of a scenario have ended: thread 0 goes on. */
_Noreturn static inline void threads_have_ended(void) {
    INVARIANT(fiber_at(0)->state == FIBER_LIVE && !explored_world.live);
    life = (struct life_state){0};
    explored_world.live = 1;
    mode_refresh();
    /* as scenario_body would */
    if (!scenario_has_after(program.scenario) && !options_now()->leaks) execution_end_here(ENDED_WELL);
    fiber_leave(fiber_at(0));
}

/* A join of it finds its stores in memory. */
static void buffer_before_end(const fiber *f) {
    INVARIANT(!f->eager || buffer_is_empty(f->number));
    buffer_settle();
    buffer_drain(world_now()->last.pc);
}

_Noreturn static inline void thread_ends_here(void) {
    fiber *f = fiber_now();
    world *w = &explored_world;
    INVARIANT(f->state == FIBER_LIVE && w->live >> f->number & 1);
    volatile_settle();
    if (buffers_wanted()) buffer_before_end(f);
    windows_end(f->number);
    if (UNLIKELY(f->spin.hurry)) spin_left(f);
    /* A join of this thread is ordered after its last step: that step is still the last one of all, and now known as
     * such. */
    step_last_releases(f->stack);
    w->live &= ~thread_bit(f->number);
    f->state = FIBER_ENDED;
    if (f->eager) {
        f->eager = false;
        fiber_leave(fiber_at(f->back));
    }
    if (step_is_unsettled()) last_settle();
    if (!w->live && life.parked) threads_have_ended();
    if (!w->live) execution_end_here(ENDED_WELL);
    fiber_leave(fiber_choose());
}

_Noreturn void thread_ends(void) { thread_ends_here(); }

void thread_joined(void) {
    INVARIANT(life.unjoined);
    life.unjoined--;
    mode_refresh();
}

/* ---- the start ---- */

static void thread_run_ahead(fiber *f, unsigned group) {
    world *w = &explored_world;
    unsigned t = f->number;
    INVARIANT(t && !(w->live >> t & 1) && t < w->threads);
    w->creator[t] = fiber_now()->number;
    w->created_at[t] = w->steps;
    w->live |= thread_bit(t);
    w->group[t] = (uint8_t)group;
    if (buffers_wanted()) buffers_create(t);
    life.unjoined++;
    mode_refresh();
    races_create(f);
    f->eager = true;
    f->back = fiber_now()->number;
    fiber_switch(f);
    INVARIANT(!f->eager); /* it has handed back */
}

static void scenario_thread_body(fiber *f) {
    scenario_run_thread(program.scenario, f->number - 1u);
    thread_finish(world_now()->last.pc);
    thread_ends_here();
}

/* Thread 0 waits until all threads of the scenario have ended. */
static void scenario_wait(void) {
    world *w = &explored_world;
    w->live &= ~thread_bit(0);
    life.parked = w->live != 0;
    if (life.parked) {
        fiber_switch(fiber_choose());
    } else {
        w->live = 1;
        life.unjoined = 0;
        mode_refresh();
    }
}

static void leaks_check(void) {
    at_exit_run();
    heap_check_leaks();
}

static void scenario_body(fiber *f) {
    (void)f;
    const scenario *s = program.scenario;
    scenario_run_before(s);
    unsigned n = scenario_threads(s);
    for (unsigned t = 0; t < n; t++) thread_run_ahead(fiber_new(scenario_thread_body, 0), scenario_group(s, t));
    if (n) scenario_wait();
    scenario_run_after(s);
    if (options_now()->leaks) leaks_check();
    execution_end_here(ENDED_WELL);
}

/* A `main` that returns while others run waits for them: their steps would else be cut off by the end of the
 * process. */
static void main_body(fiber *f) {
    (void)f;
    int status = program.main(program.argc, program.argv, program.envp);
    if (status) fail(FAILURE_ASSERTION, "main returned %d", status);
    if (options_now()->leaks && !life.unjoined) leaks_check();
    thread_ends();
}

fiber *thread_first(void) {
    world *w = &explored_world;
    fiber *first = fiber_new(program.uses_main ? main_body : scenario_body, 0);
    w->creator[0] = 0;
    w->created_at[0] = 0;
    w->group[0] = 0;
    if (buffers_wanted()) buffers_create(0);
    INVARIANT(first->number == 0 && w->threads == 1);
    mode_set(ALONE);
    return first;
}

static void created_body(fiber *f) {
    thread_run_body(f);
    thread_finish(world_now()->last.pc);
    thread_ends_here();
}

fiber *thread_start(void *(*run)(void *), int (*run_c11)(void *), void *argument, size_t stack) {
    volatile_settle();
    if (buffers_wanted()) buffer_drain(CALLER);
    fiber *f = fiber_new(created_body, stack);
    thread_set_body(f, run, run_c11, argument);
    thread_run_ahead(f, 0);
    return f;
}
