/* The ways in which an execution goes wrong, other than by its history: signals, assertions, uncaught exceptions. */
#include "explore/inside/failures.h"
#include "explore/inside/fiber.h"
#include "explore/inside/handlers.h"
#include "explore/inside/real.h"
#include "explore/inside/reset.h"
#include "explore/inside/steps.h"
#include "explore/inside/thread_life.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { LANDING = 1 << 16 };

/* where a fiber goes on that crashed: its own stack may be the reason */
static char landing[LANDING] __attribute__((aligned(64))) PROCESS_STATE;
static char for_signals[LANDING] PROCESS_STATE;
static struct {
    int number;
    uintptr_t address, pc;
} crash PROCESS_STATE;

uintptr_t symbol_address(const char *name) { return (uintptr_t)dlsym(RTLD_DEFAULT, name); }

uintptr_t real_function(const char *name) {
    enum { CACHE = 256 };
    static struct {
        const char *name;
        uintptr_t function;
    } cache[CACHE] PROCESS_STATE;
    unsigned i = (unsigned)((uintptr_t)name >> 2) % CACHE;
    if (cache[i].name != name) {
        cache[i].name = name;
        cache[i].function = (uintptr_t)dlsym(RTLD_NEXT, name);
    }
    return cache[i].function;
}

_Noreturn void fail(failure_kind kind, const char *format, ...) {
    mode_aside();
    va_list args;
    va_start(args, format);
    vsnprintf(explored_world.message, sizeof explored_world.message, format, args);
    va_end(args);
    if (!execution_running()) {
        fprintf(stderr, "plumb: %s\n", explored_world.message);
        _exit(70);
    }
    explored_world.failure = kind;
    INVARIANT(kind != FAILURE_NONE);
    execution_end(ENDED_BAD);
}

static void crash_report(void) {
    const bool stepped = fiber_now()->step.last != NO_STEP && fiber_now()->step.last + 1 == explored_world.steps;
    uintptr_t seen = stepped ? explored_world.last.pc : explored_world.pending[fiber_now()->number].pc;
    uintptr_t pc = program_owns(crash.pc) ? crash.pc + 1 : seen; /* places are read as what a call returns to */
    if (handlers_has(crash.number))
        fail(FAILURE_UNMODELLED, "thread %u: %s, which the program has a handler for, at %#lx", fiber_now()->number,
             strsignal(crash.number), (unsigned long)pc);
    if (crash.address - fiber_now()->stack < STACK_ROOM - fiber_now()->stack_size)
        fail(FAILURE_CRASH, "thread %u: its stack overflows, at %#lx", fiber_now()->number, (unsigned long)pc);
    fail(FAILURE_CRASH, "thread %u: %s, address %#lx, at %#lx", fiber_now()->number, strsignal(crash.number),
         (unsigned long)crash.address, (unsigned long)pc);
}

static void signal_caught(int number, siginfo_t *info, void *context) {
    uintptr_t address = (uintptr_t)info->si_addr;
    if (number == SIGSEGV && reset_fault(address)) return;
    if (!execution_running() || mode_now() == OUTSIDE) {
        signal(number, SIG_DFL);
        return;
    }
    crash.number = number;
    crash.address = address;
    crash.pc = context_pc(context);
    context_divert(context, (uintptr_t)landing + LANDING, crash_report);
}

/* ---- a thread that computes without a step ----
 *
 * The processor's time of this process ticks. When a thread has not come to a step for several ticks it is ended where
 * it stands in the program's own code, with its place and its schedule: an endless loop that touches nothing shared, or
 * more than can be explored. */

enum { TICK_MICROSECONDS = 300000, TICKS_MOST = 4, HASTE_MICROSECONDS = 10000 };

static struct {
    uint64_t runs, seen_runs;
    uint32_t seen_steps;
    unsigned ticks;
} watchdog PROCESS_STATE;

void watchdog_run_begins(void) { watchdog.runs++; }

static void watchdog_set(bool haste) {
    const struct timeval next = {0, haste ? HASTE_MICROSECONDS : TICK_MICROSECONDS};
    REAL(setitimer)(ITIMER_VIRTUAL, &(struct itimerval){.it_value = next}, NULL);
}

static _Noreturn void stuck_report(void) {
    fail(
        FAILURE_UNMODELLED,
        "thread %u has computed for a second without a step, at %#lx: a loop that does not end, or too much to explore",
        fiber_now()->number, (unsigned long)crash.pc + 1); /* places are read as what a call returns to */
}

static void watchdog_ticks(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    const bool same = watchdog.runs == watchdog.seen_runs && explored_world.steps == watchdog.seen_steps;
    if (!same || !execution_running() || mode_now() == OUTSIDE) watchdog.ticks = 0;
    else watchdog.ticks++;
    watchdog.seen_runs = watchdog.runs;
    watchdog.seen_steps = explored_world.steps;
    const bool stuck = watchdog.ticks >= TICKS_MOST;
    watchdog_set(stuck); /* sooner, until it is found in its own code */
    if (!stuck || !program_owns(context_pc(context))) return;
    watchdog.ticks = 0;
    crash.pc = context_pc(context);
    context_divert(context, (uintptr_t)landing + LANDING, stuck_report);
}

void watchdog_start(void) {
    const struct sigaction action = {.sa_sigaction = watchdog_ticks, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigaction(SIGVTALRM, &action, NULL);
    watchdog_set(false);
}

/* libstdc++ calls this for an uncaught exception: the handlers are part of its memory, so this is set before that is
 * copied. */
static void terminated(void) {
    typedef const void *type_function(void);
    typedef char *demangle_function(const char *, char *, size_t *, int *);
    type_function *type = (type_function *)symbol_address("__cxa_current_exception_type");
    demangle_function *demangle = (demangle_function *)symbol_address("__cxa_demangle");
    const struct {
        const void *vtable;
        const char *name;
    } *info = type ? type() : NULL;
    mode_aside();
    const char *name = info ? info->name + (*info->name == '*') : NULL;
    char *readable = name && demangle ? demangle(name, NULL, NULL, NULL) : NULL;
    if (name)
        fail(FAILURE_EXCEPTION, "thread %u: an exception of type %s is not caught", fiber_now()->number,
             readable ? readable : name);
    fail(FAILURE_EXCEPTION, "thread %u: std::terminate", fiber_now()->number);
}

bool failures_open(char *wrong, size_t room) {
    static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    (void)wrong, (void)room;
    stack_t stack = {.ss_sp = for_signals, .ss_size = sizeof for_signals};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = signal_caught, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++) sigaction(caught[i], &action, NULL);
    typedef void *set_function(void (*)(void));
    set_function *set = (set_function *)symbol_address("_ZSt13set_terminatePFvvE");
    if (set) set(terminated);
    watchdog_start();
    return true;
}

/* ---- functions that end a program ---- */

EXPORT void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    if (execution_running() && mode_now() != OUTSIDE)
        fail(FAILURE_ASSERTION, "%s:%u: assertion of thread %u does not hold: %s (in %s)", file, line,
             fiber_now()->number, condition, function);
    fprintf(stderr, "%s:%u: %s: assertion does not hold: %s\n", file, line, function, condition);
    REAL(abort)();
}

EXPORT void plumb_assert_failed(const char *condition, const char *file, int line) {
    __assert_fail(condition, file, (unsigned)line, "a test");
}

EXPORT void abort(void) {
    if (execution_running() && mode_now() != OUTSIDE)
        fail(FAILURE_CRASH, "thread %u: abort() at %#lx", fiber_now()->number, (unsigned long)CALLER);
    REAL(abort)();
    __builtin_unreachable();
}

static void exited(int status, uintptr_t pc) {
    if (!execution_running() || mode_now() == OUTSIDE) return;
    volatile_settle();
    if (step_is_unsettled()) last_settle();
    if (status) fail(FAILURE_ASSERTION, "thread %u: exit(%d) at %#lx", fiber_now()->number, status, (unsigned long)pc);
    if (explored_world.live & (explored_world.live - 1))
        fail(FAILURE_UNMODELLED, "thread %u: exit() while other threads run, at %#lx", fiber_now()->number,
             (unsigned long)pc);
    execution_end(ENDED_WELL);
}

EXPORT void exit(int status) {
    exited(status, CALLER);
    REAL(exit)(status);
    __builtin_unreachable();
}
EXPORT void _exit(int status) {
    exited(status, CALLER);
    REAL(_exit)(status);
    __builtin_unreachable();
}
EXPORT void quick_exit(int status) {
    exited(status, CALLER);
    REAL(quick_exit)(status);
    __builtin_unreachable();
}
