/* The table against a model: an array that is searched from one end to the other. */
#include "base/table.h"

#include "base/hash.h"
#include "base/random.h"

#include "support/cmocka.h"

enum { MOST = 4096, KEYS = 700 };

typedef struct keys { /* the owner: item i has key at[i] */
    uint32_t at[MOST];
    uint32_t n;
    uint32_t hash_mask; /* few hashes make long runs of slots */
} keys;

static uint32_t hash_key(const keys *k, uint32_t key) { return (uint32_t)hash_mix(key) & k->hash_mask; }
static uint32_t hash_of(const void *owner, uint32_t item) {
    const keys *k = owner;
    return hash_key(k, k->at[item]);
}
static bool is(const void *owner, uint32_t item, const void *key) {
    return ((const keys *)owner)->at[item] == *(const uint32_t *)key;
}

static uint32_t find(const table *t, const keys *k, uint32_t key) {
    return table_find(t, hash_key(k, key), is, k, &key);
}

static void add(table *t, keys *k, uint32_t key) {
    k->at[k->n] = key;
    table_add(t, hash_key(k, key), hash_of, k, k->n++);
}

static void nothing_is_found_in_an_empty_table(void **unused) {
    (void)unused;
    table t = {0};
    keys k = {.hash_mask = UINT32_MAX};
    assert_int_equal(find(&t, &k, 1), TABLE_NONE);
    table_clear(&t);
    assert_int_equal(table_memory(&t), 0);
    add(&t, &k, 1);
    assert_int_equal(find(&t, &k, 1), 0);
    assert_int_equal(find(&t, &k, 2), TABLE_NONE);
    table_free(&t);
    assert_int_equal(find(&t, &k, 1), TABLE_NONE);
}

static void it_grows_and_keeps_every_item(void **unused) {
    (void)unused;
    static keys k;
    table t = {0};
    k = (keys){.hash_mask = UINT32_MAX};
    for (uint32_t i = 0; i < MOST; i++) {
        add(&t, &k, 7 * i + 1);
        assert_true(2 * t.count <= t.slots);
    }
    assert_int_equal(t.count, MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        assert_int_equal(find(&t, &k, 7 * i + 1), i);
        assert_int_equal(find(&t, &k, 7 * i + 2), TABLE_NONE);
    }
    table_free(&t);
}

/* Stamps come round after 2^32 clearings: what was there long ago must not come back. */
static void clearing_forgets_all_and_stamps_may_wrap_around(void **unused) {
    (void)unused;
    static keys k;
    table t = {0};
    k = (keys){.hash_mask = UINT32_MAX};
    add(&t, &k, 5);
    uint32_t slots = t.slots;
    table_clear(&t);
    assert_int_equal(t.count, 0);
    assert_int_equal(find(&t, &k, 5), TABLE_NONE);
    assert_int_equal(t.slots, slots);
    t.stamp = UINT32_MAX;
    add(&t, &k, 6);
    table_clear(&t);
    assert_int_not_equal(t.stamp, 0);
    assert_int_equal(find(&t, &k, 5), TABLE_NONE);
    assert_int_equal(find(&t, &k, 6), TABLE_NONE);
    table_free(&t);
}

typedef struct model { /* by key: its item; TABLE_NONE */
    uint32_t item[KEYS];
    uint32_t count;
} model;

static void same_as_model(const table *t, const keys *k, const model *m) {
    assert_int_equal(t->count, m->count);
    for (uint32_t key = 0; key < KEYS; key++) assert_int_equal(find(t, k, key), m->item[key]);
}

static void act_like_a_model(uint64_t seed, uint32_t hash_mask) {
    static keys k;
    static model m;
    random_source r = {seed};
    table t = {0};
    k = (keys){.hash_mask = hash_mask};
    m.count = 0;
    for (uint32_t key = 0; key < KEYS; key++) m.item[key] = TABLE_NONE;
    for (uint32_t step = 0; step < 3000 && k.n < MOST; step++) {
        uint32_t key = random_below(&r, KEYS), *item = &m.item[key];
        if (random_chance(&r, 0.002)) {
            table_clear(&t);
            for (uint32_t i = 0; i < KEYS; i++) m.item[i] = TABLE_NONE;
            m.count = 0;
        } else if (*item == TABLE_NONE) {
            *item = k.n;
            m.count++;
            add(&t, &k, key);
        }
        assert_int_equal(find(&t, &k, key), *item);
        if (step % 64 == 0) same_as_model(&t, &k, &m);
    }
    same_as_model(&t, &k, &m);
    table_free(&t);
}

static void random_adds_are_those_of_a_model(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        act_like_a_model(seed, UINT32_MAX);
        act_like_a_model(seed, 15);
        act_like_a_model(seed, 0);
    }
}

TEST_MAIN(TEST(nothing_is_found_in_an_empty_table), TEST(it_grows_and_keeps_every_item),
          TEST(clearing_forgets_all_and_stamps_may_wrap_around), TEST(random_adds_are_those_of_a_model))
