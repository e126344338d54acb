#include "history/rank.h"

#include "base/mem.h"
#include "history/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static bool sorted(const int64_t *key, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (key[i] < key[i - 1]) return false;
    return true;
}

static void pass(const int64_t *key, int64_t low, unsigned shift, const uint32_t *from, uint32_t *to, uint32_t n) {
    uint32_t *start = mem_zero(DIGITS, sizeof *start);
    for (uint32_t i = 0; i < n; i++) start[(((uint64_t)key[i] - (uint64_t)low) >> shift) & (DIGITS - 1)]++;
    uint32_t sum = 0;
    for (unsigned d = 0; d < DIGITS; d++) {
        uint32_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    assert(sum == n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t op = from ? from[i] : i;
        to[start[(((uint64_t)key[op] - (uint64_t)low) >> shift) & (DIGITS - 1)]++] = op;
    }
    free(start);
}

/* Returns come almost in the order of their calls when few clients overlap: insertion is then the fastest. Gives up,
 * with NULL, after MOVES_EACH moves an entry on average. */
static uint32_t *sort_by_insertion(const int64_t *key, uint32_t n) {
    enum { MOVES_EACH = 8 };
    uint32_t *order = MEM_ARRAY(uint32_t, n);
    uint64_t moves = (uint64_t)n * MOVES_EACH;
    for (uint32_t i = 0; i < n; i++) {
        int64_t k = key[i];
        uint32_t at = i;
        for (; at && key[order[at - 1]] > k; at--) {
            if (moves-- == 0) {
                free(order);
                return NULL;
            }
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    return order;
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
/* Each index occurs once, by ascending key, equal keys in the order they came. */
static bool is_stable_order(const int64_t *key, const uint32_t *order, uint32_t n) {
    uint8_t *seen = mem_zero(n, 1);
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        good = order[i] < n && !seen[order[i]];
        if (good) seen[order[i]] = 1;
        if (good && i) {
            int64_t a = key[order[i - 1]], b = key[order[i]];
            good = a < b || (a == b && order[i - 1] < order[i]);
        }
    }
    free(seen);
    return good;
}
#endif

static uint32_t *sort_by_any_way(const int64_t *key, uint32_t n) {
    if (sorted(key, n)) return NULL;
    uint32_t *nearly = sort_by_insertion(key, n);
    if (nearly) return nearly;
    int64_t low = key[0], high = key[0];
    for (uint32_t i = 1; i < n; i++) {
        if (key[i] < low) low = key[i];
        if (key[i] > high) high = key[i];
    }
    uint64_t range = (uint64_t)high - (uint64_t)low;
    uint32_t *from = NULL, *to = MEM_ARRAY(uint32_t, n), *spare = MEM_ARRAY(uint32_t, n);
    for (unsigned shift = 0; shift < 64 && (shift == 0 || range >> shift); shift += DIGIT_BITS) {
        pass(key, low, shift, from, to, n);
        uint32_t *done = to;
        to = from ? from : spare;
        from = done;
    }
    free(to);
    return from;
}

uint32_t *rank_sort(const int64_t *key, uint32_t n) {
    uint32_t *order = sort_by_any_way(key, n);
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    assert(!order || is_stable_order(key, order, n));
#endif
    return order;
}

/* Of a clock that counts, a bit for each tick; of any other, the two orders side by side. */
static bool ticks_touch(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n, uint64_t range) {
    uint64_t *called = mem_zero((size_t)(range / 64 + 1), sizeof *called);
    bool touch = false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t tick = (uint64_t)call_time[i] - (uint64_t)call_time[0];
        called[tick / 64] |= (uint64_t)1 << tick % 64;
    }
    for (uint32_t i = 0; i < n && !touch; i++) {
        uint64_t tick = (uint64_t)ret_time[i] - (uint64_t)call_time[0];
        touch = ret_time[i] != never && tick <= range && (called[tick / 64] >> tick % 64 & 1);
    }
    free(called);
    return touch;
}

bool rank_touches(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n) {
    enum { TICKS_FOR_ONE = 64 };
    if (!n) return false;
    uint64_t range = (uint64_t)call_time[n - 1] - (uint64_t)call_time[0];
    if (range / TICKS_FOR_ONE <= n) return ticks_touch(call_time, ret_time, never, n, range);
    uint32_t *order = rank_sort(ret_time, n), calls = 0;
    bool touch = false;
    for (uint32_t r = 0; r < n && !touch; r++) {
        int64_t at = ret_time[order ? order[r] : r];
        while (calls < n && call_time[calls] < at) calls++;
        touch = at != never && calls < n && call_time[calls] == at;
    }
    free(order);
    return touch;
}

/* ---- logical clocks ---- */

/* Stamps that count events: no two are equal and most numbers between the first and the last are used. Then the rank of
 * an event is the number of used ticks below its own, and nothing has to be sorted. Ticks are counted in blocks: the
 * count inside a block fits a byte. */
enum { TICKS_EACH = 4, BLOCK_BITS = 8 };

typedef struct ticks {
    int64_t first;
    uint64_t range;
    uint8_t *inside;  /* is the tick used? later: how many used ticks of its block are below it */
    uint32_t *before; /* by block: how many used ticks are in the blocks below it */
} ticks;

static bool count_ticks(ticks *t, uint32_t events) {
    uint32_t total = 0;
    for (uint64_t from = 0; from < t->range; from += 1 << BLOCK_BITS) {
        uint64_t to = t->range - from < 1 << BLOCK_BITS ? t->range : from + (1 << BLOCK_BITS);
        uint32_t below = 0;
        for (uint64_t tick = from; tick < to; tick++) {
            uint8_t used = t->inside[tick];
            t->inside[tick] = (uint8_t)below;
            below += used;
        }
        t->before[from >> BLOCK_BITS] = total;
        total += below;
    }
    return total == events;
}

static inline uint32_t tick_rank(const ticks *t, int64_t time) {
    uint64_t tick = (uint64_t)time - (uint64_t)t->first;
    assert(tick < t->range);
    return t->before[tick >> BLOCK_BITS] + t->inside[tick];
}

static uint32_t mark_ticks(ticks *t, const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n) {
    uint32_t events = n;
    for (uint32_t i = 0; i < n; i++) {
        t->inside[(uint64_t)call_time[i] - (uint64_t)t->first] = 1;
        if (ret_time[i] == never) continue;
        t->inside[(uint64_t)ret_time[i] - (uint64_t)t->first] = 1;
        events++;
    }
    return events;
}

/* The number of events; 0 when the stamps do not come from such a clock. */
static uint32_t rank_ticks(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n, uint32_t *call,
                           uint32_t *ret) {
    if (n == 0) return 0;
    int64_t last = call_time[n - 1];
    for (uint32_t i = 0; i < n; i++) last = ret_time[i] > last && ret_time[i] != never ? ret_time[i] : last;
    ticks t = {.first = call_time[0], .range = (uint64_t)last - (uint64_t)call_time[0]};
    if (t.range++ >= (uint64_t)n * TICKS_EACH) return 0;
    t.inside = mem_zero(t.range, 1);
    t.before = MEM_ARRAY(uint32_t, (t.range >> BLOCK_BITS) + 1);
    uint32_t events = mark_ticks(&t, call_time, ret_time, never, n);
    if (!count_ticks(&t, events)) events = 0;
    for (uint32_t i = 0; i < n && events; i++) {
        call[i] = tick_rank(&t, call_time[i]);
        ret[i] = ret_time[i] == never ? RANK_NEVER : tick_rank(&t, ret_time[i]);
    }
    free(t.inside);
    free(t.before);
    return events;
}

/* ---- any clock ---- */

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
/* Ranks are 0 .. events-1, each of one event, ordered by stamp, and calls come before returns with the same stamp. */
static bool ranks_follow_stamps(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n,
                                const uint32_t *after, const uint32_t *call, const uint32_t *ret, uint32_t events) {
    int64_t *at = MEM_ARRAY(int64_t, events);
    uint8_t *kind = mem_zero(events, 1); /* 1 a call, 2 a return; 0: no event has this rank */
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        good = call[i] < events && !kind[call[i]] && (!i || call[i - 1] < call[i]);
        if (good) {
            at[call[i]] = call_time[i];
            kind[call[i]] = 1;
        }
        bool returned = ret_time[i] != never;
        good = good && (returned ? ret[i] < events && !kind[ret[i]] && call[i] < ret[i] : ret[i] == RANK_NEVER);
        if (good && returned) {
            at[ret[i]] = ret_time[i];
            kind[ret[i]] = 2;
        }
    }
    for (uint32_t r = 0; r < events && good; r++)
        good = kind[r] && (!r || at[r - 1] < at[r] || (at[r - 1] == at[r] && (after || kind[r - 1] <= kind[r])));
    for (uint32_t i = 0; i < n && good && after; i++) good = after[i] == RANK_NEVER || ret[after[i]] + 1 == call[i];
    free(at);
    free(kind);
    return good;
}
#endif

/* As rank_any_stamps, where some calls wait for a return of their stamp. */
static uint32_t rank_waiting(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n,
                             const uint32_t *after, uint32_t *call, uint32_t *ret) {
    uint32_t rank = 0, calls = 0, *order = rank_sort(ret_time, n);
    for (uint32_t i = 0; i < n; i++) ret[i] = RANK_NEVER; /* until it has one */
    for (uint32_t r = 0; r < n; r++) {
        uint32_t op = order ? order[r] : r;
        if (ret_time[op] == never) continue;
        for (; calls < n && call_time[calls] <= ret_time[op]; call[calls++] = rank++) {
            uint32_t before = after[calls];
            if (before != RANK_NEVER && ret[before] == RANK_NEVER) ret[before] = rank++;
        }
        if (ret[op] == RANK_NEVER) ret[op] = rank++;
    }
    while (calls < n) call[calls++] = rank++;
    free(order);
    return rank;
}

static uint32_t rank_any_stamps(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n,
                                uint32_t *call, uint32_t *ret) {
    uint32_t rank = rank_ticks(call_time, ret_time, never, n, call, ret), calls = 0;
    if (rank) return rank;
    uint32_t *order = rank_sort(ret_time, n);
    for (uint32_t r = 0; r < n; r++) {
        uint32_t op = order ? order[r] : r;
        if (ret_time[op] == never) {
            ret[op] = RANK_NEVER;
            continue;
        }
        while (calls < n && call_time[calls] <= ret_time[op]) call[calls++] = rank++;
        ret[op] = rank++;
    }
    while (calls < n) call[calls++] = rank++;
    free(order);
    return rank;
}

uint32_t rank_events(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n,
                     const uint32_t *after, uint32_t *call, uint32_t *ret) {
    assert(sorted(call_time, n));
    uint32_t events = after ? rank_waiting(call_time, ret_time, never, n, after, call, ret)
                            : rank_any_stamps(call_time, ret_time, never, n, call, ret);
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    assert(ranks_follow_stamps(call_time, ret_time, never, n, after, call, ret, events));
#endif
    return events;
}
