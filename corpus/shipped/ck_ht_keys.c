/* Which keys are in the hash table of ConcurrencyKit (libck.a, see ck_ht.c), all of them in one chain.
 *
 * Without a flag: wrong, a defect of the library, for which one thread is enough. ck_ht_put_spmc does not look whether
 * the key is in the table once it has found a slot whose key was removed. Its manual page calls the key unique.
 * KEPT (right): no get loses a key that is there, whatever comes and goes in front of it. */
#include "ck_memory.h"

#include <plumbline/test.h>

#include <assert.h>
#include <ck_ht.h>

#ifndef MODE
#define MODE CK_HT_MODE_DIRECT
#endif

static ck_ht_t table;
static const ck_ht_hash_t chain = {0};

static void hash(ck_ht_hash_t *h, const void *key, size_t length, uint64_t seed) {
    (void)key, (void)length, (void)seed;
    *h = chain;
}
static bool store(int64_t k, bool (*how)(ck_ht_t *, ck_ht_hash_t, ck_ht_entry_t *)) {
    ck_ht_entry_t e;
    ck_ht_entry_set_direct(&e, chain, (uintptr_t)k, 7);
    return how(&table, chain, &e);
}
static bool find(int64_t k, bool (*how)(ck_ht_t *, ck_ht_hash_t, ck_ht_entry_t *)) {
    ck_ht_entry_t e;
    ck_ht_entry_key_set_direct(&e, (uintptr_t)k);
    return how(&table, chain, &e);
}

#ifdef KEPT
PLUMB_OBJECT("none")
PLUMB_SETUP {
    ck_ht_init(&table, MODE, hash, &memory, 8, 0);
    store(1, ck_ht_put_spmc);
    store(2, ck_ht_put_spmc);
}
PLUMB_OP(set, k) {
    store(k, ck_ht_set_spmc);
    return plumb_none();
}
PLUMB_OP(remove_odd, n) {
    find(2 * n - 1, ck_ht_remove_spmc);
    return plumb_none();
}
PLUMB_OP(gc) {
    ck_ht_gc(&table, 0, 0);
    return plumb_none();
}
PLUMB_OP(look) {
    assert(find(2, ck_ht_get_spmc));
    return plumb_none();
}
PLUMB_ONE_THREAD(set, remove_odd, gc)
#else
PLUMB_OBJECT("set")
PLUMB_SETUP { ck_ht_init(&table, MODE, hash, &memory, 8, 0); }
PLUMB_OP(add, k) { return plumb_bool(store(k, ck_ht_put_spmc)); }
PLUMB_OP(remove, k) { return plumb_bool(find(k, ck_ht_remove_spmc)); }
PLUMB_OP(contains, k) { return plumb_bool(find(k, ck_ht_get_spmc)); }
PLUMB_ONE_THREAD(add, remove)
PLUMB_THREADS("add(1) add(2) remove(1) add(2)")
#endif
