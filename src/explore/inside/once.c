/* Things that happen once: pthread_once, call_once, and the guards of C++'s function-local statics. Compiled with
 * exceptions, since an initializer may throw: then it has not happened. */
#include "explore/inside/access.h"
#include "explore/inside/locks.h"
#include "explore/inside/messages.h"

#include <plumbline/test.h>
#include <pthread.h>
#include <threads.h>

enum { NOT_YET, HAPPENING, DONE };

static void once_step(uintptr_t a, uint32_t size, place_role role, wait_kind wait, uintptr_t pc) {
    spin_forget(fiber_now());
    if (mode_now() != RECORDING || !shared_touch(a, size, true)) return;
    step *s = step_describe(STEP_ONCE, a, size, role, pc);
    if (wait != WAIT_NONE) step_waits(wait, a);
    step_take();
    races_sync(s, true, true);
}

static void once_undo(int **state) {
    if (*state && **state == HAPPENING) **state = NOT_YET;
}

/* ---- where accesses choose messages: the states are atomics ---- */

static bool is_weak(void) { return mode_now() == RECORDING && messages_wanted(); }

/* True: it is this thread's to do it. Who finds it going on waits until it is over. */
static bool weak_claim(uintptr_t claim, uintptr_t done, uint32_t size, uint32_t done_state, uintptr_t pc) {
    for (;; plumb_pure_loop()) {
        if (access_state(done, size, pc) == done_state) return false;
        if (!access_state_swap(claim, size, NOT_YET, HAPPENING, pc)) continue;
        if (claim == done || access_state(done, size, pc) != done_state) return true;
        access_state_set(claim, size, NOT_YET, pc);
        return false;
    }
}

typedef struct weak_once_undo {
    uintptr_t state, pc; /* state 0: it is done */
} weak_once_undo;

static void weak_undo(weak_once_undo *u) {
    if (u->state) access_state_set(u->state, 4, NOT_YET, u->pc);
}

static void weak_once(uintptr_t state, void (*run)(void), uintptr_t pc) {
    if (!weak_claim(state, state, 4, DONE, pc)) return;
    weak_once_undo undo __attribute__((unused, cleanup(weak_undo))) = {state, pc};
    run();
    undo.state = 0;
    access_state_set(state, 4, DONE, pc);
}

static void once(int *state, void (*run)(void), uintptr_t pc) {
    if (mode_now() == OUTSIDE) {
        if (*state == NOT_YET) {
            run();
            *state = DONE;
        }
        return;
    }
    if (is_weak()) {
        weak_once((uintptr_t)state, run, pc);
        return;
    }
    once_step((uintptr_t)state, 4, *(volatile int *)state == DONE ? PLACE_READ : PLACE_WRITE, WAIT_ONCE, pc);
    if (*(volatile int *)state == DONE) return;
    if (*(volatile int *)state == HAPPENING) shared_demand((uintptr_t)state);
    if (*(volatile int *)state == HAPPENING)
        fail(FAILURE_DEADLOCK, "thread %u: an initializer waits for itself, at %#lx", fiber_now()->number,
             (unsigned long)pc);
    int *undo __attribute__((unused, cleanup(once_undo))) = state;
    *state = HAPPENING;
    run();
    once_step((uintptr_t)state, 4, PLACE_RELEASE, WAIT_NONE, pc);
    *state = DONE;
}

EXPORT int pthread_once(pthread_once_t *control, void (*run)(void)) {
    once(control, run, CALLER);
    return 0;
}
EXPORT void call_once(once_flag *flag, void (*run)(void)) { once((int *)flag, run, CALLER); }

/* Guards: the first byte says that it is done and is read by the program itself, the second that it is going on. */
int __cxa_guard_acquire(uint8_t *guard);
void __cxa_guard_release(uint8_t *guard);
void __cxa_guard_abort(uint8_t *guard);

EXPORT int __cxa_guard_acquire(uint8_t *guard) {
    if (is_weak()) return weak_claim((uintptr_t)(guard + 1), (uintptr_t)guard, 1, 1, CALLER);
    if (mode_now() != OUTSIDE) once_step((uintptr_t)guard, 8, PLACE_WRITE, WAIT_GUARD, CALLER);
    if (guard[0]) return 0;
    if (guard[1] && mode_now() != OUTSIDE) shared_demand((uintptr_t)guard);
    if (guard[1] && mode_now() != OUTSIDE)
        fail(FAILURE_DEADLOCK, "thread %u: a static initializes itself, at %#lx", fiber_now()->number,
             (unsigned long)CALLER);
    guard[1] = 1;
    return 1;
}
EXPORT void __cxa_guard_release(uint8_t *guard) {
    if (is_weak()) {
        access_state_set((uintptr_t)guard, 1, 1, CALLER);
        access_state_set((uintptr_t)(guard + 1), 1, NOT_YET, CALLER);
        return;
    }
    if (mode_now() != OUTSIDE) once_step((uintptr_t)guard, 8, PLACE_WRITE, WAIT_NONE, CALLER);
    guard[0] = 1;
    guard[1] = 0;
}
EXPORT void __cxa_guard_abort(uint8_t *guard) {
    if (is_weak()) {
        access_state_set((uintptr_t)(guard + 1), 1, NOT_YET, CALLER);
        return;
    }
    if (mode_now() != OUTSIDE) once_step((uintptr_t)guard, 8, PLACE_WRITE, WAIT_NONE, CALLER);
    guard[1] = 0;
}
