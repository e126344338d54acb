/* Data races on plain accesses, by happens-before: vector clocks that follow what the language says synchronizes
 * (mutexes, create and join, acquire and release, fences), not the order in which this execution happened to run.
 *
 * A race needs two threads at one granule, so both accesses are steps: nothing outside of steps has to be watched.
 * Volatile accesses and inline assembly count as synchronizing atomics, which is what people use them for. */
#include "explore/inside/races.h"
#include "explore/inside/check.h"
#include "explore/inside/failures.h"
#include "explore/inside/snapshot.h"

enum { LOG = 1 << 15, RACES_MAX = 64 };

typedef uint16_t clocks[THREADS_MAX];

typedef struct logged_access {
    uint32_t older;
    uint16_t clock;
    uint8_t thread, bytes;
    bool write, plain;
    uintptr_t pc;
} logged_access;

/* The log only grows along a path: what was in it at a snapshot still is. */
static logged_access logged[LOG] PROCESS_STATE;
static uint32_t logged_count EXECUTION_STATE;
static machine_race races[RACES_MAX] PROCESS_STATE;
static unsigned race_count PROCESS_STATE, races_before PROCESS_STATE; /* this execution */

static inline void clocks_join(uint16_t *restrict a, const uint16_t *restrict b) {
    for (unsigned i = 0; i < THREADS_MAX; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
}

void races_begin(void) { races_before = race_count; }

void races_reset(void) {
    fiber *first = fiber_at(0);
    memset(first->clocks.knows, 0, sizeof(clocks));
    memset(first->clocks.fence_acquire, 0, sizeof(clocks));
    memset(first->clocks.fence_release, 0, sizeof(clocks));
    first->clocks.knows[0] = 1;
}

void races_create(fiber *child) {
    fiber *parent = fiber_now();
    memcpy(child->clocks.knows, parent->clocks.knows, sizeof(clocks));
    memset(child->clocks.fence_acquire, 0, sizeof(clocks));
    memset(child->clocks.fence_release, 0, sizeof(clocks));
    INVARIANT(child != parent && parent->clocks.knows[parent->number]);
    child->clocks.knows[child->number] = 1;
    parent->clocks.knows[parent->number]++;
}

void races_join(const fiber *child) { clocks_join(fiber_now()->clocks.knows, child->clocks.knows); }

static void race_found(const logged_access *a, uintptr_t address, const logged_access *b) {
    unsigned i = 0;
    while (i < race_count && !(races[i].pc[0] == a->pc && races[i].pc[1] == b->pc) &&
           !(races[i].pc[0] == b->pc && races[i].pc[1] == a->pc))
        i++;
    if (i == race_count && race_count < RACES_MAX)
        races[race_count++] = (machine_race){{a->pc, b->pc}, address, {a->thread, b->thread}, {a->write, b->write}, 0};
    if (i < race_count) races[i].seen++;
    if (options_now()->races_fatal)
        fail(FAILURE_DATA_RACE, "thread %u %s %#lx at %#lx while thread %u %s it at %#lx, and nothing orders the two",
             b->thread, b->write ? "writes" : "reads", (unsigned long)address, (unsigned long)b->pc, a->thread,
             a->write ? "writes" : "reads", (unsigned long)a->pc);
}

/* From that logged access on, the first that a races with, +1; 0: none. */
static inline uint32_t race_next(uint32_t i, const logged_access *a) {
    for (; i; i = logged[i - 1].older) {
        const logged_access *b = &logged[i - 1];
        INVARIANT(i <= logged_count && b->older < i && b->thread < THREADS_MAX);
        if (b->thread != a->thread && (b->bytes & a->bytes) && (b->write || a->write) && (b->plain || a->plain) &&
            fiber_now()->clocks.knows[b->thread] < b->clock)
            break;
    }
    return i;
}

static __attribute__((cold, noinline)) void races_found(const granule *g, const logged_access *a, uint32_t first) {
    for (uint32_t i = first; i; i = race_next(logged[i - 1].older, a)) race_found(&logged[i - 1], g->number * 8, a);
}

void races_log(granule *g, uint8_t bytes, uintptr_t pc, bool plain, bool write) {
    const fiber *f = fiber_now();
    if (g->atomic || !plain) g->mixed = true;
    INVARIANT(bytes && f->clocks.knows[f->number] && g->log <= logged_count);
    if (logged_count == LOG) return;
    logged_access *a = &logged[logged_count];
    *a = (logged_access){g->log, f->clocks.knows[f->number], f->number, bytes, write, plain, pc};
    const uint32_t race = race_next(g->log, a);
    g->log = ++logged_count;
    if (UNLIKELY(race)) races_found(g, a, race);
}

/* If the first plain access comes when atomic ones were not remembered, this execution is not counted. */
static void granule_access(granule *g, uint8_t bytes, const step *s, bool plain, bool write) {
    if (LIKELY(!plain && !g->plain)) {
        g->atomic = true;
        return;
    }
    /* snapshots lack accesses that are logged from now on */
    if (!g->plain) {
        g->plain = true;
        if (g->atomic) execution_learns();
        snapshots_forget();
    }
    races_log(g, bytes, s->pc, plain, write);
}

void races_remember(const step *s, bool plain, bool write) {
    uintptr_t a = s->at[0].address, end = a + s->at[0].size;
    for (uintptr_t g = a / 8; g * 8 < end; g++) {
        unsigned from = g * 8 < a ? (unsigned)(a - g * 8) : 0, to = g * 8 + 8 > end ? (unsigned)(end - g * 8) : 8;
        granule_access(granule_at(g * 8), (uint8_t)(((1u << (to - from)) - 1) << from), s, plain, write);
    }
}

/* Memory orders as compilers number them: relaxed 0, consume 1, acquire 2, release 3, both 4, sequentially consistent
 * 5. */
static bool order_acquires(unsigned order) { return order == 1 || order == 2 || order >= 4; }
static bool order_releases(unsigned order) { return order >= 3; }

/* The same as below where it both acquires and releases, as most atomic accesses do. */
static inline void sync_both(granule *c, fiber *f, bool reads, bool writes, bool whole) {
    if (reads && !release_known(c, f->clocks.knows)) clocks_join(f->clocks.knows, c->released);
    if (!writes) return;
    const bool has_all = reads || whole || !c->synced;
    if (has_all) races_publish(c, f);
    else {
        clocks_join(c->released, f->clocks.knows);
        c->release = NO_RELEASE;
        f->clocks.knows[f->number]++;
    }
}

void races_sync_any(granule *c, const step *s, bool reads, bool writes) {
    fiber *f = fiber_now();
    unsigned order = s->order;
    INVARIANT(granule_is_current(c) && c->releaser < THREADS_MAX);
    if (LIKELY(order >= 4)) {
        sync_both(c, f, reads, writes, s->at[0].size >= 8);
        return;
    }
    uint16_t *gets = order_acquires(order) ? f->clocks.knows : f->clocks.fence_acquire;
    if (reads && !release_known(c, gets)) clocks_join(gets, c->released);
    if (!writes) return;
    const uint16_t *known = order_releases(order) ? f->clocks.knows : f->clocks.fence_release;
    /* two locks may share a granule: then a store must not forget the other one's release */
    bool whole = s->at[0].size >= 8;
    bool has_all = !c->synced || (whole && !reads); /* what it knows */
    if (has_all) memcpy(c->released, known, sizeof c->released);
    else clocks_join(c->released, known); /* an update continues the release sequence */
    c->synced = true;
    c->releaser = f->number;
    c->release = has_all && order_releases(order) ? f->clocks.knows[f->number] : NO_RELEASE;
    if (order_releases(order)) f->clocks.knows[f->number]++;
}

void races_release(const step *s) {
    fiber *f = fiber_now();
    granule *c = granule_at(s->at[0].address);
    INVARIANT(f->clocks.knows[f->number] < NO_RELEASE);
    if (c->synced) clocks_join(c->released, f->clocks.knows);
    else memcpy(c->released, f->clocks.knows, sizeof c->released);
    c->synced = true;
    c->release = NO_RELEASE;
    f->clocks.knows[f->number]++;
}

void races_fence(int order) {
    fiber *f = fiber_now();
    if (order_acquires((unsigned)order)) clocks_join(f->clocks.knows, f->clocks.fence_acquire);
    if (order_releases((unsigned)order)) {
        memcpy(f->clocks.fence_release, f->clocks.knows, sizeof(clocks));
        f->clocks.knows[f->number]++;
    }
}

/* An execution that learned of shared memory did not see all synchronization. */
void races_forget(void) {
    INVARIANT(races_before <= race_count && race_count <= RACES_MAX);
    race_count = races_before;
}

unsigned machine_races(const machine_race **list) {
    *list = races;
    return race_count;
}

uint64_t races_hash(uint64_t h, uint64_t (*mix)(uint64_t h, uint64_t v)) {
    const unsigned threads = world_now()->threads;
    for (unsigned i = 0; i < threads; i++) {
        const fiber_clocks *c = &fiber_at(i)->clocks;
        for (unsigned t = 0; t < threads; t++)
            h = mix(mix(mix(h, c->knows[t]), c->fence_acquire[t]), c->fence_release[t]);
    }
    return h;
}

/* No thread knows more of another than that one has done. */
void races_check(void) {
    const unsigned threads = world_now()->threads;
    INVARIANT(logged_count <= LOG);
    for (unsigned t = 0; t < threads; t++) {
        const fiber_clocks *c = &fiber_at(t)->clocks;
        INVARIANT(c->knows[t] >= 1);
        for (unsigned u = 0; u < threads; u++) {
            const uint16_t done = fiber_at(u)->clocks.knows[u];
            INVARIANT(c->knows[u] <= done && c->fence_acquire[u] <= done && c->fence_release[u] <= done);
        }
    }
}
