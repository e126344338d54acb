/* Names in tests/explore/driver/loops.c say what must be proved and what must not. */
#include "base/text.h"
#include "explore/compile/driver.h"
#include "explore/compile/elf_file.h"
#include "explore/compile/file.h"
#include "explore/compile/machine_code.h"
#include "explore/compile/purity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static unsigned loops_of(const elf_file *f, const pure_loops *l, const Elf64_Sym *s, uint32_t kind) {
    unsigned n = 0;
    (void)f;
    for (size_t i = 0; i < l->size; i++)
        if (l->at[i].kind == kind && l->at[i].pc > s->st_value && l->at[i].pc <= s->st_value + s->st_size) n++;
    return n;
}

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* Without optimisation every variable is in memory, and only some loops can be proved: what must not be is asked all
 * the same. */
static void check(const char *compiler, const char *flag, bool all) {
    const char *files[] = {SOURCES "/loops.c", NULL}, *flags[] = {flag, NULL};
    char program[] = "/tmp/plumb-loops-XXXXXX";
    error e = {0};
    text bytes = {0};
    elf_file f;
    pure_loops l;
    unsigned proved = 0;
    close(mkstemp(program));
    setenv("PLUMB_CC", compiler, 1);
    setenv("PLUMB_RUNTIME", STUB, 1);
    if (!compile_test(&(test_sources){.files = files, .flags = flags}, program, &e)) fail_msg("%s", e.what);
    assert_true(file_read(program, &bytes));
    assert_true(elf_open(&f, bytes.at, bytes.size));
    assert_true(purity_analyse(&f, &l));
    elf_symbols s = elf_symbols_of(&f, SHT_SYMTAB);
    for (size_t i = 0; i < s.size; i++) {
        const char *name = elf_string(&f, s.strings, s.at[i].st_name);
        unsigned pure = loops_of(&f, &l, &s.at[i], LOOP_PURE), loads = loops_of(&f, &l, &s.at[i], LOOP_CAS_LOADS);
        unsigned confirmed = loops_of(&f, &l, &s.at[i], LOOP_CONFIRMED);
        bool reads_twice = !strcmp(name, "pure_enqueue") || !strcmp(name, "pure_dequeue");
        if (reads_twice && all && !strcmp(compiler, "gcc") && !confirmed)
            fail_msg("gcc %s: no read of %s is confirmed", flag, name);
        if (starts(name, "kept_") && pure + loads + confirmed)
            fail_msg("%s %s: %s was taken for pure", compiler, flag, name);
        if (starts(name, "pure_") && all && !pure) fail_msg("%s %s: %s was not proved", compiler, flag, name);
        if (starts(name, "cas_") && all && !loads) fail_msg("%s %s: %s was not proved", compiler, flag, name);
        if (starts(name, "first_") && loads)
            fail_msg("%s %s: the first load of %s cannot be put off", compiler, flag, name);
        if (starts(name, "pure_") && pure) proved++;
    }
    assert_true(proved >= 2);
    pure_loops_free(&l);
    text_free(&bytes);
    unlink(program);
}

static bool there(const char *compiler) {
    char command[128];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler);
    return system(command) == 0;
}

static void loops_of_gcc(void **state) {
    (void)state;
    if (!code_decoder_available()) skip();
    check("gcc", "-O0", false);
    check("gcc", "-O1", true);
    check("gcc", "-O2", true);
    check("gcc", "-O3", true);
    check("gcc", "-Os", false);
}

static void loops_of_clang(void **state) {
    (void)state;
    if (!code_decoder_available() || !there("clang")) skip();
    check("clang", "-O0", false);
    check("clang", "-O1", false);
    check("clang", "-O2", true);
    check("clang", "-O3", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_of_gcc), cmocka_unit_test(loops_of_clang)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
