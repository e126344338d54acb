/* A number for every gap, as the sum of differences: it changes from some gap on, and empties ask where it is not above
 * zero. Gap g is the moment right after event g. Before `base` nothing is asked any more, so the differences are a
 * ring. */
#ifndef PLUMB_MONITOR_GAP_SUM_H
#define PLUMB_MONITOR_GAP_SUM_H

#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define GAP_NONE UINT64_MAX

typedef struct gap_sum {
    uint64_t base, end;  /* gaps before base are settled; those from end on do not exist yet */
    int64_t total;       /* the sum of all differences */
    int64_t *difference; /* by gap, from base on: a ring */
    uint64_t room;
} gap_sum;

static inline void gap_sum_init(gap_sum *s, uint64_t first) { *s = (gap_sum){.base = first, .end = first}; }
static inline void gap_sum_free(gap_sum *s) { free(s->difference); }
static inline size_t gap_sum_memory(const gap_sum *s) { return s->room * sizeof *s->difference; }

static inline void gap_sum_grow(gap_sum *s, uint64_t now) {
    uint64_t room = s->room ? 2 * s->room : 64;
    while (now + 1 - s->base > room) room *= 2;
    assert(!(room & (room - 1)) && s->end - s->base <= room);
    int64_t *larger = MEM_ARRAY(int64_t, room);
    for (uint64_t g = s->base; g < s->end; g++) larger[g & (room - 1)] = s->difference[g & (s->room - 1)];
    free(s->difference);
    s->difference = larger;
    s->room = room;
}

/* Gaps up to `now` exist. */
static inline void gap_sum_reach(gap_sum *s, uint64_t now) {
    if (now + 1 - s->base > s->room) gap_sum_grow(s, now);
    for (; s->end <= now; s->end++) s->difference[s->end & (s->room - 1)] = 0;
    assert(s->end > now && s->end - s->base <= s->room);
}

/* The gap after the last one, at which the sum changes. */
static inline void gap_sum_next(gap_sum *s, int64_t by) {
    if (s->end + 1 - s->base > s->room) gap_sum_grow(s, s->end);
    s->difference[s->end++ & (s->room - 1)] = by;
    s->total += by;
    assert(s->end - s->base <= s->room);
}

static inline void gap_sum_change(gap_sum *s, uint64_t from, int64_t by) {
    assert(from < s->end);
    s->total += by;
    if (from >= s->base) s->difference[from & (s->room - 1)] += by;
}

typedef struct gap_place { /* a gap and its sum, from which that of others is found by steps */
    uint64_t at;
    int64_t sum;
} gap_place;

static inline gap_place gap_sum_last(const gap_sum *s) { return (gap_place){s->end - 1, s->total}; }

/* The first gap from g on and before `end` whose sum is not above zero; GAP_NONE: there is none. Goes there from `p`:
 * for many gaps that are near each other, begin with the last answer. */
static inline uint64_t gap_sum_good_from(const gap_sum *s, gap_place *p, uint64_t g, uint64_t end) {
    if (g < s->base) g = s->base;
    if (g >= end) return GAP_NONE;
    assert(end <= s->end && p->at >= s->base && p->at < s->end);
    for (; p->at > g; p->at--) p->sum -= s->difference[p->at & (s->room - 1)];
    while (p->at < g || p->sum > 0) {
        if (p->at + 1 == end) return GAP_NONE;
        p->at++;
        p->sum += s->difference[p->at & (s->room - 1)];
    }
    assert(p->at >= g && p->at < end && p->sum <= 0);
    return p->at;
}

/* From the end, which is near. */
static inline uint64_t gap_sum_good(const gap_sum *s, uint64_t g, uint64_t end) {
    gap_place last = gap_sum_last(s);
    return gap_sum_good_from(s, &last, g, end);
}

static inline void gap_sum_settle(gap_sum *s, uint64_t to) {
    if (s->base < to) s->base = to;
    if (s->end < to) s->end = to;
    assert(s->base <= s->end);
}

#endif
