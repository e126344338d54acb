/* Pending operations that are said not to be needed, against the oracle: without them the verdict is the same. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/engine_trial.h"

typedef struct needed_counts {
    unsigned histories, left_out, violations;
} needed_counts;

static bool is_right(const object *o, const history *h) { return oracle_linearizable(o, h, 0) == ORACLE_YES; }

static void try_history(const bound *b, needed_counts *c) {
    uint32_t op[64], n = 0;
    uint8_t needed[64];
    uint32_t all[64];
    assert_true(b->h->n <= 64);
    for (uint32_t i = 0; i < b->h->n; i++) all[i] = i;
    object_needed(b->o, b->h, all, b->h->n, needed);
    for (uint32_t i = 0; i < b->h->n; i++)
        if (needed[i]) op[n++] = i;
    c->histories++;
    if (n == b->h->n) return;
    history *without = history_select(b->h, op, n, RANK_NEVER);
    bool right = is_right(b->o, b->h);
    c->left_out++;
    c->violations += !right;
    assert_int_equal(is_right(b->o, without), right);
    history_free(without);
}

static needed_counts try_object(const char *name, uint32_t different, unsigned count) {
    random_source r = {.s = 11 + different};
    needed_counts c = {0};
    for (unsigned i = 0; i < count; i++) {
        random_shape shape = random_shape_any(&r);
        shape.keys = 1;
        shape.values = different;
        shape.pending = 0.4;
        bound b = random_history(&r, name, &shape);
        try_history(&b, &c);
        free_bound(&b);
    }
    print_message("%s: %u histories, in %u something is not needed, %u of them violations\n", name, c.histories,
                  c.left_out, c.violations);
    return c;
}

/* Texts of several digits end in each other, and are put together to each other. */
static void keys_with_appends(void **unused) {
    (void)unused;
    static const uint32_t different[] = {0, 3, 30};
    for (unsigned i = 0; i < 3; i++) {
        needed_counts c = try_object("kv", different[i], trial_histories(20000));
        assert_true(c.left_out > c.histories / 20 && c.violations > c.left_out / 20);
    }
}

static void other_objects(void **unused) {
    (void)unused;
    static const char *const names[] = {"register", "cas-register", "queue", "stack", "deque", "pqueue-max"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        needed_counts c = try_object(names[i], i % 2 ? 0 : 3, trial_histories(5000));
        assert_true(c.left_out > 0);
    }
}

static bool is_needed(const char *operations, uint32_t which) {
    bound b = make_history("kv", operations);
    uint8_t needed[16];
    uint32_t all[16];
    for (uint32_t i = 0; i < b.h->n; i++) all[i] = i;
    object_needed(b.o, b.h, all, b.h->n, needed);
    bool yes = needed[which];
    free_bound(&b);
    return yes;
}

static void texts(void **unused) {
    (void)unused;
    assert_true(is_needed("append(k,b) [0,-]; append(k,a) [1,2]; get(k) -> ba [3,4]", 0));
    assert_false(is_needed("append(k,c) [0,-]; append(k,a) [1,2]; get(k) -> ba [3,4]", 0));
    assert_false(is_needed("put(k,c) [0,-]; append(k,a) [1,2]; get(k) -> ba [3,4]", 0));
    assert_true(is_needed("put(k,b) [0,-]; append(k,a) [1,2]; get(k) -> ba [3,4]", 0));
    /* what an append finds absent */
    assert_true(is_needed("delete(k) [0,-]; put(k,c) [1,2]; append(k,a) [3,4]; get(k) -> a [5,6]", 0));
    /* by what another pending one looks for */
    assert_true(is_needed("append(k,b) [0,-]; cas(k,b,c) [1,-]; append(k,d) [2,3]; get(k) -> cd [4,5]", 0));
    assert_false(is_needed("append(k,b) [0,-]; cas(k,x,c) [1,-]; append(k,d) [2,3]; get(k) -> cd [4,5]", 0));
    /* whatever makes a compare-and-set fail */
    assert_true(is_needed("append(k,c) [0,-]; append(k,a) [1,2]; cas(k,a,b) -> false [3,4]", 0));
}

TEST_MAIN(TEST(keys_with_appends), TEST(other_objects), TEST(texts))
