/* The programs of tests/support/weak_random.h as real code: each is a choice of main, and what it came to is its
 * outcome. What the axioms say of them: `test_graphs oracle MODEL SEED N`. */
#define WEAK_UNSEEN __attribute__((no_sanitize("thread"), noinline, unused))
#include "support/weak_random.h"

#include <plumbline/test.h>
#include <pthread.h>
#include <string.h>

#ifndef SEED
#define SEED 1
#endif
#ifndef PROGRAMS
#define PROGRAMS 64
#endif
#define EACH (PROGRAMS < 250 ? PROGRAMS : 250) /* a choice has at most 255 alternatives */
_Static_assert(PROGRAMS % EACH == 0, "as many programs as choices");

static _Alignas(64) struct cell {
    int8_t value;
    int8_t apart[63];
} cell[WEAK_PLACES];
static weak_program chosen;
static weak_outcome result;

/* The builtins take orders that are constants. */
#define BY_ORDER(order, one) \
    switch (order) { \
    case 0: one(__ATOMIC_RELAXED); break; \
    case 2: one(__ATOMIC_ACQUIRE); break; \
    case 3: one(__ATOMIC_RELEASE); break; \
    case 4: one(__ATOMIC_ACQ_REL); break; \
    default: one(__ATOMIC_SEQ_CST); break; \
    }
#define BY_LOAD_ORDER(order, one) \
    switch (order) { \
    case 0: one(__ATOMIC_RELAXED); break; \
    case 2: one(__ATOMIC_ACQUIRE); break; \
    default: one(__ATOMIC_SEQ_CST); break; \
    }
#define BY_STORE_ORDER(order, one) \
    switch (order) { \
    case 0: one(__ATOMIC_RELAXED); break; \
    case 3: one(__ATOMIC_RELEASE); break; \
    default: one(__ATOMIC_SEQ_CST); break; \
    }

static int8_t load(int8_t *a, unsigned order) {
    int8_t v = 0;
#define ONE(o) v = __atomic_load_n(a, o)
    BY_LOAD_ORDER(order, ONE)
#undef ONE
    return v;
}
static void store(int8_t *a, int8_t v, unsigned order) {
#define ONE(o) __atomic_store_n(a, v, o)
    BY_STORE_ORDER(order, ONE)
#undef ONE
}
static int8_t add(int8_t *a, int8_t v, unsigned order) {
    int8_t old = 0;
#define ONE(o) old = __atomic_fetch_add(a, v, o)
    BY_ORDER(order, ONE)
#undef ONE
    return old;
}
static int8_t exchange(int8_t *a, int8_t v, unsigned order) {
    int8_t old = 0;
#define ONE(o) old = __atomic_exchange_n(a, v, o)
    BY_ORDER(order, ONE)
#undef ONE
    return old;
}
static int8_t swap(int8_t *a, int8_t expected, int8_t v, unsigned order, unsigned failed) {
#define FAILED(f) __atomic_compare_exchange_n(a, &expected, v, 0, WITH, f)
#define WITH __ATOMIC_RELAXED
    if (order == 0) BY_LOAD_ORDER(failed, FAILED)
#undef WITH
#define WITH __ATOMIC_ACQUIRE
    if (order == 2) BY_LOAD_ORDER(failed, FAILED)
#undef WITH
#define WITH __ATOMIC_RELEASE
    if (order == 3) BY_LOAD_ORDER(failed, FAILED)
#undef WITH
#define WITH __ATOMIC_ACQ_REL
    if (order == 4) BY_LOAD_ORDER(failed, FAILED)
#undef WITH
#define WITH __ATOMIC_SEQ_CST
    if (order == 5) BY_LOAD_ORDER(failed, FAILED)
#undef WITH
    return expected;
}
static void fence(unsigned order){
#define ONE(o) __atomic_thread_fence(o)
    BY_ORDER(order, ONE)
#undef ONE
}

WEAK_UNSEEN static int fetch(unsigned t, unsigned k, weak_instruction *out) {
    if (k >= chosen.length[t]) return 0;
    *out = chosen.code[t][k];
    return 1;
}
WEAK_UNSEEN static void keep(unsigned t, const int8_t *reg) {
    memcpy(result.value + t * WEAK_REGISTERS, reg, WEAK_REGISTERS);
}

/* One instruction, then the rest: on a stack that grows no two loads are those of a loop that waits. */
static __attribute__((noinline)) void execute(unsigned t, unsigned k, int8_t *reg) {
    weak_instruction i;
    unsigned skipped = 0;
    if (!fetch(t, k, &i)) return;
    int8_t *a = &cell[i.place].value;
    const int8_t v = (int8_t)(i.value + (i.from == WEAK_NO_REGISTER ? 0 : reg[i.from]));
    switch (i.op) {
    case WEAK_LOAD: reg[i.to] = load(a, i.order); break;
    case WEAK_STORE: store(a, v, i.order); break;
    case WEAK_ADD: reg[i.to] = add(a, v, i.order); break;
    case WEAK_EXCHANGE: reg[i.to] = exchange(a, v, i.order); break;
    case WEAK_CAS: reg[i.to] = swap(a, i.expected, v, i.order, i.order_failed); break;
    case WEAK_FENCE: fence(i.order); break;
    default: skipped = reg[i.from] == i.expected ? 0 : (unsigned)i.value;
    }
    execute(t, k + 1 + skipped, reg);
    __asm__ volatile("" : : : "memory");
}

static void *run(void *argument) {
    const unsigned t = (unsigned)(uintptr_t)argument;
    int8_t reg[WEAK_REGISTERS] = {0};
    execute(t, 0, reg);
    keep(t, reg);
    return NULL;
}

WEAK_UNSEEN static void choose_program(unsigned number) { chosen = weak_numbered_program(SEED, number); }
WEAK_UNSEEN static void told(char *text, unsigned number) {
    for (unsigned p = 0; p < WEAK_PLACES; p++) result.value[WEAK_THREADS * WEAK_REGISTERS + p] = cell[p].value;
    weak_outcome_print(text, number, &result);
}

int main(void) {
    char text[WEAK_TEXT];
    pthread_t t[WEAK_THREADS];
    const unsigned number = EACH * plumb_choose(PROGRAMS / EACH) + plumb_choose(EACH);
    choose_program(number);
    for (unsigned k = 0; k < chosen.threads; k++) pthread_create(&t[k], NULL, run, (void *)(uintptr_t)k);
    for (unsigned k = 0; k < chosen.threads; k++) pthread_join(t[k], NULL);
    told(text, number);
    plumb_outcome("%s", text);
    return 0;
}
