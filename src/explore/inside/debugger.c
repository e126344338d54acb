/* What a debugger takes hold of (`plumb replay --gdb`): a function that every thread calls when its turn has come, and
 * where the other threads stand. The debugger finds both by name, without debug information of this library. */
#include "explore/inside/detail.h"
#include "explore/inside/fiber.h"

uintptr_t plumb_explore_stack(unsigned thread);

/* Called on the thread's own stack, before the step with this number. */
EXPORT __attribute__((noinline)) void plumb_explore_step(uint32_t number, unsigned thread) {
    __asm__ volatile("" ::"r"(number), "r"(thread));
}

/* Where fiber_exchange left the registers of a thread that waits for its turn: r15, r14, r13, r12, rbx, rbp and the
 * address at which it goes on. 0: it runs just now, or is no more. */
EXPORT __attribute__((noinline, used)) uintptr_t plumb_explore_stack(unsigned thread) {
    if (thread >= world_now()->threads || fiber_at(thread)->state != FIBER_LIVE || fiber_now() == fiber_at(thread))
        return 0;
    INVARIANT(fiber_sp_is_own(fiber_at(thread)));
    return (uintptr_t)fiber_at(thread)->sp;
}
