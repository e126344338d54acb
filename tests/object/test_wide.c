/* Words beyond adding and removing: when a history has them the object becomes the wide one, and only engines that know
 * nothing but steps decide it. Drains in every order that the object allows, and no other; relaxed criteria relax what
 * a peek and a drain may return as they relax removals. */
#include "support/cmocka.h"

#include "engine/engine.h"
#include "evidence/oracle.h"
#include "support/make_history.h"

static const char *const says_yes = "yes", *const says_no = "no";

static const char *answer(const bound *b) {
    oracle_answer a = oracle_linearizable(b->o, b->h, 0);
    assert_int_not_equal(a, ORACLE_GAVE_UP);
    return a == ORACLE_YES ? says_yes : says_no;
}

static void must_be(const char *expected, const char *name, const char *operations) {
    bound b = make_history(name, operations);
    if (answer(&b) != expected) fail_msg("%s: %s: expected %s", name, operations, expected);
    free_bound(&b);
}

static void binding_takes_the_wider_type(void **unused) {
    (void)unused;
    bound b = make_history("queue", "enq(1) [0,1]; deq() -> 1 [2,3]");
    assert_string_equal(b.o->type->name, "queue");
    free_bound(&b);
    b = make_history("queue(capacity=1)", "enq(1) [0,1]; size() -> 1 [2,3]; enq(2) -> full [4,5]");
    assert_string_equal(b.o->type->name, "wide-queue");
    assert_string_equal(b.o->name, "queue(capacity=1)");
    assert_string_equal(answer(&b), says_yes);
    const engine *g;
    for (unsigned i = 0; (g = engine_at(i)); i++)
        if (engine_knows(g, b.o)) assert_null(g->objects);
    free_bound(&b);
}

static void what_the_words_say(void **unused) {
    (void)unused;
    must_be(says_yes, "queue",
            "enq(1) [0,1]; enq(2) [2,3]; peek() -> 1 [4,5]; drain() -> [1 2] [6,7]; isempty() -> true [8,9]");
    must_be(says_no, "queue", "enq(1) [0,1]; enq(2) [2,3]; drain() -> [2 1] [6,7]");
    must_be(says_yes, "stack",
            "push(1) [0,1]; push(2) [2,3]; peek() -> 2 [4,5]; drain() -> [2 1] [6,7]; pop() -> empty [8,9]");
    must_be(says_no, "stack", "push(1) [0,1]; push(2) [2,3]; peek() -> 1 [4,5]");
    must_be(
        says_yes, "deque",
        "pushl(1) [0,1]; pushr(2) [2,3]; peekl() -> 1 [4,5]; peekr() -> 2 [6,7]; clear() [8,9]; size() -> 0 [10,11]");
    must_be(says_yes, "pqueue-max", "insert(1) [0,1]; insert(5) [2,3]; insert(3) [4,5]; drain() -> [5 3 1] [6,7]");
    must_be(says_no, "pqueue-max", "insert(1) [0,1]; insert(5) [2,3]; peek() -> 1 [4,5]");
    must_be(says_yes, "multiset", "add(1) [0,1]; add(2) [2,3]; add(1) [4,5]; drain() -> [2 1 1] [6,7]");
    must_be(says_no, "multiset", "add(1) [0,1]; add(2) [2,3]; drain() -> [2] [6,7]");
    must_be(says_yes, "multiset", "add(1) [0,1]; add(2) [2,3]; peek() -> 2 [4,5]; peek() -> 1 [6,7]");
}

/* What was pending may have emptied it; a clear says no more than that it was empty once. */
static void what_is_pending_may_have_happened(void **unused) {
    (void)unused;
    must_be(says_yes, "queue", "enq(1) [0,1]; enq(2) [2,3]; drain() [4,-]; deq() -> empty [6,7]");
    must_be(says_no, "queue", "enq(1) [0,1]; enq(2) [2,3]; drain() [4,-]; deq() -> 2 [6,7]");
    must_be(says_yes, "stack", "push(1) [0,1]; clear() [2,-]; size() -> 0 [4,5]");
    must_be(says_no, "stack", "push(1) [0,1]; size() -> 0 [4,5]");
    must_be(says_no, "stack", "push(1) [0,1]; isempty() -> true [2,3]; pop() -> 1 [4,5]");
}

/* quasi(1): a removal may pass over one element, and so may a peek; a drain is removals. */
static void criteria_relax_the_words_too(void **unused) {
    (void)unused;
    static const struct {
        const char *operations;
        bool strict, quasi;
    } cases[] = {
        {"enq(1) [0,1]; enq(2) [2,3]; peek() -> 2 [4,5]", false, true},
        {"enq(1) [0,1]; enq(2) [2,3]; enq(3) [4,5]; peek() -> 3 [6,7]", false, false},
        {"enq(1) [0,1]; enq(2) [2,3]; drain() -> [2 1] [4,5]", false, true},
        {"enq(1) [0,1]; enq(2) [2,3]; enq(3) [4,5]; drain() -> [2 3 1] [6,7]", false, false},
        {"enq(1) [0,1]; enq(2) [2,3]; size() -> 1 [4,5]", false, false},
        {"enq(1) [0,1]; clear() [2,3]; peek() -> empty [4,5]", true, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        must_be(cases[i].strict ? says_yes : says_no, "queue", cases[i].operations);
        bound b = make_relaxed_history("queue", "quasi(1)", cases[i].operations);
        assert_string_equal(b.o->type->name, "wide-queue");
        if ((answer(&b) == says_yes) != cases[i].quasi) fail_msg("quasi(1): %s", cases[i].operations);
        free_bound(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binding_takes_the_wider_type),
        cmocka_unit_test(what_the_words_say),
        cmocka_unit_test(what_is_pending_may_have_happened),
        cmocka_unit_test(criteria_relax_the_words_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
