/* Asserts whose cost is not constant: they run in builds with PLUMB_SELF_CHECKS, where the tests turn them on. What
 * they ask is a function marked SELF_CHECK, which other builds compile and do not keep. */
#ifndef PLUMB_ENGINE_SELF_CHECK_H
#define PLUMB_ENGINE_SELF_CHECK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef PLUMB_SELF_CHECKS
enum { SELF_CHECKS = 1 };
#else
enum { SELF_CHECKS = 0 };
#endif

#define assert_costly(condition) assert(!SELF_CHECKS || (condition))
#define SELF_CHECK __attribute__((unused))

SELF_CHECK static inline bool words_ascend(const uint32_t *w, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (w[i - 1] >= w[i]) return false;
    return true;
}

SELF_CHECK static inline bool words_are_below(const uint32_t *w, uint32_t n, uint32_t limit) {
    for (uint32_t i = 0; i < n; i++)
        if (w[i] >= limit) return false;
    return true;
}

static inline bool is_power_of_two(uint64_t n) { return n && (n & (n - 1)) == 0; }

#endif
