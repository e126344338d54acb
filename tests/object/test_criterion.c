/* The definitions on sequences that were worked out by hand: docs/CRITERIA.md has the same ones. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "object/leave_out.h"
#include "support/quasi_trial.h"

#include <string.h>

/* ---- parsing and printing ---- */

static void prints_as(const char *what, const char *printed) {
    criterion c;
    error e = {0};
    text out = {0};
    assert_true(criterion_parse(what, &c, &e));
    criterion_print(&c, &out);
    assert_string_equal(text_str(&out), printed);
    text_free(&out);
}

static void is_refused(const char *what) {
    criterion c;
    error e = {0};
    assert_false(criterion_parse(what, &c, &e));
    assert_int_equal(e.code, EXIT_USAGE);
}

static void parsing(void **unused) {
    (void)unused;
    prints_as("linearizable", "linearizable");
    prints_as("quasi(3)", "quasi(3)");
    prints_as("quasi(3,3)", "quasi(3)");
    prints_as("quasi(ahead=2,overtaken=4)", "quasi(ahead=2,overtaken=4)");
    prints_as("quasi(overtaken=4,ahead=2)", "quasi(ahead=2,overtaken=4)");
    prints_as("out-of-order(2,3)", "out-of-order(ahead=2,late=3)");
    prints_as("literal(1)", "literal(1)");
    static const char *const wrong[] = {"",
                                        "quasi",
                                        "quasi()",
                                        "quasi(-1)",
                                        "quasi(x)",
                                        "quasi(1,2,3)",
                                        "quasi(ahead=1)",
                                        "quasi(1,)",
                                        "quasi(ahead=1,ahead=2)",
                                        "quasi(3",
                                        "linearizable(2)",
                                        "quasi(99999999999)",
                                        "strict",
                                        "aligned(1,2)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) is_refused(wrong[i]);
}

static void only_where_there_is_an_order(void **unused) {
    (void)unused;
    static const char *const without[] = {"set", "multiset", "register", "kv", "lock"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        error e = {0};
        object *o = object_open(without[i], NULL, &e);
        assert_false(object_relax(o, &(criterion){.kind = CRITERION_QUASI, .limit = {1, 1}}, &e));
        assert_int_equal(e.code, EXIT_USAGE);
        object_close(o);
    }
}

/* ---- sequences: "+1 +2 -2 E", one operation after the other ---- */

typedef enum word_kind { WORD_ADD, WORD_REMOVE, WORD_EMPTY } word_kind;

static bound sequence(const char *object_name, const char *words) {
    static const struct {
        const char *object, *add, *remove;
    } words_of[] = {{"queue", "enq", "deq"}, {"stack", "push", "pop"}, {"pqueue-max", "insert", "deletemax"}};
    text operations = {0};
    size_t m = 0;
    while (strcmp(words_of[m].object, object_name)) m++;
    for (int at = 0; *words; at += 2) {
        size_t n = strcspn(words, " ");
        if (*words == '+')
            text_printf(&operations, "%s(%.*s) [%d,%d];", words_of[m].add, (int)n - 1, words + 1, at, at + 1);
        else if (*words == '-')
            text_printf(&operations, "%s() -> %.*s [%d,%d];", words_of[m].remove, (int)n - 1, words + 1, at, at + 1);
        else text_printf(&operations, "%s() -> empty [%d,%d];", words_of[m].remove, at, at + 1);
        words += n + strspn(words + n, " ");
    }
    bound b = make_history(object_name, text_str(&operations));
    text_free(&operations);
    return b;
}

enum { NEVER = 9 };

/* The smallest limit (for both where there are two) that allows it. */
static uint32_t smallest(const char *object_name, criterion_kind kind, const char *words) {
    bound b = sequence(object_name, words);
    uint32_t k = 0;
    for (bool right = false; k < NEVER && !right; k += !right) {
        object o = relaxed_object(&b, kind, k, k);
        right = oracle_linearizable(&o, b.h, 0) == ORACLE_YES;
        free_relaxed(&o);
    }
    free_bound(&b);
    return k;
}

typedef struct example {
    const char *object, *words;
    uint32_t quasi, out_of_order, aligned, literal, all_events;
} example;

static void check_examples(const example *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t found[] = {smallest(x[i].object, CRITERION_QUASI, x[i].words),
                            smallest(x[i].object, CRITERION_OUT_OF_ORDER, x[i].words),
                            smallest(x[i].object, CRITERION_ALIGNED, x[i].words),
                            smallest(x[i].object, CRITERION_LITERAL, x[i].words),
                            smallest(x[i].object, CRITERION_ALL_EVENTS, x[i].words)};
        uint32_t expected[] = {x[i].quasi, x[i].out_of_order, x[i].aligned, x[i].literal, x[i].all_events};
        for (size_t k = 0; k < 5; k++)
            if (found[k] != expected[k])
                fail_msg("%s %s: reading %zu gives %u, expected %u", x[i].object, x[i].words, k, found[k], expected[k]);
    }
}

/* Section V.A: of the six orders of three dequeues, 0, 1 and 2 are right for k = 1. */
static void six_histories(void **unused) {
    (void)unused;
    static const example x[] = {
        {"queue", "+1 +2 +3 -1 -2 -3", 0, 0, 0, 0, 0}, {"queue", "+1 +2 +3 -2 -1 -3", 1, 1, 1, 1, 1},
        {"queue", "+1 +2 +3 -1 -3 -2", 1, 1, 1, 1, 1}, {"queue", "+1 +2 +3 -3 -1 -2", 2, 2, 2, 2, 1},
        {"queue", "+1 +2 +3 -2 -3 -1", 2, 2, 2, 2, 1}, {"queue", "+1 +2 +3 -3 -2 -1", 2, 2, 2, 2, 2},
    };
    check_examples(x, sizeof x / sizeof *x);
}

/* Section V.D: what is left inside is drained, so this is no violation. */
static void thin_air(void **unused) {
    (void)unused;
    static const example x[] = {{"queue", "+3 +4 +5 -4", 1, 1, 1, 1, 1}};
    check_examples(x, 1);
}

/* Where the readings differ. */
static void readings(void **unused) {
    (void)unused;
    static const example x[] = {
        {"queue", "-1 +1", NEVER, NEVER, NEVER, 0, 1},   /* removed before it was added */
        {"queue", "+1 E -1", NEVER, NEVER, NEVER, 0, 1}, /* empty although it is not */
        {"queue", "+1 E", NEVER, NEVER, NEVER, 0, 1},
        {"stack", "+1 +2 -1 -2", 1, 1, 1, 0, 1},             /* the literal reading sees no stack */
        {"stack", "+1 +2 +3 -1 -3 -2", 2, 2, 2, 0, 1},       /* all-events: +2 +1 -1 +3 -3 -2 is a run */
        {"queue", "+3 +1 -3 +2 -2 +4 -1 -4", 1, 1, 1, 1, 2}, /* unrelated traffic costs more and more */
        {"stack", "+1 +2 -1 +3 -3 -2", 1, 1, 2, 0, 1},
        {"stack", "+1 +2 -1 +3 -3 +4 -4 -2", 1, 1, 3, 0, 1},
        {"queue", "+1 +2 +3 +4 +5 -3 -1 -4 -5 -2", 3, 2, 3, 3, 2}, /* overtaken before it is the head counts, too */
    };
    check_examples(x, sizeof x / sizeof *x);
}

/* Of a queue the aligned reading is quasi: definition 4 with the drain and the shape kept. */
static void aligned_is_quasi_for_queues(void **unused) {
    (void)unused;
    random_source r = {41};
    uint32_t relaxed = 0, histories = getenv("PLUMB_FEWER") ? 100 : 1500;
    for (uint32_t i = 0; i < histories; i++) {
        bound b = relaxed_history(&r, "queue", TAKE_OLDEST, 2 + random_below(&r, 5));
        for (uint32_t k = 0; k < 3; k++) {
            object quasi = relaxed_object(&b, CRITERION_QUASI, k, k),
                   aligned = relaxed_object(&b, CRITERION_ALIGNED, k, k);
            oracle_answer a = oracle_linearizable(&quasi, b.h, 0);
            relaxed += k && a == ORACLE_YES;
            if (a != oracle_linearizable(&aligned, b.h, 0)) {
                text said = {0};
                history_text(&b, &said);
                fail_msg("quasi(%u) and aligned(%u) differ:\n%s", k, k, text_str(&said));
            }
            free_relaxed(&quasi);
            free_relaxed(&aligned);
        }
        free_bound(&b);
    }
    assert_true(relaxed > histories / 2);
}

/* ---- what may be left out of a right history, and where it may be cut ---- */

static void still_right(const object *o, const history *h, const uint32_t *op, uint32_t n, uint32_t cut, const bound *b,
                        const char *what) {
    history *less = history_select(h, op, n, cut);
    if (oracle_linearizable(o, less, 0) != ORACLE_YES) {
        text said = {0};
        history_text(b, &said);
        object_spoken(o, &said);
        fail_msg("no longer right after %s:\n%s", what, text_str(&said));
    }
    history_free(less);
}

static void check_leaving(const bound *b, const object *o) {
    uint32_t all[32], keep[32], n = b->h->n;
    leave_out l = {0};
    for (uint32_t i = 0; i < n; i++) all[i] = i;
    object_leave_out(o, b->h, all, n, &l);
    for (uint32_t g = 0; g < l.groups; g++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < n; i++)
            if (l.group[i] != g) keep[kept++] = i;
        still_right(o, b->h, keep, kept, RANK_NEVER, b, "a group left");
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!(l.flags[i] & LEAVE_ALONE)) continue;
        memcpy(keep, all, i * sizeof *all);
        memcpy(keep + i, all + i + 1, (n - 1 - i) * sizeof *all);
        still_right(o, b->h, keep, n - 1, RANK_NEVER, b, "an operation left");
    }
    for (uint32_t r = 0; r < b->h->events; r++) still_right(o, b->h, all, n, r, b, "a cut");
    leave_out_free(&l);
}

static void moves_keep_right_histories_right(void **unused) {
    (void)unused;
    static const struct {
        const char *object;
        discipline right;
    } kind[] = {{"queue", TAKE_OLDEST}, {"stack", TAKE_NEWEST}, {"pqueue-max", TAKE_GREATEST}};
    random_source r = {43};
    uint32_t right = 0, histories = getenv("PLUMB_FEWER") ? 200 : 3000;
    for (uint32_t i = 0; i < histories; i++) {
        bound b = relaxed_history(&r, kind[i % 3].object, kind[i % 3].right, 3 + random_below(&r, 7));
        criterion_kind asked = i / 3 % 2 ? CRITERION_QUASI : CRITERION_OUT_OF_ORDER;
        object o = relaxed_object(&b, asked, 1 + random_below(&r, 3), random_below(&r, 3));
        if (oracle_linearizable(&o, b.h, 0) == ORACLE_YES) {
            check_leaving(&b, &o);
            right++;
        }
        free_relaxed(&o);
        free_bound(&b);
    }
    assert_true(right > histories / 3);
}

/* A deque removes at both ends: what is nearer to that end is ahead. */
static void deque(void **unused) {
    (void)unused;
    bound b =
        make_history("deque", "pushr(1) [0,1]; pushr(2) [2,3]; pushr(3) [4,5]; popl() -> 2 [6,7]; popr() -> 1 [8,9]");
    for (uint32_t k = 0; k < 3; k++) {
        object o = relaxed_object(&b, CRITERION_QUASI, k, k);
        assert_int_equal(oracle_linearizable(&o, b.h, 0), k ? ORACLE_YES : ORACLE_NO);
        free_relaxed(&o);
    }
    free_bound(&b);
}

TEST_MAIN(TEST(parsing), TEST(only_where_there_is_an_order), TEST(six_histories), TEST(thin_air), TEST(readings),
          TEST(aligned_is_quasi_for_queues), TEST(deque), TEST(moves_keep_right_histories_right))
