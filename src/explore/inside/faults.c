/* What C and POSIX let fail or end without a reason, as a choice, a few times (--spurious, --alloc-failures):
 * compare-and-swaps in each
 * thread, for what goes wrong often needs one failure of every competitor; waits in an execution, for each wait that
 * begins anew is a choice again. */
#include "explore/inside/faults.h"

#include "explore/inside/hooks.h"

/* Where failing is nothing but having loaded later it need not be tried. */
bool swap_fails(uintptr_t pc) {
    fiber *f = fiber_now();
    if (spin_failure_is_vain(f, step_last())) return false;
    INVARIANT(step_last()->kind == STEP_CAS && step_last()->pc == pc);
    (void)pc;
    if (!swap_may_fail() || !world_choose(2, CHOICE_OF_TEST)) return false;
    f->faults.swaps++;
    step_last_fails();
    return true;
}

/* Of memory that no other thread uses: no step. */
bool own_swap_fails(void) {
    fiber *f = fiber_now();
    if (!swap_may_fail() || spin_hurries(f)) return false;
    spin_forget(f);
    if (!world_choose(2, CHOICE_OF_TEST)) return false;
    f->faults.swaps++;
    return true;
}

static uint32_t wakes EXECUTION_STATE; /* in this execution, so far */

bool wake_is_spurious(void) {
    if (wakes >= options_now()->spurious) {
        if (options_now()->spurious) limits_now()->spurious_cut++;
        return false;
    }
    if (!world_choose(2, CHOICE_OF_TEST)) return false;
    wakes++;
    return true;
}

static uint32_t denied EXECUTION_STATE; /* allocations, so far */

bool allocation_fails(void) {
    if (LIKELY(!options_now()->alloc_failures) || mode_now() != RECORDING) return false;
    if (denied >= options_now()->alloc_failures) {
        limits_now()->alloc_cut++;
        return false;
    }
    spin_forget(fiber_now());
    if (!world_choose(2, CHOICE_OF_TEST)) return false;
    denied++;
    return true;
}
