#include "explore/compile/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static arguments a;
static error e;

static bool parse(const char *line) {
    word_list w = {0};
    arguments_free(&a);
    e = (error){0};
    words_split(&w, line);
    bool good = arguments_parse(w.at, w.size, &a, &e);
    words_free(&w);
    return good;
}

static const char *join(const word_list *w) {
    static char out[1024];
    out[0] = '\0';
    for (size_t i = 0; i < w->size; i++) strcat(strcat(out, i ? " " : ""), *w->at[i] ? w->at[i] : "?");
    return out;
}

static void sorted_by_step(void **state) {
    (void)state;
    assert_true(
        parse("-O2 -I inc -DX=1 -include h.h a.c -Wl,--gc-sections b.o -lm -Wa,--noexecstack -march=native -o out"));
    assert_int_equal(a.wanted, WANT_PROGRAM);
    assert_int_equal(a.source_count, 1);
    assert_string_equal(join(&a.compile), "-O2 -I inc -DX=1 -include h.h -march=native");
    assert_string_equal(join(&a.link), "-O2 ? -Wl,--gc-sections b.o -lm -march=native");
    assert_string_equal(join(&a.assemble), "-Wa,--noexecstack -march=native");
    assert_string_equal(a.output, "out");
    assert_int_equal(a.sources[0].link_index, 1);
}

static void what_is_wanted(void **state) {
    (void)state;
    assert_true(parse("-c x.c"));
    assert_int_equal(a.wanted, WANT_OBJECTS);
    assert_true(parse("-E x.c"));
    assert_int_equal(a.wanted, WANT_COMPILER);
    assert_true(parse("-S x.c"));
    assert_int_equal(a.wanted, WANT_COMPILER);
    assert_true(parse("-MM x.c"));
    assert_int_equal(a.wanted, WANT_COMPILER);
    assert_true(parse("--version"));
    assert_int_equal(a.wanted, WANT_COMPILER);
    assert_true(parse("-MMD -MP x.c -o p"));
    assert_int_equal(a.wanted, WANT_PROGRAM);
    assert_true(a.dependencies);
    assert_false(a.dependency_file);
    assert_true(parse("-MD -MF f.d -MT t x.c"));
    assert_true(a.dependency_file);
    assert_true(a.dependency_target);
}

static void languages(void **state) {
    (void)state;
    assert_true(parse("a.cc b.S c.s d.i -x c++ e.c -x none f.c g.o"));
    static const language expected[] = {LANGUAGE_CXX,     LANGUAGE_ASM_CPP, LANGUAGE_ASM,
                                        LANGUAGE_C_READY, LANGUAGE_CXX,     LANGUAGE_C};
    assert_int_equal(a.source_count, 6);
    for (size_t i = 0; i < 6; i++) assert_int_equal(a.sources[i].language, expected[i]);
    assert_false(parse("-x fortran a.f"));
    assert_false(parse("a.f90"));
}

static void refused_in_one_line(void **state) {
    (void)state;
    static const char *const bad[] = {
        "-flto",   "-flto=auto", "-masm=intel", "-fsanitize=address", "-fsanitize=thread,undefined",
        "-static", "-shared",    "-m32"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s x.c", bad[i]);
        assert_false(parse(line));
        assert_int_equal(e.code, EXIT_USAGE);
        assert_non_null(strstr(e.what, bad[i]));
    }
    assert_false(parse("-c a.c b.c -o c.o"));
    assert_true(parse("-fPIC -pie -fsanitize=thread x.c"));
    assert_int_equal(a.compile.size, 0);
}

static void own_options(void **state) {
    (void)state;
    assert_true(parse("--asm-unknown=warn --keep-assembly=/tmp --foreign=warn x.c"));
    assert_true(a.unknown_is_warning);
    assert_true(a.foreign_is_warning);
    assert_string_equal(a.keep, "/tmp");
    assert_int_equal(a.compile.size, 0);
    assert_false(parse("--asm-unknown=maybe x.c"));
}

static void response_files(void **state) {
    (void)state;
    char path[] = "/tmp/plumb-response-XXXXXX", word[64];
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fputs("-DA='x y' \"b c.c\"\n-DQ=\\\"s\\\" -O1\n", f);
    fclose(f);
    snprintf(word, sizeof word, "-c @%s", path);
    assert_true(parse(word));
    assert_string_equal(join(&a.compile), "-DA=x y -DQ=\"s\" -O1");
    assert_string_equal(a.sources[0].path, "b c.c");
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorted_by_step), cmocka_unit_test(what_is_wanted),
                                       cmocka_unit_test(languages),      cmocka_unit_test(refused_in_one_line),
                                       cmocka_unit_test(own_options),    cmocka_unit_test(response_files)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arguments_free(&a);
    return failed;
}
