/* Which memory is shared: only accesses to it are steps.
 *
 * Memory is looked at in granules of eight bytes. One is shared when two threads touch it and one of them writes, while
 * both exist. That is learned by running: an execution that finds new shared memory goes on as it began and then does
 * not count (ENDED_LEARNED); from the next one on the granule's accesses are steps. What was learned decides where the
 * steps are, so it belongs to a schedule. Threads of a symmetric group learn for each other: what happens at an offset
 * of one's heap, stack or thread-local block may happen at the same offset of the other's. */
#include "explore/inside/shared.h"
#include "explore/inside/failures.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/spin.h"
#include "explore/inside/thread_life.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { QUIET_MOST = 20000000, GRANULES_MAX = 1 << 22 };

shared_state shared_memory PROCESS_STATE;
static granule *granules PROCESS_STATE; /* never moved */
static uint32_t granule_count PROCESS_STATE;
static granule **touched COPIED_STATE; /* in this execution */
static uint32_t touched_count COPIED_STATE;
/* hash -> index in granules, +1; mapped, not allocated as base/table.h is: malloc is the program's */
static uint32_t *table PROCESS_STATE;
static uint32_t table_bits PROCESS_STATE;
#define AWAIT_TAG (UINT64_C(1) << 63)
#define PLAIN_TAG (UINT64_C(1) << 62)
#define MIXED_TAG (UINT64_C(1) << 61)
/* Which threads touched which granules that are not known to be shared, as numbers: another one may find them shared
 * later, so it is part of the state. */
static hash128 touched_sum EXECUTION_STATE;
static uint64_t quiet EXECUTION_COUNTS; /* accesses that were no steps, as far as they were counted */
static uintptr_t *known PROCESS_STATE;  /* all shared granules, in the order they were learned */
static uint32_t known_count PROCESS_STATE, known_room PROCESS_STATE, known_active PROCESS_STATE;

static void *pages(size_t size) {
    const mode before = mode_aside();
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    mode_back(before);
    if (p == MAP_FAILED) abort();
    return p;
}

bool shared_open(void) {
    table_bits = 12;
    table = pages(sizeof *table << table_bits);
    granules = pages(sizeof *granules * GRANULES_MAX);
    touched = pages(sizeof *touched * GRANULES_MAX);
    static granule none PROCESS_DATA = {.number = UINTPTR_MAX};
    for (unsigned i = 0; i < GRANULES_RECENT; i++) shared_memory.recent[i] = &none;
    return true;
}

static inline uint32_t *slot_of(uintptr_t number) {
    uint32_t i = (uint32_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - table_bits)),
             mask = ((uint32_t)1 << table_bits) - 1;
    while (table[i] && granules[table[i] - 1].number != number) i = (i + 1) & mask;
    return &table[i];
}

static void table_grow(void) {
    uint32_t *old = table;
    table = pages(sizeof *table << (table_bits + 1));
    table_bits++;
    for (uint32_t i = 0; i < granule_count; i++) *slot_of(granules[i].number) = i + 1;
    munmap(old, sizeof *old << (table_bits - 1));
}

static __attribute__((noinline)) granule *granule_new(uintptr_t number) {
    if (granule_count == GRANULES_MAX)
        fail(FAILURE_UNMODELLED, "more than %u granules of memory are touched", GRANULES_MAX);
    if (granule_count * 2 >> table_bits) table_grow();
    INVARIANT(!*slot_of(number)); /* it is not there twice */
    *slot_of(number) = ++granule_count;
    granules[granule_count - 1].number = number;
    return &granules[granule_count - 1];
}

static __attribute__((noinline)) granule *granule_search(uintptr_t number) {
    uint32_t i = *slot_of(number);
    return LIKELY(i) ? &granules[i - 1] : granule_new(number);
}

static void granule_begin(granule *g) {
    g->execution = shared_memory.execution;
    g->readers = g->writers = 0;
    g->log = 0;
    g->atomic = g->split = false;
    g->synced = 0;
    g->releaser = 0;
    g->release = 0;
    INVARIANT(touched_count < granule_count);
    touched[touched_count++] = g;
}

granule *granule_find(uintptr_t number) {
    granule **r = granule_slot(number), *g = *r;
    if (UNLIKELY(g->number != number)) *r = g = granule_search(number);
    INVARIANT(g->number == number);
    if (g->execution != shared_memory.execution) granule_begin(g);
    return g;
}

/* The touched ones are a list that only grows along a path: what was in it at a snapshot still is. All others are as in
 * an execution that has not touched them. */
TAPE_INLINE void shared_copy_in(tape *t, uint32_t n) {
    enum { CHANGING = sizeof(granule) - offsetof(granule, log) };
    _Static_assert(CHANGING % 8 == 0, "whole words");
    if (!t->keeping) shared_memory.execution++;
    const uint32_t execution = shared_memory.execution;
    tape_copy(t, &n, sizeof n);
    INVARIANT(n <= granule_count);
    touched_count = n;
    if (!tape_has_room(t, n * (size_t)CHANGING)) return;
    for (uint32_t i = 0; i < n; i++, t->at += CHANGING) {
        granule *g = touched[i];
        if (t->keeping) memcpy(t->at, &g->log, CHANGING);
        else memcpy(&g->log, t->at, CHANGING);
        g->execution = execution;
    }
}

void shared_copy(tape *t) { TAPE_BOTH_WAYS(t, shared_copy_in, touched_count); }

static void granule_learn_one(uintptr_t number) {
    granule *g = granule_find(number);
    if (g->learned) return;
    g->learned = true;
    execution_learns();
    if (known_count == known_room) {
        const mode before = mode_aside();
        known_room = known_room ? known_room * 2 : 256;
        known = realloc(known, known_room * sizeof *known);
        mode_back(before);
        if (!known) abort();
    }
    INVARIANT(known_count < known_room && known_active <= known_count);
    known[known_count++] = number;
}

/* The same offset in the areas of all threads of the owner's group. */
static void area_learn(uintptr_t a, uintptr_t base, uintptr_t room) {
    unsigned owner = (unsigned)((a - base) / room);
    INVARIANT(owner < THREADS_MAX);
    uint8_t group = owner < world_now()->threads ? world_now()->group[owner] : 0;
    for (unsigned t = 0; group && t < world_now()->threads; t++)
        if (world_now()->group[t] == group) granule_learn_one((a + t * room - owner * room) / 8);
}

static void granule_learn(uintptr_t number) {
    uintptr_t a = number * 8;
    granule_learn_one(number);
    if (address_is_heap(a)) area_learn(a, HEAP_BASE, ARENA_ROOM);
    else if (address_is_stack(a)) area_learn(a, STACKS_BASE, STACK_ROOM);
    else if (address_is_tls(a)) area_learn(a, TLS_BASE, TLS_ROOM);
}

void shared_begin(void) {
    shared_memory.execution++;
    touched_count = 0;
    for (; known_active < known_count; known_active++) {
        uintptr_t number = known[known_active], a = number * 8;
        granule_find(number)->shared = true;
        if (address_is_stack(a)) fiber_share_stack(stack_owner(a));
        if (address_is_tls(a)) fiber_share_tls(tls_owner(a));
    }
}

/* A thread's own stack and thread-local block are its own unless another thread was ever seen there. */
static bool owned_by_other(uintptr_t a) {
    if (address_is_stack(a)) return stack_owner(a) != fiber_now()->number;
    if (address_is_tls(a)) return tls_owner(a) != fiber_now()->number;
    return false;
}

static void touched_sum_add(uintptr_t number, bool write) {
    hash128 h = {number, (uint64_t)fiber_now()->number << 1 | write};
    hash128_words(&h, h.high, h.low);
    h = hash128_done(&h);
    touched_sum.low += h.low;
    touched_sum.high += h.high;
}

static inline void granule_touch(granule *g, bool write) {
    const thread_set_packed me = (thread_set_packed)thread_bit(fiber_now()->number);
    thread_set_packed *set = write ? &g->writers : &g->readers;
    if (!(*set & me) && !g->shared) touched_sum_add(g->number, write);
    *set |= me;
    INVARIANT(fiber_now()->number < world_now()->threads);
    if (!g->learned) {
        const thread_set all = g->readers | g->writers;
        if ((g->writers && (all & (all - 1))) || owned_by_other(g->number * 8)) granule_learn(g->number);
    }
}

static inline void quiet_count(uint32_t accesses) {
    quiet += accesses;
    if (UNLIKELY(quiet > QUIET_MOST))
        fail(FAILURE_LIVELOCK, "thread %u makes %d accesses to memory that is not shared and no step",
             fiber_now()->number, QUIET_MOST);
}

void shared_start(fiber *f) {
    static granule nowhere PROCESS_STATE;
    f->shared = (fiber_shared){.touched = &nowhere};
}

/* Of a thread that looks at the same again in a hurry it is known what it looks at, and when it has looked enough. */
void shared_suspect(uintptr_t a) {
    const uint32_t accesses = fiber_now()->shared.quiet;
    fiber_now()->shared.quiet = 0;
    if (spin_hurries(fiber_now())) return;
    quiet_count(accesses);
    shared_force(a);
}

void shared_quiet_many(uintptr_t a, uint32_t accesses) {
    quiet_count(accesses);
    shared_force(a);
}

bool shared_look(uintptr_t a, uint64_t size, bool write) {
    uintptr_t number = a / 8, last = (a + size - 1) / 8;
    INVARIANT(size && mode_now() != OUTSIDE);
    granule *g = granule_find(number);
    bool shared = g->shared;
    granule_touch(g, write);
    shared_touched(g);
    while (UNLIKELY(number++ < last)) {
        granule *next = granule_find(number);
        granule_touch(next, write);
        shared |= next->shared;
    }
    if (shared || !options_now()->filter) return true;
    shared_quiet(a);
    return false;
}

/* A thread that spins on memory that was not seen to be shared would spin for ever. The others must get their chance:
 * an address that keeps coming up between two steps is taken for shared. */
void shared_force(uintptr_t a) {
    enum { SAMPLES = 8, TIMES = 4 };
    static struct {
        uintptr_t address;
        uint32_t times;
    } sample[SAMPLES] PROCESS_STATE;
    static uint32_t of_execution PROCESS_STATE, of_step PROCESS_STATE;
    if (of_execution != shared_memory.execution || of_step != world_now()->steps) memset(sample, 0, sizeof sample);
    of_execution = shared_memory.execution;
    of_step = world_now()->steps;
    unsigned i = 0;
    while (i < SAMPLES - 1 && sample[i].address && sample[i].address != a) i++;
    if (sample[i].address != a) {
        sample[i].address = a;
        sample[i].times = 0;
    }
    if (++sample[i].times < TIMES || granule_find(a / 8)->shared) return;
    granule_learn(a / 8); /* or it was learned in this execution, in which it counts for nothing */
    execution_end(ENDED_LEARNED);
}

void shared_demand(uintptr_t a) {
    if (mode_now() != RECORDING || granule_find(a / 8)->shared) return;
    granule_learn(a / 8);
    execution_learns();
    execution_end(ENDED_LEARNED);
}

bool granule_is_shared(uintptr_t number) {
    uint32_t i = *slot_of(number);
    return i && granules[i - 1].shared;
}
uint32_t shared_known(void) { return known_active; }

/* Loops that wait (spin.c) are learned in the same way and kept in the same list. */
bool await_known(uintptr_t pc) { return granule_is_shared(pc | AWAIT_TAG); }
bool await_will_be_known(uintptr_t pc) {
    const uint32_t i = *slot_of(pc | AWAIT_TAG);
    return i && granules[i - 1].learned;
}
void await_learn(uintptr_t pc) { granule_learn_one(pc | AWAIT_TAG); }

uint32_t machine_shared(const uintptr_t **list) {
    *list = known;
    return known_active;
}

uint32_t machine_mixed(uintptr_t *out, uint32_t room) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < granule_count && n < room; i++)
        if (granules[i].mixed) out[n++] = granules[i].number | MIXED_TAG;
    return n;
}

/* With what makes no steps but an execution that does not count: where plain accesses were seen. */
uint32_t machine_knowledge(uintptr_t *out, uint32_t room) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < known_count && n < room; i++) out[n++] = known[i];
    for (uint32_t i = 0; i < granule_count && n < room; i++)
        if (granules[i].plain) out[n++] = granules[i].number | PLAIN_TAG;
    return n;
}

void machine_tell(const uintptr_t *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        granule *g = list[i] & (PLAIN_TAG | MIXED_TAG) ? granule_find(list[i] & ~(PLAIN_TAG | MIXED_TAG)) : NULL;
        if (g) {
            g->plain = true;
            g->mixed |= (list[i] & MIXED_TAG) != 0;
        } else granule_learn_one(list[i]);
    }
}
