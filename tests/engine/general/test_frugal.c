/* The frugal engine against the oracle, on every object there is, and where it has to go back. */
#include "support/cmocka.h"

#include "object/object.h"
#include "support/engine_trial.h"

static void every_object(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        if (!one_by_one(t) || t->may_end) continue;
        differential d = {.engine = "frugal",
                          .object = t->name,
                          .seed = 61 + i,
                          .histories = 3000,
                          .decided = 20,
                          .never_a_violation = true};
        differential_run(&d);
    }
}

static bool is_pending(random_source *r, bound *b) {
    (void)r;
    return b->h->pending > 1;
}

/* Of the histories in which operations are pending it finds the linearizable ones. */
static void many_pending(void **unused) {
    (void)unused;
    static const char *const objects[] = {"kv", "counter", "deque", "stack", "fetch-add", "cas-register"};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        differential d = {.engine = "frugal",
                          .object = objects[i],
                          .seed = 91 + i,
                          .histories = 6000,
                          .decided = 20,
                          .never_a_violation = true,
                          .prepare = is_pending};
        differential_run(&d);
    }
}

static verdict decide_as(const char *name, const char *operations) { return decide_text("frugal", name, operations); }

static void uses_what_it_must(void **unused) {
    (void)unused;
    assert_int_equal(decide_as("counter", "inc() [0,-]; dec() [1,-]; get() -> 0 [2,3]; get() -> 1 [4,5]"),
                     VERDICT_LINEARIZABLE);
    /* one of them alone, twice, is not enough */
    assert_int_equal(decide_as("counter", "inc() [0,-]; get() -> 1 [4,5]; get() -> 2 [6,7]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_as("counter", "inc() [0,-]; inc() [1,-]; get() -> 1 [4,5]; get() -> 2 [6,7]"),
                     VERDICT_LINEARIZABLE);
    /* one that was not called yet */
    assert_int_equal(decide_as("counter", "get() -> 1 [4,5]; inc() [6,-]"), VERDICT_UNDECIDED);
    /* what was removed later was added: below what came behind it */
    assert_int_equal(decide_as("stack", "push(1) [0,-]; push(2) [1,2]; pop() -> 2 [3,4]; pop() -> 1 [5,6]"),
                     VERDICT_LINEARIZABLE);
}

/* The cheapest order at the first read is wrong: the pending write has to come in long before it is missed. */
static void goes_back(void **unused) {
    (void)unused;
    text steps = {0};
    text_add(&steps, "cas(5,6) [0,-]; write(5) [1,500]; write(6) [2,501]; read() -> 5 [3,4]; ");
    for (unsigned i = 0; i < 100; i++) text_printf(&steps, "read() -> 6 [%u,%u]; ", 10 + 4 * i, 11 + 4 * i);
    text_add(&steps, "read() -> 6 [600,601]");
    assert_int_equal(decide_as("cas-register", text_str(&steps)), VERDICT_LINEARIZABLE);
    text_clear(&steps);
    /* enq of one client, 300 operations later the removal that tells where the pending one stood */
    text_add(&steps, "pushr(1) [0,-]; ");
    for (unsigned i = 2; i < 300; i++) text_printf(&steps, "pushr(%u) [%u,%u]; ", i, 2 * i, 2 * i + 1);
    text_add(&steps, "popl() -> 1 [1000,1001]; popl() -> 2 [1002,1003]; popl() -> 3 [1004,1005]");
    assert_int_equal(decide_as("deque", text_str(&steps)), VERDICT_LINEARIZABLE);
    text_free(&steps);
}

/* Far more pending operations than there are slots, kinds by the hundred, and trails that are forgotten on the way. */
static void thousands_pending(void **unused) {
    (void)unused;
    text steps = {0};
    for (unsigned i = 0; i < 3000; i++) {
        text_printf(&steps, "add(%u) [%u,-]; ", 1 + i % 300, 10 * i);
        text_printf(&steps, "inc() -> %u [%u,%u]; ", i + 1, 10 * i + 1, 10 * i + 2);
    }
    text_printf(&steps, "get() -> %u [%u,%u]", 3007, 40000, 40001);
    assert_int_equal(decide_as("counter", text_str(&steps)), VERDICT_LINEARIZABLE);
    text_free(&steps);
}

static void respects_its_budget(void **unused) {
    (void)unused;
    open_enqueues_run_out_of_memory("frugal", 100000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object), cmocka_unit_test(many_pending),      cmocka_unit_test(uses_what_it_must),
        cmocka_unit_test(goes_back),    cmocka_unit_test(thousands_pending), cmocka_unit_test(respects_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
