#include "explore/campaign/quick_signature.h"

#include "base/mem.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPERATIONS = 16,
    THREADS = 8,
    NARROW = THREADS / 2,
    LANE_BITS = 16,
    KEY_WORDS = 1 + OPERATIONS * (1 + OPERATION_ARGS + 2)
};

typedef uint16_t lanes __attribute__((vector_size(2 * THREADS))); /* one of each thread; of few threads, two */
typedef uint64_t halves __attribute__((vector_size(sizeof(lanes))));

/* Call and return of every thread's k-th operation: the step, among its own, that they come with. Threads that have no
 * such operation never come before another. */
typedef union boundary_row {
    lanes of[2]; /* calls, returns */
    struct {
        uint16_t at[2][NARROW];
    } few; /* the same of few threads: both are in of[0] */
} boundary_row;

typedef struct gathered {
    bool narrow;
    uint32_t rows;
    uint8_t count[THREADS];
    uint8_t op[THREADS][OPERATIONS];
    boundary_row row[OPERATIONS];
} gathered;

typedef struct known_signature {
    uint64_t hash;
    size_t start;
    int64_t signature;
    uint32_t words; /* 0: nothing is here */
} known_signature;

struct quick_signatures {
    known_signature *slot;
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
    FREE_ALL(q->slot, q->pool, q);
}

/* ---- the key, by vector clocks ---- */

static bool gather(gathered *g, const world *w, const trace_clocks *clocks) {
    g->narrow = w->threads <= NARROW;
    g->rows = 0;
    memset(g->count, 0, sizeof g->count);
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        const unsigned t = o->thread;
        if (!o->returned || o->first == NO_STEP || o->last == NO_STEP) return false;
        const uint32_t k = g->count[t]++;
        assert(t < w->threads && k <= g->rows && k < OPERATIONS);
        if (k == g->rows) memset(&g->row[g->rows++], 0xff, sizeof(boundary_row));
        const uint16_t call = clocks->clock[o->first][t], end = clocks->clock[o->last][t];
        assert(o->first <= o->last && o->last < clocks->steps && call <= end);
        if (g->narrow) {
            g->row[k].few.at[0][t] = call;
            g->row[k].few.at[1][t] = end;
        } else {
            g->row[k].of[0][t] = call;
            g->row[k].of[1][t] = end;
        }
        g->op[t][k] = (uint8_t)i;
    }
    return true;
}

/* Of how many calls and returns of each thread does this one know? */
static inline lanes count_known(const gathered *g, const uint16_t *clock) {
    lanes known, n = {0};
    memcpy(&known, clock, sizeof known);
    /* true is -1 */
    for (uint32_t r = 0; r < g->rows; r++) n -= (lanes)(g->row[r].of[0] <= known) + (lanes)(g->row[r].of[1] <= known);
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
static inline uint64_t *put_counted(uint64_t *at, const gathered *g, const uint16_t *call, const uint16_t *end,
                                    unsigned own) {
    _Static_assert(2 * OPERATIONS < 256, "two numbers in one lane");
    const uint64_t others = ~(UINT64_C(0xffff) << own % NARROW * LANE_BITS);
    if (g->narrow) {
        *at = (count_known_few(g, call) | count_known_few(g, end) << 8) & others;
        return at + 1;
    }
    assert(own < THREADS);
    const halves both = (halves)(count_known(g, call) | count_known(g, end) << 8);
    at[0] = both[0];
    at[1] = both[1];
    at[own / NARROW] &= others;
    return at + 2;
}

/* Thread, method, number of arguments, returned: as they lie there. */
static inline uint32_t head_of(const explored_operation *o) {
    uint32_t head;
    _Static_assert(offsetof(explored_operation, thread) == 0 &&
                       offsetof(explored_operation, returned) == sizeof head - 1,
                   "one word");
    memcpy(&head, o, sizeof head);
    return head;
}

/* Returns how many words; 0: it cannot be told that way. */
static uint32_t make_counted_key(const world *w, const trace_clocks *clocks, uint64_t *key) {
    gathered g;
    uint64_t *at = key;
    if (!gather(&g, w, clocks)) return 0;
    *at++ = w->op_count | (uint64_t)g.narrow << 32;
    for (unsigned t = 0; t < w->threads; t++)
        for (uint32_t k = 0; k < g.count[t]; k++) {
            const explored_operation *o = &w->ops[g.op[t][k]];
            *at++ = head_of(o) | (uint64_t)o->result << 32;
            for (unsigned a = 0; a < o->nargs; a++) *at++ = (uint64_t)o->arg[a];
            at = put_counted(at, &g, clocks->clock[o->first], clocks->clock[o->last], t);
        }
    assert(at - key <= KEY_WORDS);
    return (uint32_t)(at - key);
}

/* ---- the key, where steps know ---- */

/* What a call and its return know of their own thread goes without saying. */
static inline uint64_t *put_known(uint64_t *at, bool narrow, const known_row *call, const known_row *end,
                                  unsigned own) {
    _Static_assert(THREADS == sizeof *at, "one number a byte");
    const uint64_t others = ~(UINT64_C(0xff) << own * 8);
    uint64_t known[2];
    memcpy(&known[0], call, sizeof known[0]);
    memcpy(&known[1], end, sizeof known[1]);
    at[0] = known[0] & others;
    if (narrow) {
        at[0] = (uint32_t)at[0] | (known[1] & others) << 32;
        return at + 1;
    }
    at[1] = known[1] & others;
    return at + 2;
}

static inline void put_arguments(uint64_t *at, const explored_operation *o, uint32_t most) {
    at[0] = o->nargs ? (uint64_t)o->arg[0] : 0;
    for (uint32_t a = 1; a < most; a++) at[a] = a < o->nargs ? (uint64_t)o->arg[a] : 0;
}

/* Threads have as many operations as calls and returns say, when all have both: each operation can be put where it
 * belongs at once. */
static bool find_places(const world *w, uint32_t *place_of) {
    uint32_t events = 0;
    for (unsigned t = 0; t < w->threads; t++) {
        place_of[t] = events / 2;
        events += w->events[t];
    }
    return events == 2 * w->op_count;
}

static uint32_t make_known_key(const world *w, const known_step *known, uint64_t *key) {
    uint32_t place_of[THREADS], arguments = 1;
    if (!find_places(w, place_of)) return 0;
    for (uint32_t i = 0; i < w->op_count; i++)
        if (w->ops[i].nargs > 1) arguments = OPERATION_ARGS;
    const bool narrow = w->threads <= NARROW;
    const uint32_t stride = 2 + arguments + !narrow;
    key[0] = w->op_count | (uint64_t)stride << 32 | UINT64_C(1) << 63;
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        assert(place_of[o->thread] < w->op_count && o->first <= o->last);
        uint64_t *at = key + 1 + stride * place_of[o->thread]++;
        *at = head_of(o) | (uint64_t)o->result << 32;
        put_arguments(put_known(at + 1, narrow, &known[o->first].knows, &known[o->last].knows, o->thread), o,
                      arguments);
    }
    assert(1 + stride * w->op_count <= KEY_WORDS);
    assert(!w->threads || place_of[w->threads - 1] == w->op_count);
    return 1 + stride * w->op_count;
}

/* ---- the table ---- */

/* Two at a time: multiplications take long, but need not wait for each other. */
static uint64_t hash_key(const uint64_t *key, uint32_t n) {
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t a = n, b = ~a;
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        a = (a ^ key[i]) * odd;
        b = (b ^ key[i + 1]) * odd;
        a ^= a >> 29;
        b ^= b >> 31;
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

static known_signature *find_slot(const quick_signatures *q, uint64_t hash, const uint64_t *key, uint32_t words) {
    uint32_t i = (uint32_t)hash & (q->slots - 1);
    for (; q->slot[i].words; i = (i + 1) & (q->slots - 1)) {
        const known_signature *e = &q->slot[i];
        if (e->hash == hash && e->words == words && equal(q->pool + e->start, key, words)) break;
    }
    return &q->slot[i];
}

static void grow(quick_signatures *q) {
    known_signature *old = q->slot;
    const uint32_t slots = q->slots;
    q->slots *= 2;
    q->slot = mem_zero(q->slots, sizeof *q->slot);
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].words) assert(old[i].start + old[i].words <= q->pool_used);
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].words) *find_slot(q, old[i].hash, q->pool + old[i].start, old[i].words) = old[i];
    free(old);
}

static known_signature *add(quick_signatures *q, uint64_t hash, const uint64_t *key, uint32_t words) {
    if (2 * ++q->used > q->slots) grow(q);
    if (q->pool_used + words > q->pool_room) {
        q->pool_room = 2 * q->pool_room + KEY_WORDS;
        q->pool = MEM_GROW(q->pool, uint64_t, q->pool_room);
    }
    memcpy(q->pool + q->pool_used, key, words * sizeof *key);
    known_signature *e = find_slot(q, hash, key, words);
    assert(!e->words && q->pool_used + words <= q->pool_room && 2 * q->used <= q->slots);
    *e = (known_signature){.hash = hash, .start = q->pool_used, .signature = NO_SIGNATURE, .words = words};
    q->pool_used += words;
    return e;
}

/* What is over for its own thread before it is for others has more to say than the key has. */
static bool any_is_buffered(const world *w) {
    for (uint32_t i = 0; w->buffers && i < w->op_count; i++)
        if (w->ops[i].stores) return true;
    return false;
}

int64_t *quick_signature_find(quick_signatures *q, const world *w, const trace_clocks *clocks) {
    uint64_t key[KEY_WORDS];
    if (!clocks || w->op_count > OPERATIONS || w->threads > THREADS || any_is_buffered(w)) return NULL;
    const uint32_t words = clocks->known ? make_known_key(w, clocks->known, key) : make_counted_key(w, clocks, key);
    if (!words) return NULL;
    const uint64_t hash = hash_key(key, words);
    known_signature *e = find_slot(q, hash, key, words);
    return &(e->words ? e : add(q, hash, key, words))->signature;
}
