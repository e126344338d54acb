/* The fast checker of queue and pool against the monitor of the house: the same verdict after every event, with failed,
 * unknown and excused operations; and its evidence is decided again. */
#include "support/cmocka.h"

#include "support/checker_pair.h"
#include "support/engine_trial.h"
#include "support/record_run.h"

#include <stdlib.h>

static void compare(const char *what, random_source *r, uint64_t max_lag, uint32_t *violations) {
    random_shape shape = shape_distinct(r);
    checker_pair p;
    if (!checker_pair_open(&p, r, what, &shape)) return;
    p.fast = queue_checker_new(p.b.o, PAIR_CLIENTS, &(checker_options){.max_lag = max_lag});
    for (uint32_t k = 0; k < p.b.h->events && p.slow->verdict == VERDICT_LINEARIZABLE; k++) {
        uint32_t given = k % 2 ? checker_pair_give_whole(&p, k) : 0;
        if (given) k += given - 1;
        else
            checker_pair_give(&p, k,
                              random_below(r, 12)  ? LOG_RETURNED
                              : random_below(r, 2) ? LOG_FAILED
                                                   : LOG_UNKNOWN);
        if (p.fast->verdict == VERDICT_UNDECIDED) break; /* a remove of one value, say: the monitor of the house can */
        if (max_lag && p.fast->verdict == VERDICT_LINEARIZABLE) continue; /* who is excused may have done anything */
        assert_int_equal(p.fast->verdict, p.slow->verdict);
        if (p.fast->verdict != VERDICT_VIOLATION) continue;
        ++*violations;
        checker_pair_check_evidence(p.fast);
    }
    checker_pair_close(&p);
}

static void as_the_monitor_says(void **unused) {
    (void)unused;
    uint32_t n = soaking() ? 2000000 : getenv("PLUMB_FEWER") ? 4000 : 40000, violations = 0;
    random_source r = {7};
    for (uint32_t i = 0; i < n; i++) compare(i % 2 ? "multiset" : "queue", &r, 0, &violations);
    assert_true(violations > n / 10);
}

static void excuses_are_sound(void **unused) {
    (void)unused;
    uint32_t n = soaking() ? 1000000 : getenv("PLUMB_FEWER") ? 2000 : 20000, violations = 0;
    random_source r = {11};
    for (uint32_t i = 0; i < n; i++) compare(i % 2 ? "multiset" : "queue", &r, 1 + i % 5, &violations);
    assert_true(violations > n / 20);
}

TEST_MAIN(TEST(as_the_monitor_says), TEST(excuses_are_sound))
