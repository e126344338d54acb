#include "support/cmocka.h"

#include "explore/outside/litmus.h"

#include <stdlib.h>
#include <string.h>

static const char source[] = "C T (* one *)\n\"words\"\n{ x = 2; [y] = -1; 0:r1 = 7; }\n"
                             "P0 (atomic_int *x, volatile int *y) { // two\n"
                             "  if (r1 > 1) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }\n"
                             "  int r2; r2 = 0x10 + (*y);\n}\n"
                             "P1 () { }\n"
                             "locations [y; 0:r2;]\n"
                             "exists (0:r0=2 /\\ (x=1 \\/ ~ [y]=3)) (* three *)\n";

static void parts_are_read(void **unused) {
    (void)unused;
    litmus l;
    error e = {0};
    text program = {0};
    assert_true(litmus_parse(&l, "t.litmus", source, &e));
    assert_int_equal(l.threads, 2);
    assert_int_equal(l.asks, LITMUS_EXISTS);
    assert_string_equal(text_str(&l.condition), "(0:r0=2 /\\ (x=1 \\/ ~ [y]=3))");
    litmus_program(&l, &program);
    assert_non_null(strstr(text_str(&program), "static atomic_int plumb_at_x = 2;"));
    assert_non_null(strstr(text_str(&program), "static volatile int plumb_at_y = -1;"));
    assert_non_null(strstr(text_str(&program), "int r1 = (int)7;"));
    assert_non_null(strstr(text_str(&program), "plumb_outcome(\"x=%ld y=%ld 0:r0=%ld 0:r2=%ld\""));
    text_free(&program);
    litmus_free(&l);
}

static bool holds(const litmus *l, const char *outcome) {
    error e = {0};
    bool it = false;
    assert_true(litmus_holds(l, outcome, &it, &e));
    return it;
}

static void conditions_are_answered(void **unused) {
    (void)unused;
    litmus l;
    error e = {0};
    assert_true(litmus_parse(&l, "t.litmus", source, &e));
    assert_true(holds(&l, "x=1 y=3 0:r0=2 0:r2=0"));
    assert_true(holds(&l, "x=0 y=-3 0:r0=2 0:r2=0"));
    assert_false(holds(&l, "x=0 y=3 0:r0=2 0:r2=0"));
    assert_false(holds(&l, "x=1 y=3 0:r0=22 0:r2=0"));
    litmus_free(&l);
}

/* A comment to the end of its line does not take the rest of the condition with it. */
static void comments_are_left_out(void **unused) {
    (void)unused;
    litmus l;
    error e = {0};
    assert_true(litmus_parse(&l, "t.litmus",
                             "C t\n{ x = 0; y = 0; }\nP0 (atomic_int *x) {\n}\n"
                             "exists (x=1 // either\n /\\ (* or *) y=2)\n",
                             &e));
    assert_string_equal(text_str(&l.condition), "(x=1 /\\ y=2)");
    assert_true(holds(&l, "x=1 y=2"));
    assert_false(holds(&l, "x=1 y=0"));
    litmus_free(&l);
}

static void says(litmus_asks asks, uint64_t positive, uint64_t negative, bool all, const char *expected) {
    const litmus l = {.asks = asks};
    text answer = {0};
    litmus_answer(&l, positive, negative, all, &answer);
    assert_string_equal(text_str(&answer), expected);
    text_free(&answer);
}

/* What was not run could be otherwise: only what was found is sure then. */
static void answers_are_sure_or_not(void **unused) {
    (void)unused;
    says(LITMUS_EXISTS, 0, 3, true, "Never 0 3, No");
    says(LITMUS_EXISTS, 0, 3, false, "undecided 0 3, undecided");
    says(LITMUS_EXISTS, 1, 3, false, "Sometimes 1 3, Ok");
    says(LITMUS_NOT_EXISTS, 0, 3, true, "Never 0 3, Ok");
    says(LITMUS_NOT_EXISTS, 2, 0, false, "undecided 2 0, No");
    says(LITMUS_FORALL, 2, 0, true, "Always 2 0, Ok");
    says(LITMUS_FORALL, 2, 0, false, "undecided 2 0, undecided");
    says(LITMUS_FORALL, 2, 1, false, "Sometimes 2 1, No");
}

/* Bytes changed, left out and doubled: read, or refused with one line that names the file and a line of it. */
static void damage_is_refused_with_one_line(void **unused) {
    (void)unused;
    static const char letters[] = "(){};=:[]*/\\~ \n\"#01xrP&$\x01\xff";
    char bytes[2 * sizeof source];
    srand(1);
    for (unsigned i = 0; i < 20000; i++) {
        memcpy(bytes, source, sizeof source);
        for (int changes = 1 + rand() % 3; changes; changes--) {
            const size_t n = strlen(bytes), at = (size_t)rand() % (n ? n : 1);
            switch (rand() % 4) {
            case 0: bytes[at] = letters[(size_t)rand() % (sizeof letters - 1)]; break;
            case 1: memmove(bytes + at, bytes + at + (n > at), n - at + (n == at)); break;
            case 2: bytes[at] = 0; break;
            default: memmove(bytes + at + 1, bytes + at, n - at + 1);
            }
        }
        litmus l;
        error e = {0};
        if (!litmus_parse(&l, "t.litmus", bytes, &e)) {
            assert_int_equal(e.code, EXIT_BAD_INPUT);
            assert_null(strchr(e.what, '\n'));
            assert_int_equal(strncmp(e.what, "t.litmus:", 9), 0);
        }
        litmus_free(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read),
        cmocka_unit_test(conditions_are_answered),
        cmocka_unit_test(comments_are_left_out),
        cmocka_unit_test(answers_are_sure_or_not),
        cmocka_unit_test(damage_is_refused_with_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
