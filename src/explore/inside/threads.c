/* Threads of pthreads and C11, and what belongs to one: keys with destructors, thread_local objects. A thread's name is
 * its number + 1, so that none is zero. */
#include "explore/inside/signals.h"
#include "explore/inside/threads.h"
#include "explore/inside/failures.h"
#include "explore/inside/handlers.h"
#include "explore/inside/hooks.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/thread_life.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <threads.h>

enum { KEY_FIRST = 1 << 16, KEYS_OWN = 256, DESTRUCTOR_ROUNDS = 4 };

static void (*key_destructor[KEYS_OWN])(void *) COPIED_STATE; /* of keys made inside: KEY_FIRST + index */
static uint32_t keys EXECUTION_STATE;                         /* made inside so far */
static unsigned keys_outside PROCESS_STATE;
static struct {
    uint32_t key;
    void (*destructor)(void *);
} outside_key[KEYS_OWN] PROCESS_STATE;

void keys_copy(tape *t) {
    if (UNLIKELY(keys)) tape_copy(t, key_destructor, keys * sizeof *key_destructor);
}

void keys_hash(hash128 *h) {
    if (UNLIKELY(keys)) hash128_bytes(h, key_destructor, keys * sizeof *key_destructor);
}

/* ---- create, join ---- */

void thread_begin(fiber *f) { f->thread = (fiber_thread){0}; }

void thread_set_body(fiber *f, void *(*run)(void *), int (*run_c11)(void *), void *argument) {
    f->thread.run = run;
    f->thread.run_c11 = run_c11;
    f->thread.argument = argument;
    f->thread.signals_blocked = fiber_now()->thread.signals_blocked;
}

void thread_run_body(fiber *f) {
    if (f->thread.run_c11) f->thread.result = (void *)(intptr_t)f->thread.run_c11(f->thread.argument);
    else f->thread.result = f->thread.run(f->thread.argument);
}

fiber *thread_named(pthread_t name, uintptr_t pc) {
    if (!name || name > world_now()->threads)
        fail(FAILURE_MISUSE, "thread %u: no thread has the name %lu, at %#lx", fiber_now()->number, (unsigned long)name,
             (unsigned long)pc);
    return fiber_at((unsigned)name - 1);
}

static int create(pthread_t *name, const pthread_attr_t *attributes, void *(*run)(void *), int (*run_c11)(void *),
                  void *argument) {
    int detached = 0;
    size_t stack = 0;
    if (attributes) pthread_attr_getdetachstate(attributes, &detached);
    if (attributes) pthread_attr_getstacksize(attributes, &stack);
    *name = world_now()->threads + 1;
    fiber *f = thread_start(run, run_c11, argument, stack);
    f->thread.detached = detached == PTHREAD_CREATE_DETACHED;
    return 0;
}

static void *join(pthread_t name, uintptr_t pc) {
    fiber *f = fiber_now(), *child = thread_named(name, pc);
    if (child == f || child->thread.joined || child->thread.detached)
        fail(FAILURE_MISUSE, "thread %u joins thread %u, which is %s, at %#lx", f->number, child->number,
             child == f             ? "itself"
             : child->thread.joined ? "already joined"
                                    : "detached",
             (unsigned long)pc);
    handlers_look(pc, true);
    step *s = step_describe(STEP_JOIN, child->stack, 1, PLACE_ACQUIRE, pc);
    s->value = child->number;
    s->size = 0;
    f->wait.value = child->number;
    step_waits(WAIT_JOIN, child->stack);
    scheduler_joins(f->number);
    step_take();
    INVARIANT(child->state == FIBER_ENDED && !child->thread.joined);
    races_join(child);
    child->thread.joined = true;
    handlers_look(pc, true);
    thread_joined();
    return child->thread.result;
}

static int detach(pthread_t name, uintptr_t pc) {
    fiber *f = thread_named(name, pc);
    if (f->thread.detached || f->thread.joined)
        fail(FAILURE_MISUSE, "thread %u detaches thread %u, which is %s, at %#lx", fiber_now()->number, f->number,
             f->thread.joined ? "already joined" : "detached", (unsigned long)pc);
    f->thread.detached = true;
    return 0;
}

static _Noreturn void leave(void *result, uintptr_t pc) {
    if (fiber_now()->thread.cleanups)
        fail(FAILURE_UNMODELLED, "pthread_exit with cleanup handlers, at %#lx", (unsigned long)pc);
    fiber_now()->thread.result = result;
    thread_finish(pc);
    thread_ends();
    __builtin_unreachable();
}

EXPORT int pthread_create(pthread_t *name, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    return INSIDE ? create(name, attributes, run, NULL, argument)
                  : REAL(pthread_create)(name, attributes, run, argument);
}
EXPORT int pthread_join(pthread_t name, void **result) {
    if (!INSIDE) return REAL(pthread_join)(name, result);
    void *r = join(name, CALLER);
    if (result) *result = r;
    return 0;
}
EXPORT int pthread_tryjoin_np(pthread_t name, void **result) {
    (void)name, (void)result;
    fail(FAILURE_UNMODELLED, "pthread_tryjoin_np at %#lx", (unsigned long)CALLER);
}
EXPORT int pthread_detach(pthread_t name) { return INSIDE ? detach(name, CALLER) : REAL(pthread_detach)(name); }
EXPORT void pthread_exit(void *result) {
    if (!INSIDE) REAL(pthread_exit)(result);
    leave(result, CALLER);
}
EXPORT pthread_t pthread_self(void) { return INSIDE ? fiber_now()->number + 1u : REAL(pthread_self)(); }
EXPORT int pthread_setname_np(pthread_t name, const char *words) {
    return INSIDE ? 0 : REAL(pthread_setname_np)(name, words);
}
EXPORT int pthread_setaffinity_np(pthread_t name, size_t n, const cpu_set_t *set) {
    return INSIDE ? 0 : REAL(pthread_setaffinity_np)(name, n, set);
}

EXPORT int thrd_create(thrd_t *name, thrd_start_t run, void *argument) {
    return INSIDE ? create(name, NULL, NULL, run, argument) : thrd_error;
}
EXPORT int thrd_join(thrd_t name, int *result) {
    void *r = INSIDE ? join(name, CALLER) : NULL;
    if (result) *result = (int)(intptr_t)r;
    return thrd_success;
}
EXPORT int thrd_detach(thrd_t name) {
    if (INSIDE) detach(name, CALLER);
    return thrd_success;
}
EXPORT void thrd_exit(int result) { leave((void *)(intptr_t)result, CALLER); }
EXPORT thrd_t thrd_current(void) { return INSIDE ? fiber_now()->number + 1u : REAL(pthread_self)(); }

/* Handlers of pthread_cleanup_push are pushed here when C is compiled without exceptions; only pthread_exit would run
 * them. */
EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *buffer) {
    (void)buffer, (void)(INSIDE && fiber_now()->thread.cleanups++);
}
EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer) {
    (void)buffer, (void)(INSIDE && fiber_now()->thread.cleanups--);
}

/* ---- cancelling: what does nothing when there is no pthread_cancel ---- */

static int exchange_told(uint8_t *told, int to, int *before) {
    if (before) *before = *told;
    *told = (uint8_t)to;
    return 0;
}
EXPORT int pthread_setcancelstate(int to, int *before) {
    if (!INSIDE) return REAL(pthread_setcancelstate)(to, before);
    if (to != PTHREAD_CANCEL_ENABLE && to != PTHREAD_CANCEL_DISABLE) return EINVAL;
    return exchange_told(&fiber_now()->thread.cancel_state, to, before);
}
EXPORT int pthread_setcanceltype(int to, int *before) {
    if (!INSIDE) return REAL(pthread_setcanceltype)(to, before);
    if (to != PTHREAD_CANCEL_DEFERRED && to != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    return exchange_told(&fiber_now()->thread.cancel_type, to, before);
}
/* ---- keys ---- */

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    if (INSIDE) {
        if (keys == KEYS_OWN) return EAGAIN;
        key_destructor[keys] = destructor;
        *key = KEY_FIRST + keys++;
        return 0;
    }
    int wrong = REAL(pthread_key_create)(key, destructor);
    if (!wrong && keys_outside < KEYS_OWN) {
        outside_key[keys_outside].key = *key;
        outside_key[keys_outside++].destructor = destructor;
    }
    return wrong;
}
EXPORT int pthread_key_delete(pthread_key_t key) {
    if (key < KEY_FIRST) return INSIDE ? 0 : REAL(pthread_key_delete)(key);
    if (key - KEY_FIRST >= keys) return EINVAL;
    key_destructor[key - KEY_FIRST] = NULL;
    return 0;
}
static void *slot_get(const fiber *f, pthread_key_t key) {
    for (uint32_t i = 0; i < f->thread.slots; i++)
        if (f->keys.slot[i].key == key) return f->keys.slot[i].value;
    return NULL;
}
static int slot_set(fiber *f, pthread_key_t key, const void *to, uintptr_t pc) {
    INVARIANT(f->thread.slots <= KEYS_MAX && f == fiber_now());
    uint32_t i = 0;
    while (i < f->thread.slots && f->keys.slot[i].key != key) i++;
    if (i == KEYS_MAX)
        fail(FAILURE_UNMODELLED, "more than %d keys in one thread, at %#lx", KEYS_MAX, (unsigned long)pc);
    if (i == f->thread.slots) f->keys.slot[f->thread.slots++].key = key;
    f->keys.slot[i].value = (void *)(uintptr_t)to;
    return 0;
}
EXPORT void *pthread_getspecific(pthread_key_t key) {
    return INSIDE ? slot_get(fiber_now(), key) : REAL(pthread_getspecific)(key);
}
EXPORT int pthread_setspecific(pthread_key_t key, const void *to) {
    return INSIDE ? slot_set(fiber_now(), key, to, CALLER) : REAL(pthread_setspecific)(key, to);
}
EXPORT int tss_create(tss_t *key, tss_dtor_t destructor) {
    return pthread_key_create(key, destructor) ? thrd_error : thrd_success;
}
EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
EXPORT void *tss_get(tss_t key) { return pthread_getspecific(key); }
EXPORT int tss_set(tss_t key, void *to) { return pthread_setspecific(key, to) ? thrd_error : thrd_success; }

/* ---- the end of a thread ---- */

int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *of);
EXPORT int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *of) {
    fiber *f = fiber_now();
    if (!INSIDE) return REAL(__cxa_thread_atexit_impl)(run, object, of);
    if (f->thread.at_ends == KEYS_MAX)
        fail(FAILURE_UNMODELLED, "more than %d thread_local objects with destructors in one thread", KEYS_MAX);
    f->keys.at_end[f->thread.at_ends].run = run;
    f->keys.at_end[f->thread.at_ends++].object = object;
    return 0;
}

static void (*destructor_of(uint32_t key))(void *) {
    INVARIANT(key < KEY_FIRST || key - KEY_FIRST < KEYS_OWN);
    if (key >= KEY_FIRST) return key_destructor[key - KEY_FIRST];
    for (unsigned i = 0; i < keys_outside; i++)
        if (outside_key[i].key == key) return outside_key[i].destructor;
    return NULL;
}

static __attribute__((noinline)) void destructors_run(fiber *f) {
    while (f->thread.at_ends) {
        f->thread.at_ends--;
        f->keys.at_end[f->thread.at_ends].run(f->keys.at_end[f->thread.at_ends].object);
    }
    bool again = f->thread.slots > 0;
    for (unsigned round = 0; again && round < DESTRUCTOR_ROUNDS; round++) {
        again = false;
        for (uint32_t i = 0; i < f->thread.slots; i++) {
            void (*run)(void *) = destructor_of(f->keys.slot[i].key);
            void *object = f->keys.slot[i].value;
            f->keys.slot[i].value = NULL;
            if (run && object) {
                run(object);
                again = true;
            }
        }
    }
}

void thread_finish(uintptr_t pc) {
    signal_point(pc);
    if (UNLIKELY(fiber_now()->thread.at_ends || fiber_now()->thread.slots)) destructors_run(fiber_now());
}
