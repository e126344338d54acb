/* The hash table of ConcurrencyKit: one thread writes, all may read. Its code is not in a header but in libck.a, as libck-dev ships
 * it: the archive's objects are taken apart and explored as they are.
 *
 * Without a flag: wrong, a defect of the library. A set of a key that is in the table already moves it to an earlier slot of its chain
 *          where a key was removed. Gets look again when the table's count of such reuses has changed; the count has to go up before
 *          the slot is written. The set looks at the slot's value to find out whether it was removed, where it should look at the
 *          key, and counts only behind it: a get that has read the removed key before reads the value of the other one behind it.
 * FIRST_ONLY (right): keys that are in the table are left as they are (ck_ht_put_spmc, which looks at the key). */
#include "ck_memory.h"

#include <plumbline/test.h>

#include <ck_ht.h>

static ck_ht_t table;

/* All keys in one chain. */
static void hash(ck_ht_hash_t *h, const void *key, size_t length, uint64_t seed) {
    (void)key, (void)length, (void)seed;
    h->value = 0;
}
static ck_ht_hash_t hash_of(int64_t k) {
    ck_ht_hash_t h;
    ck_ht_hash_direct(&h, &table, (uintptr_t)k);
    return h;
}

PLUMB_OBJECT("kv")
PLUMB_SETUP { ck_ht_init(&table, CK_HT_MODE_DIRECT, hash, &memory, 8, 0); }
PLUMB_OP(put, k, v) {
    ck_ht_entry_t e;
    ck_ht_hash_t h = hash_of(k);
    ck_ht_entry_set_direct(&e, h, (uintptr_t)k, (uintptr_t)v);
#ifdef FIRST_ONLY
    ck_ht_put_spmc(&table, h, &e);
#else
    ck_ht_set_spmc(&table, h, &e);
#endif
    return plumb_none();
}
PLUMB_OP(get, k) {
    ck_ht_entry_t e;
    ck_ht_entry_key_set_direct(&e, (uintptr_t)k);
    return ck_ht_get_spmc(&table, hash_of(k), &e) ? plumb_int((int64_t)ck_ht_entry_value_direct(&e)) : plumb_none();
}
PLUMB_OP(delete, k) {
    ck_ht_entry_t e;
    ck_ht_entry_key_set_direct(&e, (uintptr_t)k);
    ck_ht_remove_spmc(&table, hash_of(k), &e);
    return plumb_none();
}
PLUMB_ONE_THREAD(put, delete)
#ifdef FIRST_ONLY
PLUMB_THREADS("put(1,1) : delete(1) put(2,3) | get(1)")
#else
PLUMB_THREADS("put(1,1) put(2,2) : delete(1) put(2,3) | get(1)")
#endif
