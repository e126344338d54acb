#undef free /* here it is the C library's */

#include "base/mem.h"

#include "base/pool.h"

#include <assert.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

_Noreturn void mem_exhausted(const char *what) {
    if (pool_none_or_fail()) fprintf(stderr, "plumb: %s\n", what);
    exit(70);
}

static _Noreturn void exhausted(size_t size) {
    char what[80];
    snprintf(what, sizeof what, "out of memory (asked for %zu bytes)", size);
    mem_exhausted(what);
}

/* Bytes to ask the allocator for. */
static size_t with_trailer(size_t size) {
    if (!pool_now) return size ? size : 1;
    if (size > SIZE_MAX / 2) exhausted(size);
    return pool_size(size);
}

static void *kept(void *p, size_t size) {
    if (!p) exhausted(size);
    if (pool_now) pool_keep(p);
    return p;
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
    return posix_memalign(&p, LARGE_PAGE, filled) ? NULL : advise(p, filled);
}

void mem_keep_freed(void) {
#ifdef M_MMAP_THRESHOLD /* of glibc: other C libraries have no such settings */
    enum { RETURNED_AT_ONCE = 1 << 20, KEPT = 32 << 20 };
    mallopt(M_MMAP_THRESHOLD, RETURNED_AT_ONCE);
    mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

void mem_give_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void *mem_alloc(size_t size) {
    size_t whole = with_trailer(size);
    return kept(whole >= LARGE_PAGE / 4 * 3 ? large(whole) : malloc(whole), size);
}

static size_t product(size_t count, size_t size) {
    if (size && count > (SIZE_MAX - LARGE_PAGE) / size) exhausted(SIZE_MAX);
    return count * size;
}

void *mem_zero(size_t count, size_t size) {
    size_t total = product(count, size);
    return advise(kept(calloc(with_trailer(total), 1), total), total);
}

void *mem_lines(size_t count, size_t size) {
    enum { LINE = 64 };
    size_t total = product(count, size);
    return kept(aligned_alloc(LINE, (with_trailer(total) + LINE - 1) / LINE * LINE), total);
}

void *mem_resize(void *p, size_t count, size_t size) {
    size_t total = product(count, size);
    if (!p) return mem_alloc(total);
    void *q = pool_now ? pool_resize(p, total) : realloc(p, total ? total : 1);
    if (!q) exhausted(total);
    return advise(q, total);
}

void mem_free(void *p) {
    if (p && pool_now) pool_unkeep(p);
    free(p);
}

void *mem_shell(size_t size) {
    enum { APART = 128 };
    size_t whole = (size + APART - 1) / APART * APART;
    void *p = aligned_alloc(APART, whole);
    return p ? memset(p, 0, whole) : NULL;
}

void mem_foreign_free(void *p) { free(p); }

void *mem_copy(const void *p, size_t size) {
    void *q = mem_alloc(size);
    if (size) memcpy(q, p, size);
    return q;
}

char *mem_string(const char *text) { return mem_copy(text, strlen(text) + 1); }
