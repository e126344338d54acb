/* A signal comes to a thread before one of its accesses, or before the end of an operation or thread. That it comes is
 * a choice of that thread's: what the handler does are steps of the thread, and other threads may come between. Where
 * handlers are declared all memory but the thread's own stack counts as shared (options: filter), so that there is a
 * step between any two accesses that a handler could come between. A handler is not interrupted in its own thread. */
#include "explore/inside/signals.h"

#include "explore/inside/handlers.h"
#include "explore/inside/hooks.h"
#include "explore/inside/limits.h"
#include "explore/inside/options.h"
#include "explore/inside/record.h"
#include "explore/inside/scheduler.h"

bool signals_declared PROCESS_STATE;
static unsigned handlers PROCESS_STATE;

static uint32_t sent EXECUTION_STATE;       /* in this execution, so far */
static thread_set handling EXECUTION_STATE; /* threads that run a handler */

void signals_open(void) {
    handlers = 0;
    for (const plumb_item *i = items_registered(); i; i = i->next) handlers += i->kind == PLUMB_ITEM_SIGNAL;
    signals_declared = handlers && options_now()->signals;
}

void signals_explore(void) { signals_declared = true; }

static const plumb_item *handler_at(unsigned number) {
    const plumb_item *i = items_registered();
    for (;; i = i->next)
        if (i->kind == PLUMB_ITEM_SIGNAL && !number--) return i;
}

void signal_may_come(uintptr_t pc) {
    fiber *f = fiber_now();
    const thread_set me = thread_bit(f->number);
    if (UNLIKELY(signals_are_sent())) handlers_look(pc, false);
    if (!handlers || !options_now()->signals) return;
    if (mode_now() != RECORDING || handling & me || spin_hurries(f)) return;
    if (sent >= options_now()->signals) {
        limits_now()->signals_cut++;
        return;
    }
    const unsigned which = world_choose(1 + handlers, CHOICE_OF_TEST);
    if (!which) return;
    sent++;
    handling |= me;
    spin_forget(f);
    handler_at(which - 1)->run(NULL);
    spin_forget(f);
    handling &= ~me;
}
