/* The automata that are derived from the patterns: bad, harmless and lost are absorbing, bad can be reached, and the
 * order pattern of a queue is the language that its description says. */
#include "support/cmocka.h"

#include "observe/pattern.h"

#include <string.h>

static automaton a;

static void every_pattern(void **unused) {
    (void)unused;
    for (unsigned i = 0; pattern_at(i); i++) {
        automaton_derive(&a, pattern_at(i));
        bool bad = false;
        for (unsigned s = 0; s < a.states; s++)
            for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) {
                assert_true(a.next[s][c] < a.states);
                if (s < AUTOMATON_START) assert_int_equal(a.next[s][c], s);
                bad |= s >= AUTOMATON_START && a.next[s][c] == AUTOMATON_BAD;
            }
        assert_true(bad);
    }
}

static const pattern *named(const char *object, const char *name) {
    for (unsigned i = 0; pattern_at(i); i++)
        if (!strcmp(pattern_at(i)->object, object) && !strcmp(pattern_at(i)->name, name)) return pattern_at(i);
    fail();
    return NULL;
}

typedef struct seen {
    bool returns;
    pattern_role role;
    unsigned letter;
} seen;

static unsigned run(const char *object, const char *name, const seen *e, unsigned n) {
    unsigned at = AUTOMATON_START;
    automaton_derive(&a, named(object, name));
    for (unsigned i = 0; i < n; i++) at = a.next[at][pattern_symbol(e[i].returns, e[i].role, e[i].letter)];
    return at;
}

#define CALL false
#define RETURN true
#define RUN(object, name, ...) \
    run(object, name, (const seen[]){__VA_ARGS__}, sizeof((const seen[]){__VA_ARGS__}) / sizeof(seen))

static void languages(void **unused) {
    (void)unused;
    assert_int_equal(RUN("queue", "order", {CALL, DOES_INSERT, 0}, {RETURN, DOES_INSERT, 0}, {CALL, DOES_INSERT, 1},
                         {RETURN, DOES_REMOVE, 1}, {CALL, DOES_REMOVE, 0}),
                     AUTOMATON_BAD);
    assert_int_not_equal(RUN("queue", "order", {RETURN, DOES_INSERT, 0}, {CALL, DOES_INSERT, 1}, {CALL, DOES_REMOVE, 0},
                             {RETURN, DOES_REMOVE, 1}),
                         AUTOMATON_BAD);
    assert_int_equal(RUN("queue", "empty", {RETURN, DOES_INSERT, 1}, {CALL, DOES_MISS, 0}, {RETURN, DOES_INSERT, 1},
                         {CALL, DOES_REMOVE, 1}, {RETURN, DOES_MISS, 0}),
                     AUTOMATON_BAD);
    assert_int_equal(RUN("queue", "empty", {RETURN, DOES_INSERT, 1}, {CALL, DOES_MISS, 0}, {CALL, DOES_REMOVE, 1},
                         {RETURN, DOES_INSERT, 1}, {RETURN, DOES_MISS, 0}),
                     AUTOMATON_GOOD);
}

static void drawing(void **unused) {
    (void)unused;
    text out = {0};
    automaton_derive(&a, named("queue", "fresh"));
    automaton_dot(&a, &out);
    assert_non_null(strstr(text_str(&out), "s3 -> s4 [label=\"return deq(1)\"]"));
    assert_non_null(strstr(text_str(&out), "s4 -> s1 [label=\"call enq(1)\"]"));
    text_free(&out);
}

TEST_MAIN(TEST(every_pattern), TEST(languages), TEST(drawing))
