#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void exhausted(size_t size) {
    fprintf(stderr, "plumb: out of memory (asked for %zu bytes)\n", size);
    exit(70);
}

void *mem_alloc(size_t size) {
    void *p = malloc(size ? size : 1);
    if (!p) exhausted(size);
    return p;
}

void *mem_zero(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) exhausted(count * size);
    return p;
}

void *mem_resize(void *p, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) exhausted(SIZE_MAX);
    size_t total = count * size;
    void *q = realloc(p, total ? total : 1);
    if (!q) exhausted(total);
    return q;
}

void *mem_copy(const void *p, size_t size) {
    void *q = mem_alloc(size);
    if (size) memcpy(q, p, size);
    return q;
}

char *mem_string(const char *text) {
    return mem_copy(text, strlen(text) + 1);
}
