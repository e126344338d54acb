/* Sequential consistency, engine alone; tests/object/test_promises.c compares its verdicts with brute force. */
#include "support/cmocka.h"

#include "support/engine_trial.h"
#include "support/make_history.h"

/* What it remembers counts: many clients, and a read of a value that was never written. */
static void respects_its_budget(void **unused) {
    (void)unused;
    enum { CLIENTS = 9, EACH = 4, ALL = CLIENTS * EACH + 1 };
    text many = {0};
    for (unsigned c = 0; c < CLIENTS; c++)
        for (unsigned k = 0; k < EACH; k++)
            text_printf(&many, "%u write(%u) [%u,%u]; ", c, 1 + c * EACH + k, 2 * k, 2 * k + 1);
    text_printf(&many, "%u read() -> 99 [100,101]", (unsigned)CLIENTS);
    bound b = make_relaxed_history("register", "sequential", text_str(&many));
    assert_int_equal(b.h->n, ALL);
    runs_out_of_memory(&b, "sequential", 1 << 20);
    free_bound(&b);
    text_free(&many);
}

TEST_MAIN(TEST(respects_its_budget))
