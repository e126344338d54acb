/* The robin-hood hash set of ConcurrencyKit: one thread writes, all may read. Its code is not in a header but in libck.a, as
 * libck-dev ships it: the archive's objects are taken apart and explored as they are.
 *
 * Without a flag: wrong, a defect of the library. A get looks into the slots of its hash, and looks again when the generation of its
 *          hash (the last ten bits of it) was counted up meanwhile. A remove moves entries from behind into the gap, and counts a
 *          generation for each: that of the entry's first slot, which is its hash cut to the size of the table. In a table of less
 *          than 1,024 slots that is another generation. A get that has passed the gap before finds the old slot of its key empty
 *          afterwards, sees its generation unchanged, and answers that there is no such key.
 * SMALL_HASH (right): hashes are less than the number of slots. */
#include <plumbline/test.h>

#include <ck_rhs.h>
#include <stdlib.h>

static ck_rhs_t set;

static void *allocate(size_t size) { return malloc(size); }
static void release(void *p, size_t size, bool later) { /* others may still read it: a leak, no more */
    (void)size;
    if (!later) free(p);
}
static struct ck_malloc memory = {.malloc = allocate, .free = release};

/* Keys are addresses, and an address is its own hash: the same first slot for all, in a table of 16. */
static void *key(int64_t k) { return (void *)(uintptr_t)(k << 4); }
static unsigned long hash(const void *p, unsigned long seed) {
    (void)seed;
#ifdef SMALL_HASH
    return (void)p, 5;
#else
    return (unsigned long)p;
#endif
}

PLUMB_OBJECT("set")
PLUMB_SETUP { ck_rhs_init(&set, CK_RHS_MODE_SPMC | CK_RHS_MODE_DIRECT, hash, NULL, &memory, 8, 0); }
PLUMB_OP(add, k) { return plumb_bool(ck_rhs_put(&set, CK_RHS_HASH(&set, hash, key(k)), key(k))); }
PLUMB_OP(remove, k) { return plumb_bool(ck_rhs_remove(&set, CK_RHS_HASH(&set, hash, key(k)), key(k)) != NULL); }
PLUMB_OP(contains, k) { return plumb_bool(ck_rhs_get(&set, CK_RHS_HASH(&set, hash, key(k)), key(k)) != NULL); }
PLUMB_ONE_THREAD(add, remove)
