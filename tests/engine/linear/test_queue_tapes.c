/* Queues whose values repeat, by two tapes: against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

#define ENGINE "queue-tapes"

static random_shape shape_few_values(random_source *r) {
    random_shape s = shape_small(r);
    s.values = 1 + random_below(r, 3);
    return s;
}

static void against_oracle(void **unused) {
    (void)unused;
    differential d = {
        .engine = ENGINE, .object = "queue", .seed = 5, .histories = 60000, .decided = 95, .cut_is_early = false};
    differential_run(&d);
    d.seed++;
    d.shape = shape_few_values;
    differential_run(&d);
    d.seed++;
    d.shape = shape_distinct;
    differential_run(&d);
}

static verdict decide_queue(const char *operations) { return decide_text(ENGINE, "queue", operations); }

static void repeated(void **unused) {
    (void)unused;
    assert_int_equal(decide_queue("enq(1) [0,1]; enq(1) [2,3]; deq() -> 1 [4,5]; deq() -> 1 [6,7]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_queue("enq(1) [0,1]; enq(2) [2,3]; enq(1) [4,5]; deq() -> 2 [8,9]; deq() -> 1 [10,11]; "
                                  "deq() -> 1 [12,13]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_queue("enq(1) [0,9]; enq(2) [2,3]; enq(1) [4,5]; deq() -> 2 [8,9]; deq() -> 1 [10,11]; "
                                  "deq() -> 1 [12,13]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_queue(""), VERDICT_LINEARIZABLE);
}

/* All that is done comes before a dequeue that finds nothing, all that is not after it. */
static void empties(void **unused) {
    (void)unused;
    assert_int_equal(decide_queue("enq(1) [0,1]; deq() -> empty [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_queue("enq(1) [0,3]; deq() -> empty [1,2]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_queue("enq(1) [0,1]; deq() -> 1 [2,9]; deq() -> empty [3,4]; enq(1) [5,6]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_queue("enq(1) [0,1]; deq() -> 1 [6,9]; deq() -> empty [3,4]; enq(1) [4,5]"),
                     VERDICT_VIOLATION);
}

static void pending(void **unused) {
    (void)unused;
    assert_int_equal(decide_queue("enq(1) [0,-]; deq() -> 1 [2,3]; deq() -> empty [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_queue("enq(1) [4,-]; deq() -> 1 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_queue("enq(1) [0,1]; enq(2) [2,3]; deq() [4,-]; deq() -> 2 [5,6]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_queue("enq(1) [0,1]; enq(2) [2,3]; deq() -> 2 [5,6]; deq() [7,-]"), VERDICT_VIOLATION);
    /* the pending one with the earlier call is taken first */
    assert_int_equal(decide_queue("enq(1) [0,-]; enq(1) [5,-]; deq() -> 1 [2,3]; deq() -> 1 [6,7]"),
                     VERDICT_LINEARIZABLE);
}

static void queues_that_can_be_full_are_refused(void **unused) {
    (void)unused;
    assert_false(accepts_text(ENGINE, "queue(capacity=2)", "enq(1) [0,1]"));
}

/* Values repeat and operations are pending, far more than could be looked at in every combination. */
static void many_pending(void **unused) {
    (void)unused;
    text t = {0};
    unsigned now = 0;
    for (unsigned i = 0; i < 400; i++, now += 8) {
        text_printf(&t, "enq(%u) [%u,-]; enq(%u) [%u,%u]; ", i % 5, now, i % 7, now + 1, now + 2);
        text_printf(&t, "deq() [%u,-]; deq() -> %u [%u,%u]; ", now + 3, i % 7, now + 4, now + 5);
    }
    assert_int_equal(decide_queue(text_str(&t)), VERDICT_LINEARIZABLE);
    text_free(&t);
}

TEST_MAIN(TEST(against_oracle), TEST(repeated), TEST(many_pending), TEST(empties), TEST(pending),
          TEST(queues_that_can_be_full_are_refused))
