/* What is suggested for a misspelt word. */
#include "support/cmocka.h"

#include "base/nearest.h"

#include <string.h>

static void suggests(const char *word, const char *names, const char *expected) {
    size_t n = 0;
    const char *found = nearest_name(word, names, &n);
    if (!expected) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(found, expected, n);
}

static void letters(void **unused) {
    (void)unused;
    suggests("quue", "stack queue deque", "queue");
    suggests("qeuue", "stack queue deque", "queue");
    suggests("stakc", "stack queue deque", "stack");
    suggests("tree", "stack queue deque", NULL);
    suggests("", "stack", NULL);
    suggests("x", "stack", NULL);
}

static void beginnings(void **unused) {
    (void)unused;
    suggests("time", "json timeout memory", "timeout");
    suggests("mem", "json timeout memory", "memory");
    suggests("me", "json timeout memory", NULL);
    suggests("timeout-of-all", "json timeout", NULL);
}

static void unknown_names(void **unused) {
    (void)unused;
    error e = {0};
    assert_false(unknown_name("engine", "serch(1)", 5, "search frontier", &e));
    assert_int_equal(e.code, 64);
    assert_string_equal(e.what, "unknown engine 'serch(1)'; did you mean 'search'?");
    e = (error){0};
    assert_false(unknown_name("engine", "xyz", 3, "search frontier", &e));
    assert_string_equal(e.what, "unknown engine 'xyz'; `plumb engines` lists them");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(letters), cmocka_unit_test(beginnings),
                                       cmocka_unit_test(unknown_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
