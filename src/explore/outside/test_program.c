#include "explore/outside/test_program.h"

#include "base/mem.h"
#include "base/scratch.h"
#include "base/whole_file.h"
#include "explore/compile/driver.h"
#include "explore/outside/word_list.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Blanks of all kinds become one kind: schedules keep a list on one line. */
static void add_list(text *t, const char *list) {
    for (; *list; list++) text_char(t, isspace((unsigned char)*list) ? ' ' : *list);
}

/* A schedule keeps it on one line, between other words. */
static bool add_word(text *t, const char *word, error *e) {
    if (!*word || strpbrk(word, "\r\n"))
        return error_set(e, EXIT_USAGE, "'%s': a word that is empty or has an end of line is not supported", word);
    word_list_add(t, word);
    return true;
}

static bool is_program(const char *path) {
    static const char magic[] = {0x7f, 'E', 'L', 'F'};
    char head[18] = {0};
    FILE *f = fopen(path, "rb");
    bool elf = f && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, magic, sizeof magic);
    if (f) fclose(f);
    /* executable or shared, not an object file */
    return elf && (head[16] == 2 || head[16] == 3) && access(path, X_OK) == 0;
}

/* The first source, in C. */
static bool translate(test_program *t, error *e) {
    text path = {0}, code = {0};
    t->litmus = MEM_NEW(litmus);
    if (!litmus_read(t->litmus, t->name, e)) return false;
    text_printf(&path, "%s/litmus.c", t->directory);
    t->translated = path.at;
    litmus_program(t->litmus, &code);
    const bool good = whole_file_write(t->translated, code.at, code.size, e);
    text_free(&code);
    return good;
}

static bool compile(test_program *t, error *e) {
    text directory = {0}, binary = {0};
    if (!scratch_directory("plumb", &directory, e)) return false;
    assert(!t->directory);
    t->directory = directory.at;
    text_printf(&binary, "%s/test", t->directory);
    t->binary = binary.at;
    if (is_litmus(t->name) && !translate(t, e)) return false;
    unsigned n;
    char **files = word_list_split(text_str(&t->sources), &n), **flags = word_list_split(text_str(&t->flags), &n);
    if (t->translated) {
        free(files[0]);
        files[0] = mem_string(t->translated);
    }
    test_sources given = {.files = (const char *const *)files, .flags = (const char *const *)flags};
    bool good = compile_test(&given, t->binary, e);
    word_list_free(files);
    word_list_free(flags);
    return good;
}

/* Of main: its name, and what was given. */
static void arguments_make(test_program *t) {
    unsigned n;
    t->given = word_list_split(text_str(&t->arguments), &n);
    t->argv = MEM_ARRAY(char *, n + 2);
    t->argv[0] = t->binary;
    for (unsigned i = 0; i <= n; i++) t->argv[i + 1] = t->given[i];
}

static bool make_ready(test_program *t, error *e) {
    text first = {0};
    assert(t->sources.size && !t->binary && !t->directory);
    const char *rest = word_list_next(text_str(&t->sources), &first);
    t->name = mem_string(text_str(&first));
    text_free(&first);
    bool good;
    if (rest && !*rest && is_program(t->name)) {
        good = (t->binary = realpath(t->name, NULL)) != NULL ||
               error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", t->name, strerror(errno));
    } else {
        good = compile(t, e);
    }
    assert(!good || t->binary);
    if (good) arguments_make(t);
    return good;
}

bool test_program_make(test_program *t, char **operand, unsigned n, const char *flags, error *e) {
    *t = (test_program){0};
    add_list(&t->flags, flags);
    unsigned i = 0;
    for (; i < n && !(t->sources.size && !strcmp(operand[i], "--")); i++) {
        if (!strcmp(operand[i], "--")) continue; /* before the sources: that only ends the options */
        /* -I include */
        bool alone = i > 0 && operand[i - 1][0] == '-' && strchr("DUILl", operand[i - 1][1]) && !operand[i - 1][2];
        if (!alone && operand[i][0] != '-' && access(operand[i], R_OK))
            return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", operand[i], strerror(errno));
        if (!add_word(alone || operand[i][0] == '-' ? &t->flags : &t->sources, operand[i], e)) return false;
    }
    for (i++; i < n; i++)
        if (!add_word(&t->arguments, operand[i], e)) return false;
    if (!t->sources.size)
        return error_set(e, EXIT_USAGE, "no source given; expected TEST.c or a program made with `plumb cc`");
    return make_ready(t, e);
}

bool test_program_again(test_program *t, const char *sources, const char *flags, const char *arguments, error *e) {
    *t = (test_program){0};
    if (!*sources)
        return error_set(e, EXIT_BAD_INPUT, "the schedule names no sources; expected the test it was found in");
    add_list(&t->sources, sources);
    add_list(&t->flags, flags);
    if (arguments) add_list(&t->arguments, arguments);
    return make_ready(t, e);
}

void test_program_free(test_program *t) {
    if (t->directory) {
        if (t->binary) unlink(t->binary);
        if (t->translated) unlink(t->translated);
        rmdir(t->directory);
    }
    if (t->litmus) litmus_free(t->litmus);
    FREE_ALL(t->directory, t->binary, t->name, t->litmus, t->translated);
    text_free(&t->sources);
    text_free(&t->flags);
    text_free(&t->arguments);
    free(t->argv);
    word_list_free(t->given);
    *t = (test_program){0};
}
