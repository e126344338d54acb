#include "explore/compile/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static text out, complaints;

static rewrite_result run_as(const char *in, bool by_hand) {
    text_clear(&out);
    text_clear(&complaints);
    rewrite_options o = {.source = "x.c", .by_hand = by_hand};
    return rewrite_assembly((text_piece){in, strlen(in)}, &o, &out, &complaints);
}

static rewrite_result run(const char *in) { return run_as(in, false); }
static bool has(const char *s) { return strstr(text_str(&out), s) != NULL; }

static void lines_of_the_compiler_stay(void **state) {
    (void)state;
    static const char in[] = "\t.file \"x.c\"\nf:\n\tmovq\t(%rdi), %rax # a comment\n\tcall\t__tsan_read8\n\tret\n";
    assert_int_equal(run(in).hooks, 0);
    assert_memory_equal(text_str(&out), in, strlen(in));
    assert_true(has(MARKER_SECTION));
}

/* A byte or two have no room for a mark that no program stores: where the store comes before the next hook it is
 * said. */
static void small_stores_that_are_certain(void **state) {
    (void)state;
    run("\tcall\t__tsan_write1@PLT\n.LVL1:\n\t.loc 1 2 3\n\tmovq\t%rbp, %rdi\n\tmovb\t%bl, "
        "x(%rip)\n\tcall\t__tsan_read1\n");
    assert_true(has("\tcall\t__tsan_certain_write1@PLT\n"));
    run("\tcallq\t__tsan_volatile_write2\n\tmovw\t$1, (%rax,%rcx,2)\n");
    assert_true(has("\tcallq\t__tsan_certain_volatile_write2\n"));
    run("\tcall\t__tsan_write1\n\tsete\t8(%rbx)\n");
    assert_true(has("__tsan_certain_write1\n"));
    /* the copy of a structure; what is spilled is no store of the program; larger ones have a mark */
    run("\tcall\t__tsan_write1\n\tmovq\t%rbp, %rdi\n\tcall\t__tsan_read1\n\tmovb\t%al, (%rbx)\n");
    assert_false(has("certain"));
    run("\tcall\t__tsan_write2\n\tmovq\t%rax, 8(%rsp)\n\tmovq\t%rax, -8(%rbp)\n\tcall\t__tsan_read2\n");
    assert_false(has("certain"));
    run("\tcall\t__tsan_write4\n\tmovl\t%eax, (%rbx)\n\tcall\t__tsan_write16\n\tmovb\t%al, (%rbx)\n");
    assert_false(has("certain"));
}

static void hook_before_the_instruction(void **state) {
    (void)state;
    rewrite_result r = run("f:\n\t.cfi_startproc\n#APP\n# 9 \"x.c\" 1\n\tlock; incq 8(%rdi)\n# 0 \"\" "
                           "2\n#NO_APP\n\tret\n\t.cfi_endproc\n");
    assert_int_equal(r.hooks, 1);
    assert_int_equal(r.refused, 0);
    assert_true(
        has("\tleaq -128(%rsp), %rsp\n\tpushq %rdi\n\tleaq 8(%rdi), %rdi\n\tpushq $2051\n\t.cfi_adjust_cfa_offset 144\n"
            "\tcall *__plumb_asm@GOTPCREL(%rip)\n\tleaq 8(%rsp), %rsp\n\tpopq %rdi\n\tleaq 128(%rsp), %rsp\n"
            "\t.cfi_adjust_cfa_offset -144\n\tlock incq 8(%rdi)\n"));
}

/* clang: the prefix on a line of its own, markers indented. */
static void prefix_alone(void **state) {
    (void)state;
    assert_int_equal(run("\t#APP\n\tlock\n\tincq\t(%rbx)\n\t#NO_APP\n").hooks, 1);
    assert_true(has("\tlock incq\t(%rbx)\n"));
    assert_false(has("\tlock\n"));
}

static void label_before_the_hook(void **state) {
    (void)state;
    run("#APP\n1: lock; decl (%rax); jnz 1b\n#NO_APP\n");
    assert_non_null(strstr(text_str(&out), "1:\n\tleaq -128(%rsp)"));
    assert_true(has("\tjnz 1b\n"));
}

static void operands_on_the_stack(void **state) {
    (void)state;
    run("#APP\n\tmovq 16(%rsp), %rax\n\tmovq (%rsp), %rax\n\tpopq x+8(%rsp)\n\tmovq -8(%rsp,%rcx,8), %rax\n#NO_APP\n");
    assert_true(has("leaq 136+16(%rsp), %rdi"));
    assert_true(has("leaq 136(%rsp), %rdi"));
    assert_true(has("leaq 144+x+8(%rsp), %rdi"));
    assert_true(has("leaq 136+-8(%rsp,%rcx,8), %rdi"));
}

/* Call frame information is corrected only where the frame is found from the stack pointer. */
static void frame_pointer_needs_no_correction(void **state) {
    (void)state;
    static const char in[] = "\t.cfi_startproc\n\t.cfi_def_cfa_register "
                             "6\n#APP\n\tmfence\n#NO_APP\n\t.cfi_remember_state\n\t.cfi_def_cfa 7, 8\n"
                             "\tmfence\n\t.cfi_restore_state\n\tmfence\n\t.cfi_endproc\n";
    assert_int_equal(run(in).hooks, 3);
    const char *first = strstr(text_str(&out), "adjust_cfa_offset 144");
    assert_non_null(first);
    assert_null(strstr(first + 1, "adjust_cfa_offset 144"));
}

static void outside_of_inline_assembly(void **state) {
    (void)state;
    assert_int_equal(run("f:\n\tlock addl\t$1, (%rdi)\n\txchgl\t%eax, (%rsi)\n\trep nop\n\tmovnti\t%eax, "
                         "(%rdi)\n\txchgl %eax, %ebx\n")
                         .hooks,
                     4);
}

static void other_sections(void **state) {
    (void)state;
    rewrite_result r =
        run("#APP\n\tmovl (%rax), %eax\n\t.pushsection .table,\"a\"\n\t.quad 1b\n\tmovl (%rax), %eax\n\t.popsection\n"
            "\t.section .text.far,\"ax\"\n\tmovl (%rax), %eax\n\t.previous\n#NO_APP\n");
    assert_int_equal(r.hooks, 2);
    assert_int_equal(r.refused, 0);
}

static void wide_registers_choose_the_thunk(void **state) {
    (void)state;
    run("#APP\n\tmfence\n#NO_APP\n\tvaddpd %ymm1, %ymm2, %ymm3\n");
    assert_true(has("__plumb_asm_wide@GOTPCREL"));
    run("#APP\n\tmfence\n#NO_APP\n\tkmovw %k1, %eax\n");
    assert_true(has("__plumb_asm_wide@GOTPCREL"));
    run("#APP\n\tmfence\n#NO_APP\n\taddpd %xmm1, %xmm2\n");
    assert_false(has("__plumb_asm_wide"));
}

static void refused_with_place(void **state) {
    (void)state;
    assert_int_equal(run("#APP\n# 12 \"dir/y.h\" 1\n\trdrand %rax\n# 0 \"\" 2\n#NO_APP\n").refused, 1);
    assert_non_null(strstr(text_str(&complaints), "dir/y.h:12: rdrand %rax: "));
    run("\t.file\t0 \"/tmp\" \"a.c\" md5 0x42\n\t.file\t1 \"inc\" \"z.h\"\n\t.loc\t1 38 9 prologue_end # "
        "inc/z.h:38:9\n\t#APP\n\trdrand %rax\n\t#NO_APP\n");
    assert_non_null(strstr(text_str(&complaints), "z.h:38: rdrand %rax: "));
    run("#APP\n\t.byte 0xf0\n#NO_APP\n");
    assert_non_null(strstr(text_str(&complaints), "x.c: .byte 0xf0: "));
    assert_int_equal(run("#APP\n# 1 \"x.c\" 1\n\t.macro m\n\tnop\n\t.endm\n#NO_APP\n").refused, 1);
    assert_int_equal(run("#APP\n# 1 \"x.c\" 1\n\t.intel_syntax noprefix\n#NO_APP\n").refused, 1);
}

/* The hook stands in its place, whether the compiler made it or not. */
static void clocks_are_replaced(void **state) {
    (void)state;
    assert_int_equal(run("#APP\n# 12 \"dir/y.h\" 1\n\trdtsc\n# 0 \"\" 2\n#NO_APP\n").hooks, 1);
    assert_true(has("__plumb_rdtsc@GOTPCREL"));
    assert_false(has("\trdtsc\n"));
    assert_int_equal(run("\tmovl $1, %ecx\n\trdtscp\n\tret\n").hooks, 1);
    assert_true(has("__plumb_rdtsc@GOTPCREL"));
    assert_false(has("\trdtscp\n"));
    run("\trdtsc\n\tkmovw %k1, %eax\n");
    assert_true(has("__plumb_rdtsc_wide@GOTPCREL"));
}

static void assembly_outside_functions(void **state) {
    (void)state;
    assert_int_equal(run("#APP\nf: movq (%rdi), %rax\n ret\n#NO_APP\n").refused, 0);
    assert_int_equal(
        run("\t# Start of file scope inline assembly\nf:\n\tmovq (%rdi), %rax\n\tretq\n\t# End of file scope "
            "inline assembly\n")
            .hooks,
        1);
    assert_int_equal(run("#APP\n# 3 \"x.c\" 1\n\tret\n# 0 \"\" 2\n#NO_APP\n").refused, 1);
}

static void files_by_hand(void **state) {
    (void)state;
    assert_int_equal(run_as("\t.text\nf:\n\tlock incl (%rdi)\n\tret\n", true).hooks, 1);
    run_as("\t.text\n\n\trdrand %rax\n", true);
    assert_non_null(strstr(text_str(&complaints), "x.c:3: rdrand"));
    run_as("# 40 \"f.S\"\n\tnop\n\trdrand %rax\n", true);
    assert_non_null(strstr(text_str(&complaints), "f.S:41: rdrand"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_the_compiler_stay),
                                       cmocka_unit_test(small_stores_that_are_certain),
                                       cmocka_unit_test(hook_before_the_instruction),
                                       cmocka_unit_test(prefix_alone),
                                       cmocka_unit_test(label_before_the_hook),
                                       cmocka_unit_test(operands_on_the_stack),
                                       cmocka_unit_test(frame_pointer_needs_no_correction),
                                       cmocka_unit_test(outside_of_inline_assembly),
                                       cmocka_unit_test(other_sections),
                                       cmocka_unit_test(wide_registers_choose_the_thunk),
                                       cmocka_unit_test(refused_with_place),
                                       cmocka_unit_test(clocks_are_replaced),
                                       cmocka_unit_test(assembly_outside_functions),
                                       cmocka_unit_test(files_by_hand)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    text_free(&out);
    text_free(&complaints);
    return failed;
}
