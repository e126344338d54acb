#include "explore/compile/instruction.h"
#include "explore/model/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char *parse(const char *line, bool function, access *a) {
    static char room[256];
    bool in_comment = false;
    statement s, next;
    text_piece rest = line_strip((text_piece){line, strlen(line)}, &in_comment, room);
    assert_true(statement_next(&rest, &s));
    while (statement_next(&rest, &next)) {
        next.prefixes |= s.prefixes;
        s = next;
    }
    return instruction_access(&s, function, a);
}

#define CODE(kind, size) ((unsigned)(kind) | (unsigned)(size) << ASM_SIZE_SHIFT)
#define OF(frame) ((unsigned)((frame) + 1) << ASM_REGISTER_SHIFT)

static void every_class(void **state) {
    (void)state;
    static const struct {
        const char *line;
        unsigned code;
        const char *operand;
    } cases[] = {
        {"movq (%rdi), %rax", CODE(ASM_LOAD, 8), "(%rdi)"},
        {"movq %rax, 8(%rdi)", CODE(ASM_STORE, 8), "8(%rdi)"},
        {"mov %eax, x", CODE(ASM_STORE, 4), "x"},
        {"movb %ah, x(%rip)", CODE(ASM_STORE, 1), "x(%rip)"},
        {"incl 1f(%rip)", CODE(ASM_URMW, 4), "1f(%rip)"},
        {"movl $5, (%rax)", CODE(ASM_STORE, 4), "(%rax)"},
        {"movl 0, %eax", CODE(ASM_LOAD, 4), "0"},
        {"movzbl (%rax), %ecx", CODE(ASM_LOAD, 1), "(%rax)"},
        {"movswq (%rax), %rcx", CODE(ASM_LOAD, 2), "(%rax)"},
        {"movslq (%rax), %rcx", CODE(ASM_LOAD, 4), "(%rax)"},
        {"movzb (%rax), %ecx", CODE(ASM_LOAD, 1), "(%rax)"},
        {"cmpl $3, (%rax)", CODE(ASM_LOAD, 4), "(%rax)"},
        {"testb $1, (%rax)", CODE(ASM_LOAD, 1), "(%rax)"},
        {"cmovne (%rax), %ecx", CODE(ASM_LOAD, 4), "(%rax)"},
        {"addq (%rax), %rcx", CODE(ASM_LOAD, 8), "(%rax)"},
        {"imulq $3, (%rax), %rcx", CODE(ASM_LOAD, 8), "(%rax)"},
        {"pushq (%rax)", CODE(ASM_LOAD, 8), "(%rax)"},
        {"popq (%rax)", CODE(ASM_STORE, 8), "(%rax)"},
        {"setz (%rax)", CODE(ASM_STORE, 1), "(%rax)"},
        {"movnti %rax, (%rcx)", CODE(ASM_STORE, 8), "(%rcx)"},
        {"movntil %eax, (%rcx)", CODE(ASM_STORE, 4), "(%rcx)"},
        {"movdqu (%rax), %xmm1", CODE(ASM_LOAD, 16), "(%rax)"},
        {"vmovdqu %ymm1, (%rax)", CODE(ASM_STORE, 32), "(%rax)"},
        {"movq %xmm0, (%rax)", CODE(ASM_STORE, 8), "(%rax)"},
        {"movsd (%rax), %xmm0", CODE(ASM_LOAD, 8), "(%rax)"},
        {"lock; incl (%rax)", CODE(ASM_RMW, 4), "(%rax)"},
        {"lock orb $1, (%rax)", CODE(ASM_RMW, 1), "(%rax)"},
        {"lock xaddw %ax, (%rcx)", CODE(ASM_RMW, 2), "(%rcx)"},
        {"xchg %rax, (%rcx)", CODE(ASM_XCHG, 8) | OF(FRAME_RAX), "(%rcx)"},
        {"xchgl (%rcx), %r9d", CODE(ASM_XCHG, 4) | OF(FRAME_R9), "(%rcx)"},
        {"xchgb %bh, (%rcx)", CODE(ASM_RMW, 1), "(%rcx)"},
        {"xchgq %rsp, (%rcx)", CODE(ASM_RMW, 8), "(%rcx)"},
        {"incl (%rax)", CODE(ASM_URMW, 4), "(%rax)"},
        {"xaddq %rax, (%rcx)", CODE(ASM_URMW, 8), "(%rcx)"},
        {"shlq %cl, (%rax)", CODE(ASM_URMW, 8), "(%rax)"},
        {"lock cmpxchgb %al, (%rcx)", CODE(ASM_CAS, 1) | OF(FRAME_RAX), "(%rcx)"},
        {"lock cmpxchgb %dh, (%rcx)", CODE(ASM_CAS, 1), "(%rcx)"},
        {"cmpxchgq %rdi, (%rcx)", CODE(ASM_CAS, 8) | OF(FRAME_RDI) | ASM_UNLOCKED, "(%rcx)"},
        {"lock cmpxchg16b (%rsi)", CODE(ASM_CAS, 16) | ASM_PAIR, "(%rsi)"},
        {"lock cmpxchg8b (%rsi)", CODE(ASM_CAS, 8) | ASM_PAIR, "(%rsi)"},
        {"lock btsl %ecx, (%rax)", CODE(ASM_RMW, 4) | OF(FRAME_RCX), "(%rax)"},
        {"btrq $3, (%rax)", CODE(ASM_URMW, 8), "(%rax)"},
        {"btq %rdi, (%rax)", CODE(ASM_LOAD, 8) | OF(FRAME_RDI), "(%rax)"},
        {"movq %fs:16, %rax", CODE(ASM_LOAD, 8) | ASM_FS, "16"},
        {"movq %fs:x@tpoff, %rax", CODE(ASM_LOAD, 8) | ASM_FS, "x@tpoff"},
        {"mfence", CODE(ASM_FENCE, 5), ""},
        {"lfence", CODE(ASM_FENCE, 0), ""},
        {"pause", CODE(ASM_PAUSE, 0), ""},
        {"rep; nop", CODE(ASM_PAUSE, 0), ""},
        {"rep; movsb", CODE(ASM_MOVS, 1) | ASM_REPEAT, ""},
        {"rep stosq %rax, %es:(%rdi)", CODE(ASM_STOS, 8) | ASM_REPEAT, ""},
        {"movsq", CODE(ASM_MOVS, 8), ""},
        {"leaq (%rax), %rcx", 0, ""},
        {"prefetchw (%rax)", 0, ""},
        {"nopw 0(%rax,%rax,1)", 0, ""},
        {"movq %rax, %rcx", 0, ""},
        {"xchg %ax, %ax", 0, ""},
        {"aesenc %xmm0, %xmm1", 0, ""},
        {"jne 1b", 0, ""},
        {"jmp somewhere", 0, ""},
        {"movq x@GOTPCREL(%rip), %rax", 0, ""},
        {"pushq %rax", 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        access a;
        const char *why = parse(cases[i].line, false, &a);
        if (why || a.code != cases[i].code) print_error("%s: %s, code %x\n", cases[i].line, why ? why : "", a.code);
        assert_null(why);
        assert_int_equal(a.code, cases[i].code);
        if (a.code) assert_true(piece_is(a.operand, cases[i].operand));
    }
}

static void refusals(void **state) {
    (void)state;
    static const char *const lines[] = {"rdpmc",
                                        "rdrand %rax",
                                        "call f",
                                        "callq f",
                                        "ret",
                                        "retq",
                                        "syscall",
                                        "int $0x80",
                                        "xbegin 1f",
                                        "xend",
                                        "aesenc (%rax), %xmm0",
                                        "fxsave (%rax)",
                                        "xsave (%rax)",
                                        "scasb",
                                        "repne scasb",
                                        "lodsq",
                                        "rep cmpsb",
                                        "movl (%eax), %ecx",
                                        "movl %gs:0, %eax",
                                        "lock; inc (%rax)",
                                        "incq 8(%rip)",
                                        "incq (%rip)",
                                        "incq -0x8+4(%rip)",
                                        "jmp *%rax",
                                        "jmp *(%rax)",
                                        "maskmovdqu %xmm0, %xmm1",
                                        "xlatb",
                                        "std",
                                        "vmovups (%rax), %zmm0",
                                        "vpgatherdd (%rax,%ymm1,4), %ymm0",
                                        "movl .+8, %eax",
                                        "jmp .+4",
                                        "leave",
                                        "movs (%rsi), (%rdi)",
                                        "frobnicate (%rax)",
                                        "wrfsbase %rax",
                                        "rep frobnicate",
                                        "stosq %rax, (%rdi), (%rdi), (%rdi), (%rdi), (%rdi), (%rdi), (%rdi)",
                                        "vmovdqu8 (%rax){%k1}, %ymm0"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        access a;
        if (!parse(lines[i], false, &a)) print_error("%s is not refused\n", lines[i]);
        assert_non_null(parse(lines[i], false, &a));
    }
}

/* A function written in assembly returns, calls, and jumps through registers; it does not read the clock either. */
static void functions_in_assembly(void **state) {
    (void)state;
    access a;
    assert_null(parse("ret", true, &a));
    assert_null(parse("retq", true, &a));
    assert_null(parse("call f", true, &a));
    assert_null(parse("jmp *%rax", true, &a));
    assert_null(parse("leave", true, &a));
    assert_non_null(parse("jmp *%fs:(%rax)", true, &a));
    assert_non_null(parse("rdrand %rax", true, &a));
}

/* The address to go to is loaded from memory that others may write. */
static void calls_through_memory(void **state) {
    (void)state;
    access a;
    assert_non_null(parse("call *(%rax)", false, &a));
    assert_null(parse("call *16(%rax,%rbx,8)", true, &a));
    assert_int_equal(a.code, ASM_LOAD | 8 << ASM_SIZE_SHIFT);
    assert_int_equal(a.operand.size, strlen("16(%rax,%rbx,8)"));
    assert_null(parse("jmp *.Ltable(,%rax,8)", true, &a));
    assert_int_equal(a.code, ASM_LOAD | 8 << ASM_SIZE_SHIFT);
    assert_null(parse("call *f@GOTPCREL(%rip)", true, &a)); /* that table does not change */
    assert_int_equal(a.code, 0);
}

/* pop computes its address with the stack pointer already moved. */
static void pop_to_the_stack(void **state) {
    (void)state;
    access a;
    assert_null(parse("popq 8(%rsp)", false, &a));
    assert_int_equal(a.displacement, 8);
    assert_null(parse("pushq 8(%rsp)", false, &a));
    assert_int_equal(a.displacement, 0);
}

static bool hides(const char *line) {
    char room[256];
    bool in_comment = false;
    statement s;
    text_piece rest = line_strip((text_piece){line, strlen(line)}, &in_comment, room);
    assert_true(statement_next(&rest, &s));
    return instruction_hides(&s);
}

static void made_by_the_compiler(void **state) {
    (void)state;
    assert_true(hides("lock addl $1, (%rax)"));
    assert_true(hides("xchgl %eax, (%rcx)"));
    assert_true(hides("mfence"));
    assert_true(hides("rep nop"));
    assert_true(hides("movntil %eax, (%rcx)"));
    assert_false(hides("xchgl %eax, %ecx"));
    assert_false(hides("movq (%rax), %rcx"));
    assert_false(hides("rep movsq"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_class),           cmocka_unit_test(refusals),
                                       cmocka_unit_test(functions_in_assembly), cmocka_unit_test(calls_through_memory),
                                       cmocka_unit_test(pop_to_the_stack),      cmocka_unit_test(made_by_the_compiler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
