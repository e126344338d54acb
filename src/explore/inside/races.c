/* Data races on plain accesses, by happens-before: vector clocks that follow what the language says synchronizes (mutexes,
 * create and join, acquire and release, fences), not the order in which this execution happened to run.
 *
 * A race needs two threads at one granule, so both accesses are steps: nothing outside of steps has to be watched. Volatile
 * accesses and inline assembly count as synchronizing atomics, which is what people use them for. */
#include "explore/inside/inside.h"

#include <sys/mman.h>

enum { CELLS = 1 << 13, LOG = 1 << 15, RACES_MAX = 64 };

typedef uint16_t clocks[THREADS_MAX];

typedef struct cell {
    uintptr_t number; /* address / 8 */
    uint32_t execution;
    uint32_t log;     /* newest access to it, +1 */
    bool plain;       /* some access was plain */
    clocks released;  /* what an acquire here gets to know */
} cell;

typedef struct access {
    uint32_t older;
    uint16_t clock;
    uint8_t thread, bytes;
    bool write, plain;
    uintptr_t pc;
} access;

static cell cells[CELLS];
static access logged[LOG];
static uint32_t log_count, execution, cells_used;
static clocks now[THREADS_MAX], fence_acquire[THREADS_MAX], fence_release[THREADS_MAX], at_end[THREADS_MAX];
static machine_race races[RACES_MAX];
static unsigned race_count, races_before; /* this execution */

static inline void clocks_join(uint16_t *a, const uint16_t *b) {
    for (unsigned i = 0; i < THREADS_MAX; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
}

void races_begin(void) {
    execution++;
    races_before = race_count;
    log_count = 0, cells_used = 0;
    memset(now[0], 0, sizeof now[0]);
    memset(fence_acquire[0], 0, sizeof fence_acquire[0]), memset(fence_release[0], 0, sizeof fence_release[0]);
    now[0][0] = 1;
}

void races_create(unsigned child) {
    unsigned parent = m.now->number;
    memcpy(now[child], now[parent], sizeof(clocks));
    memset(fence_acquire[child], 0, sizeof(clocks)), memset(fence_release[child], 0, sizeof(clocks));
    now[child][child] = 1;
    now[parent][parent]++;
}

void races_join(unsigned child) {
    memcpy(at_end[child], now[child], sizeof(clocks));
    clocks_join(now[m.now->number], at_end[child]);
}

/* NULL when the table is full: then no more races are looked for in this execution. */
static cell *cell_find(uintptr_t number) {
    uint32_t i = (uint32_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> 51);
    while (cells[i].execution == execution && cells[i].number != number) i = (i + 1) & (CELLS - 1);
    cell *c = &cells[i];
    if (LIKELY(c->execution == execution)) return c;
    if (cells_used >= CELLS / 2) return NULL;
    cells_used++;
    c->number = number, c->execution = execution, c->log = 0, c->plain = false;
    memset(c->released, 0, sizeof c->released);
    return c;
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

static void cell_access(uintptr_t number, uint8_t bytes, const step *s, bool plain, bool write) {
    cell *c = cell_find(number);
    unsigned t = m.now->number;
    if (!c || log_count == LOG) return;
    access a = {c->log, now[t][t], (uint8_t)t, bytes, write, plain, s->pc};
    if (plain || c->plain)
        for (uint32_t i = c->log; i; i = logged[i - 1].older) {
            const access *b = &logged[i - 1];
            if (b->thread != t && (b->bytes & bytes) && (b->write || write) && (b->plain || plain) && now[t][b->thread] < b->clock)
                race_found(b, number * 8, &a);
        }
    c->plain |= plain;
    logged[log_count] = a;
    c->log = ++log_count;
}

void races_access(const step *s, bool plain, bool write) {
    uintptr_t a = s->at[0].address, end = a + s->at[0].size;
    for (uintptr_t g = a / 8; g * 8 < end; g++) {
        unsigned from = g * 8 < a ? (unsigned)(a - g * 8) : 0, to = g * 8 + 8 > end ? (unsigned)(end - g * 8) : 8;
        cell_access(g, (uint8_t)(((1u << (to - from)) - 1) << from), s, plain, write);
    }
}

/* Memory orders as compilers number them: relaxed 0, consume 1, acquire 2, release 3, both 4, sequentially consistent 5. */
static bool order_acquires(unsigned order) { return order == 1 || order == 2 || order >= 4; }
static bool order_releases(unsigned order) { return order >= 3; }

void races_sync(const step *s, bool reads, bool writes) {
    cell *c = cell_find(~s->at[0].address); /* by the very address: two locks may share a granule */
    if (!c) return;
    unsigned t = m.now->number, order = s->order;
    if (reads) clocks_join(order_acquires(order) ? now[t] : fence_acquire[t], c->released);
    if (!writes) return;
    const uint16_t *known = order_releases(order) ? now[t] : fence_release[t];
    if (reads) clocks_join(c->released, known); /* an update continues the release sequence */
    else memcpy(c->released, known, sizeof c->released);
    if (order_releases(order)) now[t][t]++;
}

void races_fence(int order) {
    unsigned t = m.now->number;
    if (order_acquires((unsigned)order)) clocks_join(now[t], fence_acquire[t]);
    if (order_releases((unsigned)order)) memcpy(fence_release[t], now[t], sizeof(clocks)), now[t][t]++;
}

/* An execution that learned of shared memory did not see all synchronization. */
void races_forget(void) { race_count = races_before; }

unsigned machine_races(const machine_race **list) { return *list = races, race_count; }
