/* The engine of appends against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

/* With an append and without compare-and-sets, which are mostly refused. */
static bool has_appends(random_source *r, bound *b) {
    int append = object_type_own_method(b->o->type, "append"), cas = object_type_own_method(b->o->type, "cas");
    bool any = false;
    (void)r;
    for (uint32_t i = 0; i < b->h->n; i++) {
        if (b->h->method[i] == cas) return false;
        any |= b->h->method[i] == append;
    }
    return any;
}

static random_shape shape_appends(random_source *r) {
    random_shape s = shape_distinct(r);
    s.keys = 1;
    return s;
}

static void against_the_oracle(void **unused) {
    (void)unused;
    differential d = {.engine = "append-linear",
                      .object = "kv",
                      .seed = 7,
                      .histories = 60000,
                      .decided = 30,
                      .shape = shape_appends,
                      .prepare = has_appends};
    differential_run(&d);
    d.seed++;
    d.shape = shape_small; /* repeated values: refused or right */
    d.decided = 1;
    differential_run(&d);
    d.prepare = NULL;
    differential_run(&d);
}

static verdict decide_kv(const char *operations) { return decide_text("append-linear", "kv", operations); }

static void reads_tell_writers(void **unused) {
    (void)unused;
    assert_int_equal(decide_kv("append(k,a) [0,1]; append(k,b) [2,3]; get(k) -> ab [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_kv("append(k,a) [0,3]; append(k,b) [1,2]; get(k) -> ba [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_kv("append(k,a) [0,1]; append(k,b) [2,3]; get(k) -> ba [4,5]"), VERDICT_VIOLATION);
    /* two reads that are no beginnings of each other */
    assert_int_equal(decide_kv("append(k,a) [0,9]; append(k,b) [1,8]; get(k) -> ab [2,7]; get(k) -> ba [3,6]"),
                     VERDICT_VIOLATION);
    /* one that lacks what was appended before it */
    assert_int_equal(decide_kv("append(k,a) [0,1]; append(k,b) [2,3]; get(k) -> a [4,5]"), VERDICT_VIOLATION);
    /* a piece that was never appended, and one twice */
    assert_int_equal(decide_kv("append(k,a) [0,1]; get(k) -> ac [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("append(k,a) [0,1]; get(k) -> aa [4,5]"), VERDICT_VIOLATION);
}

static void unread_ones(void **unused) {
    (void)unused;
    /* in the block of the put, behind what was read of it */
    assert_int_equal(decide_kv("put(k,a) [0,1]; append(k,b) [2,9]; get(k) -> a [3,4]; put(k,c) [5,6]; append(k,d) "
                               "[7,8]; get(k) -> cd [10,11]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_kv("put(k,a) [0,1]; append(k,b) [2,3]; get(k) -> a [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("append(k,b) [0,-]; get(k) -> none [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_kv("append(k,b) [0,-]; get(k) -> b [4,5]; get(k) -> none [6,7]"), VERDICT_VIOLATION);
}

static void ambiguous_ones(void **unused) {
    (void)unused;
    assert_int_equal(decide_kv("append(k,a) [0,1]; append(k,b) [2,3]; append(k,ab) [0,-]; get(k) -> ab [4,5]"),
                     VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("append(k,a) [0,9]; append(k,a) [1,8]; get(k) -> aa [2,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("append(k,a) [0,1]; cas(k,b,c) -> false [2,5]"), VERDICT_UNDECIDED);
    assert_false(accepts_text("append-linear", "kv", "put(k,a) [0,1]"));
}

/* Integers are appended as they print; alone they stay integers. */
static void numbers(void **unused) {
    (void)unused;
    assert_int_equal(decide_kv("append(k,7) [0,1]; get(k) -> 7 [2,3]; append(k,x) [4,5]; get(k) -> 7x [6,7]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_kv("append(k,7) [0,1]; append(k,8) [4,5]; get(k) -> 78 [6,7]"), VERDICT_VIOLATION);
}

TEST_MAIN(TEST(against_the_oracle), TEST(reads_tell_writers), TEST(unread_ones), TEST(ambiguous_ones), TEST(numbers))
