/* A test made ready to run: sources compiled with the explorer's compiler into a directory of its own, or a program as
 * it is. */
#ifndef PLUMB_EXPLORE_OUTSIDE_TEST_PROGRAM_H
#define PLUMB_EXPLORE_OUTSIDE_TEST_PROGRAM_H

#include "base/error.h"
#include "explore/outside/litmus.h"

typedef struct test_program {
    char *name;                     /* the first source, or the program */
    text sources, flags, arguments; /* blank-separated, as they are saved with a schedule */
    char *binary;
    char *directory;  /* to be removed; NULL: none */
    char **argv;      /* of the program: its name, and its arguments */
    char **given;     /* the text of these */
    litmus *litmus;   /* the first source is one; NULL: it is not */
    char *translated; /* it in C, to be removed */
} test_program;

/* Operands that begin with a dash are for the compiler, those behind "--" are arguments of the program. */
bool test_program_make(test_program *t, char **operand, unsigned n, const char *flags, error *e);
/* From what was saved. */
bool test_program_again(test_program *t, const char *sources, const char *flags, const char *arguments, error *e);
void test_program_free(test_program *t);

#endif
