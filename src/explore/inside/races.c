/* Data races on plain accesses, by happens-before: vector clocks that follow what the language says synchronizes
 * (mutexes, create and join, acquire and release, fences), not the order in which this execution happened to run.
 *
 * A race needs two threads at one granule, so both accesses are steps: nothing outside of steps has to be watched.
 * Volatile accesses count as relaxed atomics: they do not race with each other, and order nothing else. Inline assembly
 * counts as sequentially consistent, which on the machine it is written for its locked instructions are.
 *
 * What was released is kept by byte. Where all atomic accesses of a granule are of the same bytes, as most are, it is
 * in the granule itself; else (`split`) in a list that only grows along a path, as the log does, with its place in the
 * list for each byte. A store begins anew. An update, and a relaxed store of the thread that has released there last,
 * continue the release sequence (C11 5.1.2.4; that store no longer does in C++20). */
#include "explore/inside/races.h"
#include "explore/inside/check.h"
#include "explore/inside/failures.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/steps.h"
#include "explore/model/memory_model.h"

enum { LOG = 1 << 15, CELLS = 1 << 15, RACES_MAX = 64, NO_OWNER = UINT8_MAX };

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
static uint32_t logged_count EXECUTION_COUNTS;
static clocks cells[CELLS] PROCESS_STATE;       /* what was released at some bytes, of granules that are split */
static uint8_t cell_owner[CELLS] PROCESS_STATE; /* the thread that knew all of it then; NO_OWNER: none did */
static uint32_t cell_count EXECUTION_COUNTS;
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

static struct fatal_race {
    logged_access first, second;
    uintptr_t address;
} fatal EXECUTION_COUNTS;

void races_report(void) {
    const logged_access *a = &fatal.first, *b = &fatal.second;
    fail(FAILURE_DATA_RACE, "thread %u %s %#lx at %#lx while thread %u %s it at %#lx, and nothing orders the two",
         b->thread, b->write ? "writes" : "reads", (unsigned long)fatal.address, (unsigned long)b->pc, a->thread,
         a->write ? "writes" : "reads", (unsigned long)a->pc);
}

static void race_found(const logged_access *a, uintptr_t address, const logged_access *b) {
    unsigned i = 0;
    while (i < race_count && !(races[i].pc[0] == a->pc && races[i].pc[1] == b->pc) &&
           !(races[i].pc[0] == b->pc && races[i].pc[1] == a->pc))
        i++;
    if (i == race_count && race_count < RACES_MAX)
        races[race_count++] = (machine_race){{a->pc, b->pc}, address, {a->thread, b->thread}, {a->write, b->write}, 0};
    if (i < race_count) races[i].seen++;
    if (!options_now()->races_fatal || step_is_fatal_race()) return;
    fatal = (struct fatal_race){*a, *b, address};
    if (!step_is_unsettled()) races_report();
    step_settles_as_race();
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
    for (uint32_t i = first; i; i = race_next(logged[i - 1].older, a)) {
        const logged_access *b = &logged[i - 1];
        race_found(b, g->number * 8 + (unsigned)__builtin_ctz(b->bytes & a->bytes), a);
    }
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
        granule_access(granule_at(g * 8), granule_bytes(from, to - from), s, plain, write);
    }
}

/* ---- what was released at some bytes of a granule ---- */

/* Out of room: what is released from now on is not known, so no race may be reported. */
static uint32_t cell_new(void) {
    if (cell_count == CELLS) {
        logged_count = LOG;
        return 0;
    }
    memset(cells[cell_count], 0, sizeof(clocks));
    cell_owner[cell_count] = NO_OWNER;
    return ++cell_count;
}

static __attribute__((noinline)) void granule_split(granule *c) {
    uint32_t number = c->synced ? cell_new() : 0;
    INVARIANT(!c->split);
    if (number) {
        memcpy(cells[number - 1], c->released, sizeof(clocks));
        if (c->release != NO_RELEASE && c->release) cell_owner[number - 1] = c->releaser;
    }
    for (unsigned i = 0; i < 8; i++) c->cell[i] = c->synced >> i & 1 ? number : 0;
    c->split = true;
    c->releaser = 0;
    c->release = NO_RELEASE;
}

static void cells_read(const granule *c, uint8_t bytes, uint16_t *gets) {
    for (uint32_t rest = bytes, before = 0; rest; rest &= rest - 1) {
        const uint32_t cell = c->cell[__builtin_ctz(rest)];
        if (cell && cell != before) clocks_join(gets, cells[cell - 1]);
        before = cell;
    }
}

static void bytes_read(const granule *c, uint8_t bytes, uint16_t *gets) {
    if (c->split) cells_read(c, bytes, gets);
    else if (c->synced & bytes && !release_known(c, gets)) clocks_join(gets, c->released);
}

/* Has f released all that there is at these bytes, and nothing since that a relaxed store would have to add? */
static bool store_continues(const granule *c, uint8_t bytes, const fiber *f) {
    const uint16_t fenced = f->clocks.fence_release[f->number];
    if (!c->split)
        return c->synced && c->releaser == f->number && c->release && c->release != NO_RELEASE && fenced <= c->release;
    const uint32_t cell = c->cell[__builtin_ctz(bytes)];
    if (!cell || cell_owner[cell - 1] != f->number || fenced > cells[cell - 1][f->number]) return false;
    for (uint32_t rest = bytes; rest; rest &= rest - 1)
        if (c->cell[__builtin_ctz(rest)] != cell) return false;
    return true;
}

/* `all`: the thread knows all that is there from now on; `known` is what it knew at some time. */
static void cells_write(granule *c, uint8_t bytes, const fiber *f, const uint16_t *known, bool updates, bool all) {
    const uint32_t number = cell_new();
    if (number) {
        if (updates) cells_read(c, bytes, cells[number - 1]);
        clocks_join(cells[number - 1], known);
        if (all) cell_owner[number - 1] = f->number;
    }
    for (uint32_t rest = bytes; rest; rest &= rest - 1) c->cell[__builtin_ctz(rest)] = number;
}

static void bytes_write(granule *c, uint8_t bytes, fiber *f, const uint16_t *known, bool updates, bool all) {
    INVARIANT(bytes && known[f->number] < NO_RELEASE);
    if (!races_alone(c, bytes) && !c->split) granule_split(c);
    if (c->split) {
        cells_write(c, bytes, f, known, updates, all);
        return;
    }
    if (updates && c->synced) clocks_join(c->released, known);
    else memcpy(c->released, known, sizeof c->released);
    c->synced = bytes;
    c->releaser = f->number;
    c->release = all ? known[f->number] : NO_RELEASE;
}

static void sync_bytes(granule *c, uint8_t bytes, unsigned order, bool reads, bool writes) {
    fiber *f = fiber_now();
    const bool acquires = order_acquires(order), releases = order_releases(order);
    INVARIANT(granule_is_current(c) && c->releaser < THREADS_MAX);
    if (reads) bytes_read(c, bytes, acquires ? f->clocks.knows : f->clocks.fence_acquire);
    if (!writes || (!releases && !reads && store_continues(c, bytes, f))) return;
    /* an update that does not acquire does not know what it continues */
    bytes_write(c, bytes, f, releases ? f->clocks.knows : f->clocks.fence_release, reads,
                !reads || (acquires && releases));
    if (releases) f->clocks.knows[f->number]++;
}

void races_sync_access(const step *s, bool reads, bool writes) {
    races_sync_any(granule_at(s->at[0].address), s, reads, writes);
}

/* Of an access to several granules the clock is that of its last: more than one release is nothing else. */
void races_sync_any(granule *c, const step *s, bool reads, bool writes) {
    uintptr_t a = s->at[0].address, end = a + s->at[0].size;
    INVARIANT(c->number == a / 8 && end > a);
    for (;;) {
        const uintptr_t next = (a / 8 + 1) * 8, to = next < end ? next : end;
        sync_bytes(c, granule_bytes(a, (uint32_t)(to - a)), s->order, reads, writes);
        if (to == end) return;
        a = to;
        c = granule_find(a / 8);
    }
}

static uint8_t object_byte(const step *s) { return granule_bytes(s->at[0].address, 1); }

void races_sync(const step *s, bool reads, bool writes) {
    sync_bytes(granule_at(s->at[0].address), object_byte(s), s->order, reads, writes);
}

void races_release(const step *s) {
    fiber *f = fiber_now();
    bytes_write(granule_at(s->at[0].address), object_byte(s), f, f->clocks.knows, true, false);
    f->clocks.knows[f->number]++;
}

void races_freed(uintptr_t at) { sync_bytes(granule_find(at / 8), 1, SEQUENTIALLY_CONSISTENT, false, true); }
void races_allocated(uintptr_t at) { sync_bytes(granule_find(at / 8), 1, SEQUENTIALLY_CONSISTENT, true, false); }

void races_acquire_message(const uint16_t *released, unsigned order) {
    fiber *f = fiber_now();
    clocks_join(order_acquires(order) ? f->clocks.knows : f->clocks.fence_acquire, released);
}

/* C++20: no store but an update continues a release sequence. */
void races_release_message(uint16_t *released, const uint16_t *continued, unsigned order) {
    fiber *f = fiber_now();
    memcpy(released, order_releases(order) ? f->clocks.knows : f->clocks.fence_release, sizeof(clocks));
    if (continued) clocks_join(released, continued);
    if (order_releases(order)) f->clocks.knows[f->number]++;
}

void races_leaves(fiber *f, uint16_t *knew, unsigned order) {
    memcpy(knew, order_releases(order) ? f->clocks.knows : f->clocks.fence_release, sizeof(clocks));
    if (order_releases(order)) f->clocks.knows[f->number]++;
}

void races_reaches_memory(uintptr_t a, uint32_t size, fiber *f, const uint16_t *knew, unsigned order) {
    for (uintptr_t end = a + size, next; a < end; a = next) {
        next = (a / 8 + 1) * 8 < end ? (a / 8 + 1) * 8 : end;
        granule *c = granule_find(a / 8);
        const uint8_t bytes = granule_bytes(a, (uint32_t)(next - a));
        if (order_releases(order) || !store_continues(c, bytes, f)) bytes_write(c, bytes, f, knew, false, true);
    }
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
