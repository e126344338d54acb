#include "explore/outside/test_program.h"

#include "base/mem.h"
#include "base/scratch.h"
#include "explore/compile/driver.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Blanks of all kinds become one kind: schedules keep flags on one line. */
static void add_word(text *t, const char *word) {
    if (t->size) text_char(t, ' ');
    for (; *word; word++) text_char(t, isspace((unsigned char)*word) ? ' ' : *word);
}

/* Pointers to the words of a blank-separated list, which is cut up; ended by NULL. */
static const char **words_of(char *list) {
    const char **word = MEM_ARRAY(const char *, strlen(list) / 2 + 2);
    size_t n = 0;
    for (char *p = strtok(list, " "); p; p = strtok(NULL, " ")) word[n++] = p;
    word[n] = NULL;
    return word;
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

static bool compile(test_program *t, error *e) {
    text directory = {0}, binary = {0};
    if (!scratch_directory("plumb", &directory, e)) return false;
    assert(!t->directory);
    t->directory = directory.at;
    text_printf(&binary, "%s/test", t->directory);
    t->binary = binary.at;
    char *sources = mem_string(text_str(&t->sources)), *flags = mem_string(text_str(&t->flags));
    const char **files = words_of(sources), **more = words_of(flags);
    bool good = compile_test(&(test_sources){.files = files, .flags = more}, t->binary, e);
    FREE_ALL(files, more, sources, flags);
    return good;
}

/* Of main: its name, and what was given. */
static void arguments_make(test_program *t) {
    t->cut_up = mem_string(text_str(&t->arguments));
    const char **given = words_of(t->cut_up);
    size_t n = 0;
    while (given[n]) n++;
    t->argv = MEM_ARRAY(char *, n + 2);
    t->argv[0] = t->binary;
    for (size_t i = 0; i <= n; i++) t->argv[i + 1] = (char *)(uintptr_t)given[i];
    free(given);
}

static bool make_ready(test_program *t, error *e) {
    const char *only = text_str(&t->sources);
    assert(*only && !t->binary && !t->directory);
    t->name = mem_string(only);
    t->name[strcspn(t->name, " ")] = 0;
    bool good;
    if (!strchr(only, ' ') && is_program(only)) {
        good = (t->binary = realpath(only, NULL)) != NULL ||
               error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", only, strerror(errno));
    } else {
        good = compile(t, e);
    }
    assert(!good || t->binary);
    if (good) arguments_make(t);
    return good;
}

bool test_program_make(test_program *t, char **operand, unsigned n, const char *flags, error *e) {
    *t = (test_program){0};
    add_word(&t->flags, flags);
    unsigned i = 0;
    for (; i < n && !(t->sources.size && !strcmp(operand[i], "--")); i++) {
        if (!strcmp(operand[i], "--")) continue; /* before the sources: that only ends the options */
        if (strpbrk(operand[i], " \t\n"))
            return error_set(e, EXIT_USAGE, "'%s': a name with blanks is not supported", operand[i]);
        /* -I include */
        bool alone = i > 0 && operand[i - 1][0] == '-' && strchr("DUILl", operand[i - 1][1]) && !operand[i - 1][2];
        if (!alone && operand[i][0] != '-' && access(operand[i], R_OK))
            return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", operand[i], strerror(errno));
        add_word(alone || operand[i][0] == '-' ? &t->flags : &t->sources, operand[i]);
    }
    for (i++; i < n; i++) {
        if (!operand[i][0] || strpbrk(operand[i], " \t\n"))
            return error_set(e, EXIT_USAGE, "'%s': an argument that is empty or has blanks is not supported",
                             operand[i]);
        add_word(&t->arguments, operand[i]);
    }
    if (!t->sources.size)
        return error_set(e, EXIT_USAGE, "no source given; expected TEST.c or a program made with `plumb cc`");
    return make_ready(t, e);
}

bool test_program_again(test_program *t, const char *sources, const char *flags, const char *arguments, error *e) {
    *t = (test_program){0};
    if (!*sources)
        return error_set(e, EXIT_BAD_INPUT, "the schedule names no sources; expected the test it was found in");
    add_word(&t->sources, sources);
    add_word(&t->flags, flags);
    if (arguments) add_word(&t->arguments, arguments);
    return make_ready(t, e);
}

void test_program_free(test_program *t) {
    if (t->directory) {
        if (t->binary) unlink(t->binary);
        rmdir(t->directory);
    }
    FREE_ALL(t->directory, t->binary, t->name);
    text_free(&t->sources);
    text_free(&t->flags);
    text_free(&t->arguments);
    free(t->argv);
    free(t->cut_up);
    *t = (test_program){0};
}
