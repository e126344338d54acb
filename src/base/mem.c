#include "base/mem.h"

#include <assert.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Noreturn void exhausted(size_t size) {
    fprintf(stderr, "plumb: out of memory (asked for %zu bytes)\n", size);
    exit(70);
}

enum { LARGE_PAGE = 2 << 20 };

static size_t whole_pages(size_t size) { return (size + LARGE_PAGE / 2) / LARGE_PAGE * LARGE_PAGE; }

/* Columns of millions of operations are touched from end to end: large pages save most of the page faults. Only a hint,
 * so failure does not matter. */
static void *advise(void *p, size_t size) {
    uintptr_t from = ((uintptr_t)p + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1), to = (uintptr_t)p + size;
    if (from < to && to - from >= LARGE_PAGE)
        madvise((void *)from, (to - from) & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
    return p;
}

/* In whole large pages, or nearly: the last one is filled up when it is used by half. */
static void *large(size_t size) {
    size_t filled = whole_pages(size) > size ? whole_pages(size) : size;
    void *p;
    assert(filled >= size);
    if (posix_memalign(&p, LARGE_PAGE, filled)) exhausted(size);
    return advise(p, filled);
}

void mem_keep_freed(void) {
    enum { RETURNED_AT_ONCE = 1 << 20, KEPT = 32 << 20 };
    mallopt(M_MMAP_THRESHOLD, RETURNED_AT_ONCE);
    mallopt(M_TRIM_THRESHOLD, KEPT);
}

void *mem_alloc(size_t size) {
    if (size >= LARGE_PAGE / 4 * 3) return large(size);
    void *p = malloc(size ? size : 1);
    if (!p) exhausted(size);
    return p;
}

void *mem_zero(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) exhausted(count * size);
    return advise(p, count * size);
}

void *mem_lines(size_t count, size_t size) {
    enum { LINE = 64 };
    if (size && count > (SIZE_MAX - LINE) / size) exhausted(SIZE_MAX);
    const size_t total = (count * size + LINE - 1) / LINE * LINE;
    void *p = aligned_alloc(LINE, total ? total : LINE);
    if (!p) exhausted(total);
    return p;
}

void *mem_resize(void *p, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) exhausted(SIZE_MAX);
    size_t total = count * size;
    if (!p) return mem_alloc(total);
    void *q = realloc(p, total ? total : 1);
    if (!q) exhausted(total);
    return advise(q, total);
}

void *mem_copy(const void *p, size_t size) {
    void *q = mem_alloc(size);
    if (size) memcpy(q, p, size);
    return q;
}

char *mem_string(const char *text) { return mem_copy(text, strlen(text) + 1); }
