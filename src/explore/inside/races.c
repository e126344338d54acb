/* Data races on plain accesses, by happens-before: vector clocks that follow what the language says synchronizes (mutexes,
 * create and join, acquire and release, fences), not the order in which this execution happened to run.
 *
 * A race needs two threads at one granule, so both accesses are steps: nothing outside of steps has to be watched. Volatile
 * accesses and inline assembly count as synchronizing atomics, which is what people use them for. */
#include "explore/inside/snapshot.h"

enum { LOG = 1 << 15, RACES_MAX = 64 };

typedef uint16_t clocks[THREADS_MAX];

typedef struct access {
    uint32_t older;
    uint16_t clock;
    uint8_t thread, bytes;
    bool write, plain;
    uintptr_t pc;
} access;

static access logged[LOG];
static uint32_t log_count;
uint16_t races_now[THREADS_MAX][THREADS_MAX];
static clocks fence_acquire[THREADS_MAX], fence_release[THREADS_MAX], at_end[THREADS_MAX];
static machine_race races[RACES_MAX];
static unsigned race_count, races_before; /* this execution */

static inline void clocks_join(uint16_t *a, const uint16_t *b) {
    for (unsigned i = 0; i < THREADS_MAX; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
}

void races_begin(void) { races_before = race_count; }

void races_reset(void) {
    log_count = 0;
    memset(races_now[0], 0, sizeof races_now[0]);
    memset(fence_acquire[0], 0, sizeof fence_acquire[0]), memset(fence_release[0], 0, sizeof fence_release[0]);
    races_now[0][0] = 1;
}

void races_create(unsigned child) {
    unsigned parent = m.now->number;
    memcpy(races_now[child], races_now[parent], sizeof(clocks));
    memset(fence_acquire[child], 0, sizeof(clocks)), memset(fence_release[child], 0, sizeof(clocks));
    races_now[child][child] = 1;
    races_now[parent][parent]++;
}

void races_join(unsigned child) {
    memcpy(at_end[child], races_now[child], sizeof(clocks));
    clocks_join(races_now[m.now->number], at_end[child]);
}

static inline granule *granule_at(uintptr_t number) {
    granule *g = m.now->touched;
    return LIKELY(g->number == number) ? g : granule_find(number);
}

static void race_found(const access *a, uintptr_t address, const access *b) {
    unsigned i = 0;
    while (i < race_count && !(races[i].pc[0] == a->pc && races[i].pc[1] == b->pc) && !(races[i].pc[0] == b->pc && races[i].pc[1] == a->pc)) i++;
    if (i == race_count && race_count < RACES_MAX)
        races[race_count++] = (machine_race){{a->pc, b->pc}, address, {a->thread, b->thread}, {a->write, b->write}, 0};
    if (i < race_count) races[i].seen++;
    if (m.options.races_fatal)
        fail(FAILURE_DATA_RACE, "thread %u %s %#lx at %#lx while thread %u %s it at %#lx, and nothing orders the two", b->thread,
             b->write ? "writes" : "reads", (unsigned long)address, (unsigned long)b->pc, a->thread, a->write ? "writes" : "reads", (unsigned long)a->pc);
}

static inline __attribute__((always_inline)) void races_look(const granule *g, const access *a) {
    unsigned t = a->thread;
    for (uint32_t i = g->log; i; i = logged[i - 1].older) {
        const access *b = &logged[i - 1];
        if (b->thread != t && (b->bytes & a->bytes) && (b->write || a->write) && (b->plain || a->plain) && races_now[t][b->thread] < b->clock)
            race_found(b, g->number * 8, a);
    }
}

/* If the first plain access comes when atomic ones were not remembered, this execution is not counted. */
static inline void granule_access(uintptr_t number, uint8_t bytes, const step *s, bool plain, bool write) {
    granule *g = granule_at(number);
    if (LIKELY(!plain && !g->plain)) {
        g->atomic = true;
        return;
    }
    unsigned t = m.now->number;
    g->mixed |= g->atomic || !plain;
    if (!g->plain) g->plain = true, m.learned |= g->atomic, m.forget = true; /* snapshots lack accesses that are logged from now on */
    if (log_count == LOG) return;
    access a = {g->log, races_now[t][t], (uint8_t)t, bytes, write, plain, s->pc};
    races_look(g, &a);
    logged[log_count] = a;
    g->log = ++log_count;
}

void races_remember(const step *s, bool plain, bool write) {
    uintptr_t a = s->at[0].address, end = a + s->at[0].size;
    if (LIKELY(a % 8 + s->at[0].size <= 8)) {
        granule_access(a / 8, (uint8_t)(((1u << s->at[0].size) - 1) << a % 8), s, plain, write);
        return;
    }
    for (uintptr_t g = a / 8; g * 8 < end; g++) {
        unsigned from = g * 8 < a ? (unsigned)(a - g * 8) : 0, to = g * 8 + 8 > end ? (unsigned)(end - g * 8) : 8;
        granule_access(g, (uint8_t)(((1u << (to - from)) - 1) << from), s, plain, write);
    }
}

/* Memory orders as compilers number them: relaxed 0, consume 1, acquire 2, release 3, both 4, sequentially consistent 5. */
static bool order_acquires(unsigned order) { return order == 1 || order == 2 || order >= 4; }
static bool order_releases(unsigned order) { return order >= 3; }

/* Has thread t, or the fence that would make it known, all that was released there? */
static inline bool release_known(const granule *c, const uint16_t *knows) {
    return !c->synced || (c->releaser < THREADS_MAX && knows[c->releaser] >= c->release);
}

/* The same as below where it both acquires and releases, as most atomic accesses do. */
static inline void sync_both(granule *c, unsigned t, bool reads, bool writes, bool whole) {
    uint16_t *known = races_now[t];
    if (reads && !release_known(c, known)) clocks_join(known, c->released);
    if (!writes) return;
    const bool has_all = reads || whole || !c->synced;
    if (has_all) memcpy(c->released, known, sizeof c->released);
    else clocks_join(c->released, known);
    c->synced = true;
    c->releaser = has_all ? (uint8_t)t : THREADS_MAX, c->release = known[t]++;
}

void races_sync(const step *s, bool reads, bool writes) {
    granule *c = granule_at(s->at[0].address / 8);
    unsigned t = m.now->number, order = s->order;
    if (LIKELY(order_acquires(order) && order_releases(order))) {
        sync_both(c, t, reads, writes, s->at[0].size >= 8);
        return;
    }
    uint16_t *gets = order_acquires(order) ? races_now[t] : fence_acquire[t];
    if (reads && !release_known(c, gets)) clocks_join(gets, c->released);
    if (!writes) return;
    const uint16_t *known = order_releases(order) ? races_now[t] : fence_release[t];
    bool whole = s->at[0].size >= 8; /* two locks may share a granule: then a store must not forget the other one's release */
    bool has_all = !c->synced || (whole && !reads) || (reads && order_acquires(order) && order_releases(order)); /* what it knows */
    if (has_all) memcpy(c->released, known, sizeof c->released);
    else clocks_join(c->released, known); /* an update continues the release sequence */
    c->synced = true;
    c->releaser = has_all && order_releases(order) ? (uint8_t)t : THREADS_MAX, c->release = races_now[t][t];
    if (order_releases(order)) races_now[t][t]++;
}

void races_release(const step *s) {
    unsigned t = m.now->number;
    granule *c = granule_at(s->at[0].address / 8);
    if (c->synced) clocks_join(c->released, races_now[t]);
    else memcpy(c->released, races_now[t], sizeof c->released);
    c->synced = true, c->releaser = THREADS_MAX;
    races_now[t][t]++;
}

void races_fence(int order) {
    unsigned t = m.now->number;
    if (order_acquires((unsigned)order)) clocks_join(races_now[t], fence_acquire[t]);
    if (order_releases((unsigned)order)) memcpy(fence_release[t], races_now[t], sizeof(clocks)), races_now[t][t]++;
}

/* The log only grows along a path: what was in it at a snapshot still is. */
void races_copy(tape *t) { tape_copy(t, &log_count, sizeof log_count); }

TAPE_INLINE void races_copy_own_in(tape *t, unsigned thread) {
    tape_copy(t, races_now[thread], sizeof(clocks));
    tape_copy(t, fence_acquire[thread], sizeof(clocks));
    tape_copy(t, fence_release[thread], sizeof(clocks));
}

void races_copy_own(tape *t, unsigned thread) { TAPE_BOTH_WAYS(t, races_copy_own_in, thread); }

/* An execution that learned of shared memory did not see all synchronization. */
void races_forget(void) { race_count = races_before; }

unsigned machine_races(const machine_race **list) { return *list = races, race_count; }
