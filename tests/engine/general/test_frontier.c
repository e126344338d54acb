/* The frontier engine against the oracle, on every object there is. */
#include "support/cmocka.h"

#include "object/object.h"
#include "support/engine_trial.h"

/* Containers that no near-linear engine decides: as many histories as those get that one does. */
static uint32_t histories_of(const object_type *t) {
    bool is_left_to_it = !strcmp(t->name, "deque") || t->oldest_among_equals;
    return is_left_to_it ? 50000 : 5000;
}

static void every_object(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        if (!one_by_one(t)) continue;
        differential d = {.engine = "frontier",
                          .object = t->name,
                          .seed = 41 + i,
                          .histories = histories_of(t),
                          .decided = 100,
                          .cut_violates = !t->may_end,
                          .cut_is_early = !t->may_end};
        differential_run(&d);
    }
}

/* A set or counter of which the recording kept only some results. */
static void without_results(void **unused) {
    (void)unused;
    static const char *const objects[] = {"set", "counter", "multiset"};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        differential d = {.engine = "frontier",
                          .object = objects[i],
                          .seed = 91 + i,
                          .histories = 5000,
                          .decided = 100,
                          .cut_violates = true,
                          .prepare = strip_results};
        differential_run(&d);
    }
}

/* The slots are 64; pending operations keep theirs. */
static void too_many_open_operations(void **unused) {
    (void)unused;
    text many = {0};
    for (unsigned i = 0; i < 65; i++) text_printf(&many, "enq(%u) [%u,-]; ", i, i);
    assert_int_equal(decide_text("frontier", "queue", text_str(&many)), VERDICT_UNDECIDED);
    text_clear(&many);
    for (unsigned i = 0; i < 64; i++) text_printf(&many, "enq(1) [%u,-]; ", i);
    text_add(&many, "deq() -> empty [70,71]");
    assert_int_equal(decide_text("frontier", "queue", text_str(&many)), VERDICT_UNDECIDED);
    text_clear(&many);
    for (unsigned i = 0; i < 63; i++) text_printf(&many, "enq(1) [%u,-]; ", i);
    text_add(&many, "deq() -> 1 [70,71]; deq() -> 1 [72,73]; deq() -> 2 [74,75]");
    assert_int_equal(decide_text("frontier", "queue", text_str(&many)), VERDICT_VIOLATION);
    text_free(&many);
}

/* States and trails are forgotten on the way: the witness of a long history still holds. */
static void long_histories(void **unused) {
    (void)unused;
    text steps = {0};
    for (unsigned i = 0; i < 6000; i++)
        text_printf(&steps, "enq(%u) [%u,%u]; deq() -> %u [%u,%u]; ", i, 10 * i, 10 * i + 12, i, 10 * i + 1,
                    10 * i + 14);
    assert_int_equal(decide_text("frontier", "queue", text_str(&steps)), VERDICT_LINEARIZABLE);
    text_printf(&steps, "deq() -> 5 [%u,%u]", 99999, 100000);
    assert_int_equal(decide_text("frontier", "queue", text_str(&steps)), VERDICT_VIOLATION);
    text_free(&steps);
}

static void respects_its_budget(void **unused) {
    (void)unused;
    open_enqueues_run_out_of_memory("frontier", 4 << 20);
}

TEST_MAIN(TEST(every_object), TEST(without_results), TEST(too_many_open_operations), TEST(long_histories),
          TEST(respects_its_budget))
