#include "explore/compile/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static text out, complaints;

static unsigned refused(const char *in, bool by_hand) {
    text_clear(&out);
    text_clear(&complaints);
    const rewrite_options o = {.source = "x.c", .by_hand = by_hand};
    const rewrite_result r = rewrite_arm64((text_piece){in, strlen(in)}, &o, &out, &complaints);
    assert_int_equal(r.hooks, 0);
    assert_memory_equal(text_str(&out), in, strlen(in)); /* nothing is changed, whatever is refused */
    assert_non_null(strstr(text_str(&out), MARKER_SECTION));
    return r.refused;
}

static void code_of_compilers_stays(void **state) {
    (void)state;
    assert_int_equal(refused("f:\n\tstp\tx29, x30, [sp, -48]!\n\thint\t7 // xpaclri\n\tbl\t__tsan_read8\n"
                             "\tldr\tw20, [x19, 4]\n\tret\n",
                             false),
                     0);
}

/* As gcc and as clang mark it. */
static void memory_in_inline_assembly_is_refused(void **state) {
    (void)state;
    assert_int_equal(refused("#APP\n// 9 \"y.h\" 1\n\tdmb ish\n// 0 \"\" 2\n#NO_APP\n\tret\n", false), 1);
    assert_string_equal(text_str(&complaints),
                        "y.h:9: dmb ish: inline assembly that may touch memory is not explored on arm64\n");
    assert_int_equal(refused("\t//APP\n\tldr\tx0, [x1]\n\t//NO_APP\n\tldr x0, [x1]\n", false), 1);
    assert_int_equal(refused("#APP\n\tmov x0, #1; ldr x1, [x2]\n#NO_APP\n", false), 1);
    assert_int_equal(refused("#APP\n\tadd x0, [x1]\n\t.word 1\n#NO_APP\n", false), 2);
}

static void registers_in_inline_assembly_pass(void **state) {
    (void)state;
    assert_int_equal(refused("#APP\n// 9 \"y.h\" 1\n1:\tyield; add x0, x0, #16 // ldr x0, [x1]\n#NO_APP\n", false), 0);
    assert_int_equal(refused("\t//APP\n\t/* ldr x0, [x1] */\n\tclz\tw0, w1\n\t//NO_APP\n", false), 0);
}

/* In a function that is not to be instrumented. */
static void atomics_of_the_compiler_are_refused(void **state) {
    (void)state;
    static const char *const each[] = {"ldaxr w0, [x1]",       "stlxrb w2, w0, [x1]",  "casal x0, x1, [x2]",
                                       "ldaddal w0, w0, [x1]", "ldar x0, [x1]",        "dmb ish",
                                       "swpa w0, w1, [x2]",    "bl __aarch64_cas8_acq"};
    for (unsigned i = 0; i < sizeof each / sizeof *each; i++) {
        char in[80] = "\t";
        strcat(strcat(in, each[i]), "\n");
        assert_int_equal(refused(in, false), 1);
    }
    assert_int_equal(refused("\t.file 1 \"z.c\"\n\t.loc 1 7 3\n\tldaxr w0, [x1]\n", false), 1);
    assert_int_equal(strncmp(text_str(&complaints), "z.c:7: ", 7), 0);
}

static void files_in_assembly_are_refused(void **state) {
    (void)state;
    assert_int_equal(refused("f:\n\tldr x0, [x0]\n\tret\n", true), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_compilers_stays),           cmocka_unit_test(memory_in_inline_assembly_is_refused),
        cmocka_unit_test(registers_in_inline_assembly_pass), cmocka_unit_test(atomics_of_the_compiler_are_refused),
        cmocka_unit_test(files_in_assembly_are_refused),
    };
    const int bad = cmocka_run_group_tests(tests, NULL, NULL);
    text_free(&out);
    text_free(&complaints);
    return bad;
}
