/* Warming up: a few executions at random teach the machine which memory is shared, so that an exploration that has
 * begun seldom has to begin anew. */
#include "explore/inside/options.h"
#include "explore/inside/shared.h"

static uint64_t row PROCESS_STATE;

static uint32_t draw(uint32_t below) {
    row = row * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((row >> 33) % below);
}

static int pick(void *self, world *w) {
    thread_set left = w->enabled;
    (void)self;
    for (uint32_t skip = draw(threads_in(left)); skip; skip--) left &= left - 1;
    return (int)thread_lowest(left);
}

static unsigned choose(void *self, world *w, unsigned n, choice_kind kind) {
    return (void)self, (void)w, (void)kind, draw(n);
}

enum { STEPS_MOST = 1000000 }; /* loops that others keep running make long executions */

/* False: what it does is not modelled, and the campaign will say so. */
static bool learn(unsigned executions) {
    const driver d = {.pick = pick, .choose = choose};
    uint64_t steps = 0;
    for (unsigned quiet = 0, most = 100 * executions + 1000; quiet < executions && most && steps < STEPS_MOST; most--) {
        machine_run(machine_world(), &d);
        if (world_now()->failure == FAILURE_UNMODELLED) return false;
        steps += world_now()->steps;
        quiet = execution_learned() ? 0 : quiet + 1;
    }
    return true;
}

/* Without blocking first: executions go further. Messages drawn by lot would be executions that there are not. */
void machine_learn(unsigned executions) {
    bool blocking = options_now()->blocking, messages = options_now()->messages;
    row = 1;
    options_set_messages(false);
    options_set_blocking(false);
    bool modelled = learn(executions);
    options_set_blocking(blocking);
    if (blocking && modelled) learn(executions);
    options_set_messages(messages);
}
