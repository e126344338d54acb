/* For tests/house/test_mutate.sh: one rule that between_check.c covers, and one that it does not. */
#include <assert.h>
#include <stdbool.h>

int calls;

bool between(int low, int value, int high) {
    assert(low <= high);
    calls++;
    return low <= value && value < high; /* both ends are checked */
}

int clipped(int value) {
    if (value > 100) return 100; /* not checked: what is above */
    return value;
}
