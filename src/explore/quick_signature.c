#include "explore/quick_signature.h"

#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 16, THREADS = 8, NARROW = THREADS / 2, LANE_BITS = 16, KEY_WORDS = 1 + OPERATIONS * (1 + OPERATION_ARGS + 2) };

typedef uint16_t lanes __attribute__((vector_size(2 * THREADS)));    /* one of each thread; of few threads, two */
typedef uint64_t halves __attribute__((vector_size(sizeof(lanes))));

/* Call and return of every thread's k-th operation: the step, among its own, that they come with. Threads that have no such
 * operation never come before anybody. */
typedef union row {
    lanes of[2];                       /* calls, returns */
    struct { uint16_t at[2][NARROW]; } few; /* the same of few threads: both are in of[0] */
} row;

typedef struct gathered {
    bool narrow;
    uint32_t rows;
    uint8_t count[THREADS];
    uint8_t op[THREADS][OPERATIONS];
    row row[OPERATIONS];
} gathered;

typedef struct entry {
    uint64_t hash;
    size_t start;
    int64_t signature;
    uint32_t words; /* 0: nothing is here */
} entry;

struct quick_signatures {
    entry *slot;
    uint32_t slots, used;
    uint64_t *pool; /* the words of all keys */
    size_t pool_used, pool_room;
};

quick_signatures *quick_signatures_new(void) {
    quick_signatures *q = MEM_NEW(quick_signatures);
    q->slots = 256;
    q->slot = mem_zero(q->slots, sizeof *q->slot);
    return q;
}

void quick_signatures_free(quick_signatures *q) {
    if (!q) return;
    free(q->slot);
    free(q->pool);
    free(q);
}

/* ---- the key ---- */

static inline void gather_steps(gathered *g, const trace_clocks *clocks, const explored_operation *o, uint32_t k) {
    const unsigned t = o->thread;
    if (k == g->rows) memset(&g->row[g->rows++], 0xff, sizeof(row));
    const uint16_t call = clocks->clock[o->first][t], end = clocks->clock[o->last][t];
    if (g->narrow) g->row[k].few.at[0][t] = call, g->row[k].few.at[1][t] = end;
    else g->row[k].of[0][t] = call, g->row[k].of[1][t] = end;
}

static bool gather(gathered *g, const world *w, const trace_clocks *clocks) {
    if (!clocks || w->op_count > OPERATIONS || w->threads > THREADS) return false;
    g->narrow = w->threads <= NARROW;
    g->rows = 0;
    memset(g->count, 0, sizeof g->count);
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        if (!o->returned || o->first == NO_STEP || o->last == NO_STEP) return false;
        const uint32_t k = g->count[o->thread]++;
        g->op[o->thread][k] = (uint8_t)i;
        if (clocks->clock) gather_steps(g, clocks, o, k);
    }
    return true;
}

/* Of how many calls and returns of each thread does this one know? */
static inline lanes count_known(const gathered *g, const uint16_t *clock) {
    lanes known, n = {0};
    memcpy(&known, clock, sizeof known);
    for (uint32_t r = 0; r < g->rows; r++) n -= (lanes)(g->row[r].of[0] <= known) + (lanes)(g->row[r].of[1] <= known); /* true is -1 */
    return n;
}

/* The same of few threads, calls and returns at once. */
static inline uint64_t count_known_few(const gathered *g, const uint16_t *clock) {
    uint64_t of_each;
    memcpy(&of_each, clock, sizeof of_each);
    const lanes known = (lanes)((halves){of_each, of_each});
    lanes n = {0};
    for (uint32_t r = 0; r < g->rows; r++) n -= (lanes)(g->row[r].of[0] <= known);
    return ((halves)n)[0] + ((halves)n)[1];
}

/* What a call and its return know of their own thread goes without saying. */
static inline uint64_t *put_counted(uint64_t *at, const gathered *g, const uint16_t *call, const uint16_t *end, unsigned own) {
    _Static_assert(2 * OPERATIONS < 256, "two numbers in one lane");
    const uint64_t others = ~(UINT64_C(0xffff) << own % NARROW * LANE_BITS);
    if (g->narrow) {
        *at = (count_known_few(g, call) | count_known_few(g, end) << 8) & others;
        return at + 1;
    }
    const halves both = (halves)(count_known(g, call) | count_known(g, end) << 8);
    at[0] = both[0], at[1] = both[1];
    at[own / NARROW] &= others;
    return at + 2;
}

/* The same where it was counted before. */
static inline uint64_t *put_known(uint64_t *at, const gathered *g, const known_row *call, const known_row *end, unsigned own) {
    _Static_assert(THREADS == sizeof *at, "one number a byte");
    const uint64_t others = ~(UINT64_C(0xff) << own * 8), few = g->narrow ? UINT32_MAX : UINT64_MAX;
    uint64_t known[2];
    memcpy(&known[0], call, sizeof known[0]);
    memcpy(&known[1], end, sizeof known[1]);
    at[0] = known[0] & others & few, at[1] = known[1] & others & few;
    if (!g->narrow) return at + 2;
    at[0] |= at[1] << 32;
    return at + 1;
}

/* Thread, method, number of arguments, returned: as they lie there. */
static inline uint32_t head_of(const explored_operation *o) {
    uint32_t head;
    _Static_assert(offsetof(explored_operation, thread) == 0 && offsetof(explored_operation, returned) == sizeof head - 1, "one word");
    memcpy(&head, o, sizeof head);
    return head;
}

static uint32_t make_key(const gathered *g, const world *w, const trace_clocks *clocks, uint64_t *key) {
    uint64_t *at = key;
    *at++ = w->op_count | (uint64_t)g->narrow << 32 | (uint64_t)!clocks->clock << 33;
    for (unsigned t = 0; t < w->threads; t++)
        for (uint32_t k = 0; k < g->count[t]; k++) {
            const explored_operation *o = &w->ops[g->op[t][k]];
            *at++ = head_of(o) | (uint64_t)o->result << 32;
            for (unsigned a = 0; a < o->nargs; a++) *at++ = (uint64_t)o->arg[a];
            if (clocks->clock) at = put_counted(at, g, clocks->clock[o->first], clocks->clock[o->last], t);
            else at = put_known(at, g, &clocks->known[o->first].knows, &clocks->known[o->last].knows, t);
        }
    return (uint32_t)(at - key);
}

/* ---- the table ---- */

/* Two at a time: multiplications take long, but need not wait for each other. */
static uint64_t hash_key(const uint64_t *key, uint32_t n) {
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t a = n, b = ~a;
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        a = (a ^ key[i]) * odd, b = (b ^ key[i + 1]) * odd;
        a ^= a >> 29, b ^= b >> 31;
    }
    if (n % 2) a = (a ^ key[n - 1]) * odd;
    a = (a ^ b >> 17 ^ b << 47) * odd;
    return a ^ a >> 32;
}

static bool equal(const uint64_t *a, const uint64_t *b, uint32_t n) {
    uint64_t differences = 0;
    for (uint32_t i = 0; i < n; i++) differences |= a[i] ^ b[i];
    return !differences;
}

static entry *find_slot(const quick_signatures *q, uint64_t hash, const uint64_t *key, uint32_t words) {
    uint32_t i = (uint32_t)hash & (q->slots - 1);
    for (; q->slot[i].words; i = (i + 1) & (q->slots - 1)) {
        const entry *e = &q->slot[i];
        if (e->hash == hash && e->words == words && equal(q->pool + e->start, key, words)) break;
    }
    return &q->slot[i];
}

static void grow(quick_signatures *q) {
    entry *old = q->slot;
    const uint32_t slots = q->slots;
    q->slots *= 2;
    q->slot = mem_zero(q->slots, sizeof *q->slot);
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].words) *find_slot(q, old[i].hash, q->pool + old[i].start, old[i].words) = old[i];
    free(old);
}

static entry *add(quick_signatures *q, uint64_t hash, const uint64_t *key, uint32_t words) {
    if (2 * ++q->used > q->slots) grow(q);
    if (q->pool_used + words > q->pool_room) {
        q->pool_room = 2 * q->pool_room + KEY_WORDS;
        q->pool = MEM_GROW(q->pool, uint64_t, q->pool_room);
    }
    memcpy(q->pool + q->pool_used, key, words * sizeof *key);
    entry *e = find_slot(q, hash, key, words);
    *e = (entry){.hash = hash, .start = q->pool_used, .signature = NO_SIGNATURE, .words = words};
    q->pool_used += words;
    return e;
}

int64_t *quick_signature_find(quick_signatures *q, const world *w, const trace_clocks *clocks) {
    gathered g;
    uint64_t key[KEY_WORDS];
    if (!gather(&g, w, clocks)) return NULL;
    const uint32_t words = make_key(&g, w, clocks, key);
    const uint64_t hash = hash_key(key, words);
    entry *e = find_slot(q, hash, key, words);
    return &(e->words ? e : add(q, hash, key, words))->signature;
}
