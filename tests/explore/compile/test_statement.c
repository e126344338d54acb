#include "explore/compile/statement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* A line as a list: "L:name", "D:name", "=:name", "I:prefixes/mnemonic/operand|operand", joined by blanks. */
static const char *show(const char *line) {
    static char out[1024], room[1024];
    bool in_comment = false;
    statement s;
    size_t n = 0;
    text_piece rest = line_strip((text_piece){line, strlen(line)}, &in_comment, room);
    out[0] = '\0';
    while (statement_next(&rest, &s)) {
        n += (size_t)sprintf(out + n, "%s%c:", n ? " " : "", "LD=I"[s.kind]);
        if (s.kind == STATEMENT_INSTRUCTION) n += (size_t)sprintf(out + n, "%u/", s.prefixes);
        n += (size_t)sprintf(out + n, "%.*s", (int)s.mnemonic.size, s.mnemonic.at);
        for (unsigned i = 0; s.kind == STATEMENT_INSTRUCTION && i < s.operands; i++)
            n += (size_t)sprintf(out + n, "%c%.*s", i ? '|' : '/', (int)s.operand[i].size, s.operand[i].at);
    }
    return out;
}

static void instructions_and_operands(void **state) {
    (void)state;
    assert_string_equal(show("\tmovq 8(%rax,%rbx,4), %rcx"), "I:0/movq/8(%rax,%rbx,4)|%rcx");
    assert_string_equal(show("lock; incq (%rdi)"), "I:1/ I:0/incq/(%rdi)");
    assert_string_equal(show("lock incq (%rdi)"), "I:1/incq/(%rdi)");
    assert_string_equal(show("lock\t\tcmpxchg16b\t(%rsi)"), "I:1/cmpxchg16b/(%rsi)");
    assert_string_equal(show("rep nop"), "I:2/nop");
    assert_string_equal(show(" ;; nop ; "), "I:0/nop");
    assert_string_equal(show("movb $';', %al; ret"), "I:0/movb/$';'|%al I:0/ret");
}

static void labels_and_directives(void **state) {
    (void)state;
    assert_string_equal(show("1:\tlock; cmpxchgq %rcx, x"), "L:1 I:1/ I:0/cmpxchgq/%rcx|x");
    assert_string_equal(show("a: b : nop"), "L:a L:b I:0/nop");
    assert_string_equal(show(".ascii \"a;b#c\\\"d:\"; nop"), "D:.ascii I:0/nop");
    assert_string_equal(show("x = 5"), "=:x");
}

static void comments(void **state) {
    (void)state;
    char room[64];
    bool in_comment = false;
    assert_string_equal(show("nop # lock; incl"), "I:0/nop");
    assert_string_equal(show("nop /* a; b */; ret"), "I:0/nop I:0/ret");
    assert_string_equal(show("/ a comment of its own"), "");
    assert_string_equal(show("movq $8/2, %rax"), "I:0/movq/$8/2|%rax");
    assert_int_equal(line_strip((text_piece){"nop /* begins", 13}, &in_comment, room).size, 4);
    assert_true(in_comment);
    assert_string_equal(line_strip((text_piece){"ends */ ret", 11}, &in_comment, room).at, "  ret");
    assert_false(in_comment);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(instructions_and_operands),
                                       cmocka_unit_test(labels_and_directives), cmocka_unit_test(comments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
