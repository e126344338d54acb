/* Parts of one monitor: thousands of them, all with an operation that has not returned when those that are as in the
 * beginning are looked for. */
#include "support/cmocka.h"

#include "support/feed.h"

enum { PARTS = 3000 };

static verdict judge(const char *last) {
    text t = {0};
    for (unsigned i = 0; i < PARTS; i++) text_printf(&t, "add(%u) -> true [%u,%u];", i, i, 10000 + i);
    for (unsigned i = 0; i < PARTS; i++)
        text_printf(&t, "remove(%u) -> true [%u,%u];", i, 20000 + 2 * i, 20001 + 2 * i);
    text_printf(&t, "%s [90000,90001]", last);
    bound b = make_history("set", text_str(&t));
    moment bad;
    verdict found = feed_all(&b, NULL, &bad);
    free_bound(&b);
    text_free(&t);
    return found;
}

static void those_with_open_operations_are_kept(void **unused) {
    (void)unused;
    assert_int_equal(judge("contains(7) -> false"), VERDICT_LINEARIZABLE);
    assert_int_equal(judge("contains(7) -> true"), VERDICT_VIOLATION);
}

TEST_MAIN(TEST(those_with_open_operations_are_kept))
