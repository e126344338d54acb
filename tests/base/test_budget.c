/* A span of work is over when both the clock and the processor have gone so far: waiting takes nothing away from it. */
#include "base/budget.h"

#include "support/cmocka.h"

#include <unistd.h>

static void work_until_over(const work_span *w) {
    while (work_span_left(w) > 0) {}
}

static void waiting_is_no_work(void **unused) {
    (void)unused;
    work_span w = work_span_of(0.05);
    usleep(60000);
    assert_true(work_span_left(&w) > 0);
    work_until_over(&w);
    assert_true(clock_seconds() >= w.clock);
}

static void a_budget_ends_with_its_span(void **unused) {
    (void)unused;
    budget whole, part, child;
    budget_init(&whole, 0, 0);
    budget_init_child(&part, &whole);
    budget_init_child(&child, &part);
    part.work = work_span_of(0.02);
    usleep(30000);
    assert_false(budget_check_clock(&child));
    work_until_over(&part.work);
    assert_true(budget_check_clock(&child));
    assert_int_equal(budget_why(&child), STOP_TIME);
    assert_int_equal(budget_why(&part), STOP_TIME);
    assert_false(budget_check_clock(&whole));
}

TEST_MAIN(TEST(waiting_is_no_work), TEST(a_budget_ends_with_its_span))
