/* What a debugger takes hold of (`plumb replay --gdb`): a function that every thread calls when its turn has come, and
 * where the other threads stand. The debugger finds both by name, without debug information of this library, and only
 * reads: a call of a function from the debugger would write registers. */
#include "explore/inside/detail.h"
#include "explore/inside/fiber.h"

extern uintptr_t plumb_explore_stacks[THREADS_MOST];
void plumb_explore_stop(uint32_t number, unsigned thread);

/* Where fiber_exchange left the registers of each thread that waits for its turn (HELD_BYTES). 0: it runs just now, or
 * has ended. Current while a debugger is in plumb_explore_stop. */
EXPORT uintptr_t plumb_explore_stacks[THREADS_MOST] PROCESS_STATE;

static void note_stacks(void) {
    for (unsigned t = 0; t < THREADS_MOST; t++) {
        bool waits = t < world_now()->threads && fiber_at(t)->state == FIBER_LIVE && fiber_now() != fiber_at(t);
        INVARIANT(!waits || fiber_sp_is_own(fiber_at(t)));
        plumb_explore_stacks[t] = waits ? (uintptr_t)fiber_at(t)->sp : 0;
    }
}

EXPORT __attribute__((noinline)) void plumb_explore_stop(uint32_t number, unsigned thread) {
    __asm__ volatile("" ::"r"(number), "r"(thread) : "memory");
}

/* Called on the thread's own stack, before the step with this number. */
void plumb_explore_step(uint32_t number, unsigned thread) {
    note_stacks();
    plumb_explore_stop(number, thread);
}
