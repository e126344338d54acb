/* A test made ready to run: sources compiled with the explorer's compiler into a directory of its own, or a program as
 * it is. */
#ifndef PLUMB_EXPLORE_OUTSIDE_TEST_PROGRAM_H
#define PLUMB_EXPLORE_OUTSIDE_TEST_PROGRAM_H

#include "base/error.h"

typedef struct test_program {
    char *name;          /* the first source, or the program */
    text sources, flags; /* blank-separated, as they are saved with a schedule */
    char *binary;
    char *directory; /* to be removed; NULL: none */
    char *argv[2];   /* of the program */
} test_program;

/* Operands that begin with a dash are for the compiler. */
bool test_program_make(test_program *t, char **operand, unsigned n, const char *flags, error *e);
bool test_program_again(test_program *t, const char *sources, const char *flags, error *e); /* from what was saved */
void test_program_free(test_program *t);

#endif
