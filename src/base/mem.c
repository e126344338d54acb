#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Noreturn void exhausted(size_t size) {
    fprintf(stderr, "plumb: out of memory (asked for %zu bytes)\n", size);
    exit(70);
}

enum { HUGE_PAGE = 2 << 20, LARGE = 4 << 20 };

/* Columns of millions of operations are touched from end to end: large pages save most of the page faults. Only a hint, so
 * failure does not matter. */
static void *advise(void *p, size_t size) {
    if (size >= LARGE) {
        uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
        uintptr_t to = ((uintptr_t)p + size) & ~(uintptr_t)(HUGE_PAGE - 1);
        if (from < to) madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
    return p;
}

void *mem_alloc(size_t size) {
    void *p = malloc(size ? size : 1);
    if (!p) exhausted(size);
    return advise(p, size);
}

void *mem_zero(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) exhausted(count * size);
    return advise(p, count * size);
}

void *mem_resize(void *p, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) exhausted(SIZE_MAX);
    size_t total = count * size;
    void *q = realloc(p, total ? total : 1);
    if (!q) exhausted(total);
    return advise(q, total);
}

void *mem_copy(const void *p, size_t size) {
    void *q = mem_alloc(size);
    if (size) memcpy(q, p, size);
    return q;
}

char *mem_string(const char *text) {
    return mem_copy(text, strlen(text) + 1);
}
