/* The evaluator on what has no sequential histories, the exchanger: with happens-before as b (its axioms only forbid
 * more of b), a complete history is a model exactly when the oracle accepts it. And beginnings of models. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/engine_trial.h"
#include "support/quasi_trial.h"
#include "support/random_history.h"
#include "theory/evaluate.h"

static bool is_model(const theory *t, const bound *b) {
    theory_binding names;
    uint32_t n = b->h->n;
    operation op[RANDOM_MAX_OPERATIONS];
    uint8_t before[RANDOM_MAX_OPERATIONS * RANDOM_MAX_OPERATIONS];
    theory_bind(t, b->o, &names);
    for (uint32_t i = 0; i < n; i++) {
        history_operation(b->h, i, &op[i]);
        assert_true(theory_covers(&names, &op[i]));
        for (uint32_t j = 0; j < n; j++) before[i * n + j] = history_before(b->h, i, j);
    }
    return theory_is_model(&names, op, n, before);
}

static void exchangers(void **unused) {
    (void)unused;
    error e = {0};
    theory *t = theory_open("exchanger", &e);
    assert_non_null(t);
    random_source r = {33};
    unsigned count[2] = {0};
    for (unsigned i = 0; i < 20000; i++) {
        random_shape shape = random_shape_any(&r);
        shape.operations = 2 + random_below(&r, 6);
        shape.pending = 0;
        bound b = random_history(&r, "exchanger", &shape);
        bool right = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES;
        if (is_model(t, &b) != right) {
            text written = {0};
            history_text(&b, &written);
            fail_msg("the oracle says %d of\n%s", right, text_str(&written));
        }
        count[right]++;
        free_bound(&b);
    }
    print_message("%u right, %u wrong\n", count[1], count[0]);
    assert_true(count[0] > 1000 && count[1] > 1000);
    theory_free(t);
}

/* The theories of reads against the criteria of the same names, under which the oracle decides. */
static void compare_reads(const char *name, unsigned histories) {
    error e = {0};
    theory *t = theory_open(name, &e);
    assert_non_null(t);
    random_source r = {histories};
    unsigned count[2] = {0}, excused = 0;
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = random_shape_any(&r);
        shape.operations = 2 + random_below(&r, 6);
        shape.pending = 0;
        bound b = random_history(&r, "register", &shape);
        text written = {0};
        history_text(&b, &written);
        bound again = make_relaxed_history("register", name, text_str(&written));
        bool right = oracle_linearizable(again.o, again.h, 0) == ORACLE_YES;
        if (is_model(t, &b) != right) fail_msg("%s: the oracle says %d of\n%s", name, right, text_str(&written));
        excused += right && oracle_linearizable(b.o, b.h, 0) != ORACLE_YES;
        count[right]++;
        free_bound(&again);
        free_bound(&b);
        text_free(&written);
    }
    print_message("%s: %u right (%u of them not linearizable), %u wrong\n", name, count[1], excused, count[0]);
    assert_true(count[0] > histories / 20 && count[1] > histories / 20 && excused > histories / 200);
    theory_free(t);
}

static void reads(void **unused) {
    (void)unused;
    compare_reads("regular", 20000);
    compare_reads("safe", 20000);
}

static bool begins(const theory *t, const char *operations) {
    bound b = make_history("queue", operations);
    theory_binding names;
    operation op[RANDOM_MAX_OPERATIONS];
    theory_bind(t, b.o, &names);
    for (uint32_t i = 0; i < b.h->n; i++) history_operation(b.h, i, &op[i]);
    bool yes = theory_may_begin(&names, op, b.h->n);
    assert_true(yes == theory_is_model(&names, op, b.h->n, NULL)); /* a queue's beginnings are its histories */
    free_bound(&b);
    return yes;
}

static void beginnings(void **unused) {
    (void)unused;
    error e = {0};
    theory *t = theory_open("queue", &e);
    assert_true(begins(t, "enq(1) [0,1]; enq(1) [2,3]; deq() -> 1 [4,5]"));
    assert_true(begins(t, "deq() -> empty [0,1]; enq(1) [2,3]; deq() -> 1 [4,5]; deq() -> empty [6,7]"));
    assert_false(begins(t, "enq(1) [0,1]; deq() -> empty [2,3]"));
    assert_false(begins(t, "deq() -> 1 [0,1]"));
    assert_false(begins(t, "enq(1) [0,1]; enq(2) [2,3]; deq() -> 2 [4,5]"));
    theory_free(t);
}

/* The shipped theory of an object is found by what its operations are. */
static void chosen(const char *object_name, const char *operations, const char *expected) {
    bound b = make_history(object_name, operations);
    uint32_t all[RANDOM_MAX_OPERATIONS];
    text why = {0};
    for (uint32_t i = 0; i < b.h->n; i++) all[i] = i;
    theory *t = theory_for(b.o, b.h, all, b.h->n, &why);
    assert_string_equal(t ? t->name : "none", expected);
    assert_true(!t == (why.size > 0));
    theory_free(t);
    text_free(&why);
    free_bound(&b);
}

static void theories_of_objects(void **unused) {
    (void)unused;
    chosen("queue", "enq(1) [0,1]; deq() [2,-]", "queue");
    chosen("queue(capacity=2)", "enq(1) [0,1]", "none");
    chosen("multiset", "add(1) [0,1]; remove() -> 1 [2,3]", "pool");
    chosen("multiset", "add(1) [0,1]; contains(1) -> true [2,3]", "multiset");
    chosen("multiset", "add(1) [0,1]; remove(none) -> true [2,3]", "none");
    chosen("set", "add(1) [0,1]; contains(1) -> true [2,3]", "set");
    chosen("set", "add(1) -> true [0,1]; contains(1) -> true [2,3]", "bset");
    chosen("set", "add(1) -> true [0,1]; add(1) [2,3]", "none");
    chosen("semaphore(3)", "acquire() [0,1]", "semaphore(permits=3)");
    chosen("semaphore(2,bounded=1)", "acquire() [0,1]", "bounded-semaphore(permits=2,bounded=1)");
    chosen("semaphore(2)", "tryacquire() -> true [0,1]", "semaphore(permits=2)");
    chosen("semaphore(9)", "acquire() [0,1]", "none");
    chosen("swmr-register", "write(1) [0,1]", "register");
    chosen("counter", "inc() [0,1]", "none");
    chosen("theories/queue.thy", "enq(1) [0,1]", "queue");
}

TEST_MAIN(TEST(exchangers), TEST(reads), TEST(beginnings), TEST(theories_of_objects))
