/* Loops that write are not those of spin.c: the thread changes what others could see, and memory tells whether it gets
 * anywhere. Long executions are looked at now and then. While one thread alone can go on its next step is decided by
 * the state; when it comes back to a state it has been in, with no other thread enabled on the way, it will do so again
 * and again, and no scheduler can help it.
 *
 * A look is a quarter of the steps behind each power of two, so that it is longer than any round in the end, and the
 * first comes behind what most tests need. The states are compared by their hash (state.h), with one that is kept ever
 * longer: R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20 (1980), section 2. */
#include "explore/inside/rounds.h"

#include "explore/inside/failures.h"
#include "explore/inside/handlers.h"
#include "explore/inside/options.h"
#include "explore/inside/scheduler.h"
#include "explore/inside/state.h"

/* Of all states that were kept in vain; a state takes as long as some hundred steps. */
enum { FIRST_LOOK = 256, VAIN_MOST = 20000 };

uint32_t rounds_from PROCESS_STATE;
static uint32_t vain PROCESS_STATE;

static struct rounds {
    bool begun;             /* alone since then, in this look */
    uint32_t since, length; /* the kept state's step, and for how many steps it is kept */
    hash128 kept;
} rounds EXECUTION_COUNTS;

/* Stores that wait in buffers and messages that may still be read are other threads, in effect. */
void rounds_begin(void) {
    const bool never = options_now()->messages || options_now()->buffers || vain >= VAIN_MOST;
    rounds_from = never ? UINT32_MAX : FIRST_LOOK;
}

/* Nothing but what this thread does can ever let it go on: no time that runs out, no loop that it may yet leave. */
static bool waits_for_others(const fiber *f) { return !f->wait.timed && !f->spin.spinning; }

static bool is_alone(const world *w) {
    if ((w->enabled & (w->enabled - 1)) || any_is_assumed() || signals_are_sent()) return false;
    for (thread_set left = w->live & ~w->enabled; left; left &= left - 1)
        if (!waits_for_others(fiber_at(thread_lowest(left)))) return false;
    return true;
}

static void keep(uint32_t at, hash128 state) {
    rounds.length = rounds.begun ? 2 * rounds.length : 1;
    rounds.begun = true;
    rounds.since = at;
    rounds.kept = state;
}

static _Noreturn void report(const world *w) {
    const unsigned t = thread_lowest(w->enabled);
    vain = 0; /* for when it is run again */
    fail(FAILURE_LIVELOCK,
         "thread %u goes round for ever at %#lx: it came back to where it was, and no other thread can go on", t,
         (unsigned long)w->pending[t].pc);
}

static void compare(const world *w) {
    const hash128 state = state_now(w);
    if (rounds.begun && hash128_equal(state, rounds.kept)) report(w);
    if (!rounds.begun || w->steps - rounds.since >= rounds.length) keep(w->steps, state);
    vain++;
}

static void look_ends(uint32_t next) {
    rounds.begun = false;
    rounds_from = next;
}

void rounds_look_now(void) {
    const world *w = world_now();
    const uint32_t power = UINT32_C(1) << (31 - __builtin_clz(w->steps));
    INVARIANT(w->enabled && w->steps >= FIRST_LOOK);
    if (w->passed) return;
    if (w->steps - power >= power / 4) look_ends(2 * power);
    else if (is_alone(w)) compare(w);
    else rounds.begun = false;
}
