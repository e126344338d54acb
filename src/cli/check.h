/* Judging files as `plumb check` does, for commands that do something with the verdict. */
#ifndef PLUMB_CLI_CHECK_H
#define PLUMB_CLI_CHECK_H

#include "base/text.h"

typedef struct check_settings {
    const char *object, *init, *engine, *format, *criterion, *quasi, *junit, *sarif, *certificate, *proof, *html;
    bool measure;
    int removal, evidence;
    bool independent, json, github, verbose, quiet;
    bool *wrote;  /* receives whether a page was written; may be NULL */
    bool brief;   /* the verdict in a line, without the explanation */
    text on_fail; /* method=observe ... */
    text initial; /* what `init` is made of a file or a map */
    double timeout;
    uint64_t memory, threads;
    int color;
} check_settings;

int check_files(check_settings *c, char **operand, unsigned operands); /* the exit code */

#endif
