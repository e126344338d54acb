/* SOAR and CLMT: equal to each other, to the one-pass engine and to the oracle; the execution of the paper's figure
 * 2. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

#include <stdlib.h>

static const differential common = {.object = "swmr-register", .seed = 17, .histories = 25000, .decided = 60};

static void against_the_oracle(void **unused) {
    (void)unused;
    static const char *const engines[] = {"soar", "clmt", "swmr-linear"};
    for (unsigned i = 0; i < 3; i++) {
        differential d = common;
        d.engine = engines[i];
        d.shape = shape_distinct;
        differential_run(&d);
    }
}

/* The published proofs do not need different values. */
static void with_repeated_values(void **unused) {
    (void)unused;
    differential d = common;
    d.engine = "soar";
    differential_run(&d);
    d.engine = "clmt";
    differential_run(&d);
}

static random_shape shape_longer(random_source *r) {
    random_shape s = shape_small(r);
    s.operations = 16;
    return s;
}

/* With each other, with search, and where it accepts with the one-pass engine. */
static void with_each_other(void **unused) {
    (void)unused;
    random_source r = {91};
    uint32_t histories = getenv("PLUMB_SOAK") ? 300000 : 20000, count[3] = {0}, one_pass = 0;
    for (uint32_t i = 0; i < histories; i++) {
        random_shape shape = shape_longer(&r);
        if (i % 4) shape.values = 0; /* the one-pass engine tells writes by their values */
        bound b = random_history(&r, "swmr-register", &shape);
        verdict v = decide_all(engine_find("soar"), &b), linear = decide_all(engine_find("swmr-linear"), &b);
        count[v]++;
        assert_int_equal(v, decide_all(engine_find("clmt"), &b));
        if (v != VERDICT_UNDECIDED) assert_int_equal(v, decide_all(engine_find("search"), &b));
        if (linear != VERDICT_UNDECIDED) assert_int_equal(v, linear);
        one_pass += linear != VERDICT_UNDECIDED;
        free_bound(&b);
    }
    print_message("%u linearizable, %u violations, %u refused; the one-pass engine decided %u\n", count[0], count[1],
                  count[2], one_pass);
    assert_true(count[VERDICT_LINEARIZABLE] > histories / 10 && count[VERDICT_VIOLATION] > histories / 10);
}

/* Section 1: w1 before r11, w2 before r12; "this leaves r13 which violates the specification". With and without reader
 * 2. */
#define FIGURE_2 "9 write(1) [1,6]; 1 read() -> 1 [2,3]; 1 read() -> 2 [4,8]; 9 write(2) [7,12]; 1 read() -> 1 [9,10]"

static void figure_2(void **unused) {
    (void)unused;
    static const char *const engines[] = {"soar", "clmt", "swmr-linear", "enumerate"};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(decide_text(engines[i], "swmr-register", FIGURE_2), VERDICT_VIOLATION);
        assert_int_equal(decide_text(engines[i], "swmr-register", FIGURE_2 "; 2 read() -> none [0,5]"),
                         VERDICT_VIOLATION);
        /* without r13 it is atomic: w0, r21, w1, r11, w2, r12 */
        assert_int_equal(decide_text(engines[i], "swmr-register",
                                     "9 write(1) [1,6]; 1 read() -> 1 [2,3]; 1 read() -> 2 [4,8]; 9 write(2) [7,12]; 2 "
                                     "read() -> none [0,5]"),
                         VERDICT_LINEARIZABLE);
    }
}

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_text("soar", "swmr-register", ""), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text("soar", "swmr-register", "1 read() -> none [0,1]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text("soar", "swmr-register", "1 read() -> 5 [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(
        decide_text("soar", "swmr-register", "0 write(1) [0,-]; 1 read() -> 1 [1,2]; 1 read() -> none [3,4]"),
        VERDICT_VIOLATION);
    assert_int_equal(
        decide_text("soar", "swmr-register", "0 write(1) [0,-]; 1 read() -> none [1,2]; 1 read() -> 1 [3,4]"),
        VERDICT_LINEARIZABLE);
    /* at a stamp where two clients go on, the writes overlap */
    assert_int_equal(decide_text("soar", "swmr-register",
                                 "0 write(1) [0,1]; 0 write(2) [1,3]; 1 read() -> 1 [0,1]; 1 read() -> 1 [1,2]"),
                     VERDICT_UNDECIDED);
    assert_int_equal(decide_text("soar", "swmr-register", "0 write(1) [0,1]; 0 write(2) [1,3]; 1 read() -> 1 [4,5]"),
                     VERDICT_VIOLATION);
}

TEST_MAIN(TEST(against_the_oracle), TEST(with_repeated_values), TEST(with_each_other), TEST(figure_2), TEST(by_hand))
