/* Heapsort: in place, no worse case, and the order of equal elements is not promised by qsort_r either. */
#include "qsort_r.h"

typedef int comparison(const void *, const void *, void *);

static void swap(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

static void sift(char *base, size_t at, size_t n, size_t size, comparison *compare, void *context) {
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && compare(base + child * size, base + (child + 1) * size, context) < 0) child++;
        if (compare(base + at * size, base + child * size, context) >= 0) return;
        swap(base + at * size, base + child * size, size);
    }
}

void qsort_r(void *base, size_t n, size_t size, comparison *compare, void *context) {
    for (size_t i = n / 2; i-- > 0;) sift(base, i, n, size, compare, context);
    for (size_t left = n; left-- > 1;) {
        swap(base, (char *)base + left * size, size);
        sift(base, 0, left, size, compare, context);
    }
}
