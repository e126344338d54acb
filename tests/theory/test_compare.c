/* Theories and sequential objects agree on all sequential histories up to a length: at least 20,000 for each. */
#include "support/cmocka.h"

#include "theory/compare.h"

#include <stdlib.h>

typedef struct row {
    const char *theory, *object;
    uint32_t values, clients, length;
    uint64_t at_least;
} row;

/* Sanitizers are slow: one operation less. */
static unsigned sanitized(void) {
    const char *set = getenv("PLUMB_FEWER");
    return set && *set;
}

static comparison compare(const row *r, bool by_beginnings) {
    error e = {0};
    theory *t = theory_open(r->theory, &e);
    if (!t) fail_msg("%s", e.what);
    object *o = object_open(r->object, NULL, &e);
    if (!o) fail_msg("%s", e.what);
    values *v = values_new();
    object_use_values(o, v);
    budget b;
    budget_init(&b, 0, 0);
    comparison c;
    comparison_settings s = {
        .values = r->values, .clients = r->clients, .length = r->length - sanitized(), .by_beginnings = by_beginnings};
    if (!theory_compare(t, o, &s, &b, &c, &e)) fail_msg("%s", e.what);
    object_close(o);
    theory_free(t);
    values_free(v);
    return c;
}

static void agree(const row *r, bool by_beginnings) {
    comparison c = compare(r, by_beginnings);
    if (!c.equal)
        fail_msg("%s and %s differ: %s: %s", r->theory, r->object,
                 c.theory_accepts ? "only the theory accepts" : "only the object accepts", text_str(&c.difference));
    if ((c.histories < r->at_least && !sanitized()) || !c.complete)
        fail_msg("%s: %llu histories only", r->theory, (unsigned long long)c.histories);
    print_message("%s: %llu histories of %u operations, %llu legal\n", r->theory, (unsigned long long)c.histories,
                  c.length, (unsigned long long)c.legal);
    assert_true(c.legal > 0 && c.legal < c.histories);
    comparison_free(&c);
}

static void theories_are_their_objects(void **unused) {
    (void)unused;
    static const row rows[] = {
        {"queue", "queue", 2, 0, 6, 19531},
        {"queue", "queue", 3, 0, 5, 19608},
        {"stack", "stack", 2, 0, 6, 19531},
        {"stack", "stack", 3, 0, 5, 19608},
        {"pool", "multiset", 2, 0, 6, 19531},
        {"pool", "multiset", 3, 0, 5, 19608},
        {"multiset", "multiset", 1, 0, 5, 66430},
        {"multiset", "multiset", 2, 0, 3, 7240},
        {"pqueue-max", "pqueue-max", 3, 0, 5, 19608},
        {"pqueue-max", "pqueue-max", 2, 0, 6, 19531},
        {"pqueue-min", "pqueue-min", 3, 0, 5, 19608},
        {"pqueue-min", "pqueue-min", 2, 0, 6, 19531},
        {"register", "register", 2, 0, 6, 19531},
        {"register", "register", 3, 0, 5, 19608},
        {"set", "set", 1, 0, 7, 21845},
        {"set", "set", 2, 0, 5, 37449},
        {"bset", "set", 1, 0, 6, 55987},
        {"bset", "set", 2, 0, 4, 20000},
        {"lock", "lock", 0, 2, 5, 37449},
        {"lock", "lock", 0, 1, 7, 21845},
        {"bounded-semaphore", "semaphore(permits=1,bounded=1)", 0, 0, 7, 21845},
        {"bounded-semaphore(2)", "semaphore(permits=2,bounded=1)", 0, 0, 7, 21845},
        {"bounded-semaphore(3)", "semaphore(permits=3,bounded=1)", 0, 0, 7, 21845},
        {"semaphore", "semaphore", 0, 0, 7, 21845},
        {"semaphore(2)", "semaphore(2)", 0, 0, 7, 21845},
        {"semaphore(3)", "semaphore(3)", 0, 0, 6, 5461},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) agree(&rows[i], false);
}

/* Longer ones: beginnings that are refused for good stand for the rest. */
static void semaphores_by_beginnings(void **unused) {
    (void)unused;
    static const row rows[] = {
        {"bounded-semaphore", "semaphore(permits=1,bounded=1)", 0, 0, 8, 87381},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) agree(&rows[i], true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(theories_are_their_objects),
                                       cmocka_unit_test(semaphores_by_beginnings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
