#include "engine/rank_order.h"
#include "engine/self_check.h"

#include <stdbool.h>

enum { DIGIT = 11, BUCKETS = 1 << DIGIT, NEAR = 8 };

/* Ranks gathered in the order of calls are nearly sorted: each is a few places off. False, with the array still a
 * permutation of what it was, when this takes more than NEAR moves an item. */
static bool insertion_sort(ranked *a, uint32_t n) {
    uint64_t moves = (uint64_t)NEAR * n + 1024;
    for (uint32_t i = 1; i < n; i++) {
        if (a[i - 1].rank <= a[i].rank) continue;
        ranked x = a[i];
        uint32_t j = i;
        for (; j && a[j - 1].rank > x.rank; j--) a[j] = a[j - 1];
        a[j] = x;
        if (moves < i - j) return false;
        moves -= i - j;
    }
    return true;
}

static void pass(const ranked *from, ranked *to, uint32_t n, uint32_t base, unsigned shift) {
    uint32_t start[BUCKETS] = {0}, sum = 0;
    for (uint32_t i = 0; i < n; i++) start[(from[i].rank - base) >> shift & (BUCKETS - 1)]++;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        uint32_t count = start[b];
        start[b] = sum;
        sum += count;
    }
    assert(sum == n);
    for (uint32_t i = 0; i < n; i++) to[start[(from[i].rank - base) >> shift & (BUCKETS - 1)]++] = from[i];
}

SELF_CHECK static bool ranks_ascend(const ranked *a, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (a[i - 1].rank > a[i].rank) return false;
    return true;
}

ranked *rank_order(ranked *a, ranked *other, uint32_t n) {
    assert(n == 0 || a + n <= other || other + n <= a); /* two arrays that do not overlap */
    if (insertion_sort(a, n)) {
        assert_costly(ranks_ascend(a, n));
        return a;
    }
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (a[i].rank < low) low = a[i].rank;
        if (a[i].rank > high) high = a[i].rank;
    }
    for (unsigned shift = 0; shift < 32 && (high - low) >> shift; shift += DIGIT) {
        pass(a, other, n, low, shift);
        ranked *swap = a;
        a = other;
        other = swap;
    }
    assert_costly(ranks_ascend(a, n));
    return a;
}
