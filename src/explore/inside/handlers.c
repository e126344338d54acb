/* Signals that threads send each other, and their handlers.
 *
 * The signals that were sent to a thread and did not come yet are a word. Sending writes to it. The thread looks at it
 * before each of its accesses, which is a step like the reading of any other shared word, and chooses whether they come
 * now or later: what the handler does are steps of that thread. So where a signal comes, and what comes between its
 * being sent and its handler, are interleavings and choices like all others. A thread that waits for a lock looks right
 * before: that a signal comes while it waits is the same as that it comes then, when the other side of it was first.
 *
 * Programs that send none have no such steps: that one does is learned from its first call, and the exploration begins
 * anew. Then, as where PLUMB_SIGNAL declares handlers, all memory but a thread's own stack counts as shared, and no
 * loop is trusted to be pure: a handler may end it. */
#include "explore/inside/handlers.h"

#include "explore/inside/access.h"
#include "explore/inside/failures.h"
#include "explore/inside/hooks.h"
#include "explore/inside/limits.h"
#include "explore/inside/messages.h"
#include "explore/inside/options.h"
#include "explore/inside/real.h"
#include "explore/inside/scheduler.h"
#include "explore/inside/signals.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/thread_life.h"
#include "explore/inside/threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { SIGNALS = 65, SENDING = 2 /* learned as a loop at this address */ }; /* numbers begin at 1 */

typedef struct signal_action {
    uint64_t handler; /* SIG_DFL is 0 */
    uint64_t mask;
    int flags;
} signal_action;

static struct {
    signal_action action[SIGNALS];
    uint64_t sent[THREADS_MAX]; /* to each thread, and did not come yet */
} signals COPIED_STATE;
static bool used EXECUTION_STATE;            /* else nothing there means anything */
static thread_set looking EXECUTION_STATE;   /* threads that are about to take a signal, or to find none */
static thread_set addressed EXECUTION_STATE; /* threads that were sent a signal in this execution */
static thread_set waited EXECUTION_STATE;    /* threads that waited where a signal could come */
bool handlers_known PROCESS_STATE;

static void apply(void) {
    if (!handlers_known) return;
    signals_explore();
    options_set_filter(false);
    options_set_blocking(false);
}

/* What was learned decides where steps are: schedules have it with them. */
void handlers_begin(void) {
    handlers_known = await_will_be_known(SENDING);
    apply();
}

/* Of signal 1 it is the lowest. */
static uint64_t bit_of(int number) {
    INVARIANT(number > 0 && number < SIGNALS);
    return UINT64_C(1) << (number - 1);
}

static void use(void) {
    if (!used) memset(&signals, 0, sizeof signals);
    used = true;
}

void handlers_copy(tape *t) {
    if (UNLIKELY(used)) tape_copy(t, &signals, sizeof signals);
}

void handlers_hash(hash128 *h) {
    if (UNLIKELY(used)) hash128_bytes(h, &signals, sizeof signals);
}

/* One of n words or structs from `base` on. */
static bool region_among(uintptr_t address, const void *base, size_t size, size_t n, const char *name,
                         machine_region *out) {
    const size_t i = (address - (uintptr_t)base) / size;
    if (address < (uintptr_t)base || i >= n) return false;
    *out = (machine_region){.kind = 'f', .address = (uintptr_t)base + i * size, .size = size};
    snprintf(out->name, sizeof out->name, "%s %zu", name, i);
    return true;
}

bool handlers_region(uintptr_t address, machine_region *out) {
    return region_among(address, signals.sent, sizeof signals.sent[0], THREADS_MAX, "signals of thread", out) ||
           region_among(address, signals.action, sizeof signals.action[0], SIGNALS, "the handler of signal", out);
}

/* ---- handlers ---- */

bool handlers_has(int number) { return used && signals.action[number].handler > (uintptr_t)SIG_IGN; }

static bool is_harmless(int number) {
    return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static void handler_call(const signal_action *a, int number) {
    const uintptr_t handler = (uintptr_t)a->handler;
    siginfo_t about = {.si_signo = number, .si_code = SI_TKILL};
    if (a->flags & SA_SIGINFO) ((void (*)(int, siginfo_t *, void *))handler)(number, &about, NULL);
    else ((void (*)(int))handler)(number);
}

/* True: its handler does not let a call begin again. */
static bool signal_comes(fiber *f, int number, uintptr_t pc) {
    const signal_action a = signals.action[number];
    const uint64_t blocked = f->thread.signals_blocked;
    const thread_set me = thread_bit(f->number), looked = looking & me;
    if (a.handler == (uintptr_t)SIG_IGN || (!a.handler && is_harmless(number))) return false;
    if (!a.handler)
        fail(FAILURE_CRASH,
             pc ? "thread %u: %s, for which there is no handler, ends the program, at %#lx"
                : "thread %u: %s, for which there is no handler, ends the program",
             f->number, strsignal(number), (unsigned long)pc);
    f->thread.signals_blocked |= a.mask | (a.flags & SA_NODEFER ? 0 : bit_of(number));
    if (a.flags & (int)SA_RESETHAND) signals.action[number].handler = 0;
    looking &= ~me;
    spin_forget(f);
    handler_call(&a, number);
    spin_forget(f);
    looking |= looked;
    f->thread.signals_blocked = blocked;
    return !(a.flags & SA_RESTART);
}

static uint64_t ready_for(const fiber *f) { return signals.sent[f->number] & ~f->thread.signals_blocked; }

bool handlers_look(uintptr_t pc, bool must) {
    fiber *f = fiber_now();
    const thread_set me = thread_bit(f->number);
    bool interrupts = false;
    if (!(used || handlers_known) || mode_now() == OUTSIDE || looking & me || spin_hurries(f)) return false;
    use();
    looking |= me;
    must |= mode_now() != RECORDING;
    for (;;) { /* after a handler another signal may be there, before the thread does anything else */
        const uint64_t ready = access_load(&signals.sent[f->number], pc) & ~f->thread.signals_blocked;
        if (!ready || (!must && world_choose(2, CHOICE_OF_TEST))) break;
        const int number = __builtin_ctzll(ready) + 1;
        access_clear(&signals.sent[f->number], bit_of(number), pc);
        access_load(&signals.action[number].handler, pc);
        interrupts |= signal_comes(f, number, pc);
    }
    looking &= ~me;
    return interrupts;
}

bool handlers_interrupt(uintptr_t pc) {
    return handlers_known && mode_now() == RECORDING && handlers_look(pc, true) && world_choose(2, CHOICE_OF_TEST);
}

/* ---- waits ---- */

static void see_wait_and_signal(void) {
    if (waited & addressed) limits_now()->signal_waits++;
}

void handlers_see_wait(void) {
    if (!handlers_known || mode_now() != RECORDING) return;
    waited |= thread_bit(fiber_now()->number);
    see_wait_and_signal();
}

/* None of these threads can go on. True: one of them would have to take a signal first, and does in an execution in
 * which that was sent before the thread looked. */
bool handlers_are_due(thread_set threads) {
    bool due = false;
    for (thread_set rest = used ? threads : 0; rest; rest &= rest - 1) {
        const fiber *f = fiber_at(thread_lowest(rest));
        if (!ready_for(f)) continue;
        due = true;
        if (f->wait.kind == WAIT_CONDITION || f->wait.kind == WAIT_FUTEX)
            fail(FAILURE_UNMODELLED, "a signal that comes to thread %u while it waits for a condition, at %#lx",
                 f->number, (unsigned long)world_now()->pending[f->number].pc);
    }
    return due;
}

/* ---- what programs call ---- */

static bool is_signal(int number) { return number > 0 && number < SIGNALS; }

static _Noreturn void learn_handlers(void) {
    await_learn(SENDING);
    execution_learns();
    execution_end(ENDED_LEARNED);
}

static void send_to_self(fiber *f, int number, uintptr_t pc) {
    use();
    if (f->thread.signals_blocked & bit_of(number)) signals.sent[f->number] |= bit_of(number);
    else signal_comes(f, number, pc);
}

static void send_to(const fiber *to, int number, uintptr_t pc) {
    if (messages_wanted())
        fail(FAILURE_UNMODELLED, "pthread_kill at %#lx under a weak memory model", (unsigned long)pc);
    if (!handlers_known) learn_handlers();
    use();
    access_set(&signals.sent[to->number], bit_of(number), pc);
    addressed |= thread_bit(to->number);
    see_wait_and_signal();
}

/* Signal 0 only asks whether there is such a thread: until it is joined there is. */
EXPORT int pthread_kill(pthread_t name, int number) {
    if (!INSIDE) return REAL(pthread_kill)(name, number);
    const fiber *to = thread_named(name, CALLER);
    if (number && !is_signal(number)) return EINVAL;
    if (number && to == fiber_now()) send_to_self(fiber_now(), number, CALLER);
    else if (number && mode_now() == RECORDING) send_to(to, number, CALLER); /* in another order it was still there */
    return to->thread.joined ? ESRCH : 0;
}

EXPORT int raise(int number) {
    if (!INSIDE) return REAL(raise)(number);
    if (!is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    send_to_self(fiber_now(), number, CALLER);
    return 0;
}

/* What a signal does is read when it comes. */
static int set_action(int number, const signal_action *to, signal_action *before, uintptr_t pc) {
    if (!is_signal(number) || (to && (number == SIGKILL || number == SIGSTOP))) {
        errno = EINVAL;
        return -1;
    }
    use();
    if (handlers_known && mode_now() == RECORDING) {
        looking |= thread_bit(fiber_now()->number);
        access_set(&signals.action[number].handler, 0, pc);
        looking &= ~thread_bit(fiber_now()->number);
    }
    *before = signals.action[number];
    if (to) signals.action[number] = *to;
    return 0;
}

static uint64_t word_of(const sigset_t *set) {
    uint64_t word;
    memcpy(&word, set, sizeof word);
    return word;
}

EXPORT int sigaction(int number, const struct sigaction *restrict to, struct sigaction *restrict before) {
    if (!INSIDE) return REAL(sigaction)(number, to, before);
    signal_action was, is = {0};
    if (to) is = (signal_action){(uintptr_t)to->sa_handler, word_of(&to->sa_mask), to->sa_flags};
    const int wrong = set_action(number, to ? &is : NULL, &was, CALLER);
    if (wrong || !before) return wrong;
    memset(before, 0, sizeof *before);
    before->sa_handler = (void (*)(int))(uintptr_t)was.handler;
    before->sa_flags = was.flags;
    memcpy(&before->sa_mask, &was.mask, sizeof was.mask);
    return 0;
}

EXPORT void (*signal(int number, void (*to)(int)))(int) {
    if (!INSIDE) return REAL(signal)(number, to);
    signal_action was;
    const signal_action is = {(uintptr_t)to, 0, SA_RESTART};
    return set_action(number, &is, &was, CALLER) ? SIG_ERR : (void (*)(int))(uintptr_t)was.handler;
}

static int set_mask(int how, const sigset_t *set, sigset_t *before, uintptr_t pc) {
    uint64_t *blocked = &fiber_now()->thread.signals_blocked;
    const uint64_t was = *blocked, word = set ? word_of(set) : 0;
    if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
    if (set) *blocked = how == SIG_BLOCK ? was | word : how == SIG_UNBLOCK ? was & ~word : word;
    if (before) {
        sigemptyset(before);
        memcpy(before, &was, sizeof was);
    }
    if (was & ~*blocked) handlers_look(pc, true);
    return 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before) {
    return INSIDE ? set_mask(how, set, before, CALLER) : REAL(pthread_sigmask)(how, set, before);
}
EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before) {
    if (!INSIDE) return REAL(sigprocmask)(how, set, before);
    const int wrong = set_mask(how, set, before, CALLER);
    if (wrong) errno = wrong;
    return wrong ? -1 : 0;
}
