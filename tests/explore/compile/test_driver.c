/* What was linked is written into the program, and names the objects that we did not make. */
#include "explore/compile/driver.h"
#include "explore/compile/elf_file.h"
#include "explore/compile/file.h"
#include "explore/model/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static scratch_folder dir;
static char path[3][320];

static const char *in_scratch(unsigned slot, const char *name) {
    snprintf(path[slot], sizeof path[slot], "%s/%s", dir.path, name);
    return path[slot];
}

static void write_source(const char *name, const char *content) {
    error e = {0};
    assert_true(file_write(in_scratch(2, name), content, strlen(content), &e));
}

static int set_up(void **state) {
    (void)state;
    error e = {0};
    setenv("PLUMB_RUNTIME", STUB, 1);
    unsetenv("PLUMB_CC");
    return scratch_open(&dir, &e) ? 0 : 1;
}

static int tear_down(void **state) {
    (void)state;
    scratch_close(&dir);
    return 0;
}

static bool compile(const char *first, const char *second, error *e) {
    const char *files[] = {first, second, NULL};
    return compile_test(&(test_sources){.files = files}, in_scratch(2, "program"), e);
}

static void facts_of_the_link(void **state) {
    (void)state;
    error e = {0};
    text bytes = {0};
    elf_file f;
    size_t n;
    link_facts l;
    char command[1024];
    write_source("m.c", "#include <plumbline/test.h>\nint twice(int); int main(void) { return twice(1) - 2; }\n");
    write_source("t.c", "__thread int two = 2; int twice(int x) { return two * x; }\n"); /* cannot be taken in */
    snprintf(command, sizeof command, "gcc -c '%s/t.c' -o '%s/t.o'", dir.path, dir.path);
    assert_int_equal(system(command), 0);
    assert_true(compile(in_scratch(0, "m.c"), in_scratch(1, "t.o"), &e));
    assert_true(file_read(in_scratch(2, "program"), &bytes));
    assert_true(elf_open(&f, bytes.at, bytes.size));
    const char *facts = elf_contents(&f, elf_section(&f, ".plumb.link"), 1, &n);
    assert_true(n > sizeof l);
    memcpy(&l, facts, sizeof l);
    assert_string_equal(l.magic, FACTS_MAGIC);
    assert_true(l.opaque > 0 && n >= sizeof l + l.loops_room * sizeof(loop_fact) + l.opaque);
    const char *opaque = facts + sizeof l + l.loops_room * sizeof(loop_fact);
    assert_non_null(memmem(opaque, l.opaque, "/t.o", 4));
    assert_null(memmem(opaque, l.opaque, "/0.o", 4));
    text_free(&bytes);
    snprintf(command, sizeof command, "'%s/program'", dir.path);
    assert_int_equal(system(command), 0);
}

static void errors_are_one_line(void **state) {
    (void)state;
    error e = {0};
    write_source("bad.c", "int main(void) { __asm__ volatile(\"rdpmc\" ::: \"rax\", \"rdx\"); }\n");
    assert_false(compile(in_scratch(0, "bad.c"), NULL, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    assert_null(strchr(e.what, '\n'));
    assert_false(file_exists(in_scratch(2, "program2")));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_of_the_link), cmocka_unit_test(errors_are_one_line)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
