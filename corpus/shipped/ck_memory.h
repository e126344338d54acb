/* Memory for the tables of ConcurrencyKit. */
#include <ck_malloc.h>
#include <stdbool.h>
#include <stdlib.h>

static void *allocate(size_t size) { return malloc(size); }
static void release(void *p, size_t size, bool later) { /* others may still read it: a leak, no more */
    (void)size;
    if (!later) free(p);
}
static struct ck_malloc memory = {.malloc = allocate, .free = release};
