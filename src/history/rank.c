#include "history/rank.h"

#include "base/mem.h"
#include "history/history.h"

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

uint32_t *rank_sort(const int64_t *key, uint32_t n) {
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

uint32_t rank_events(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n, uint32_t *call, uint32_t *ret) {
    uint32_t *order = rank_sort(ret_time, n);
    uint32_t rank = 0, calls = 0;
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
