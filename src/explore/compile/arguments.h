/* The command line of a C compiler, understood well enough to run its steps one by one: which arguments are sources,
 * which belong to compiling, assembling or linking, and what we refuse because it would hide something from the
 * explorer. */
#ifndef PLUMB_EXPLORE_COMPILE_ARGUMENTS_H
#define PLUMB_EXPLORE_COMPILE_ARGUMENTS_H

#include "base/error.h"
#include "explore/compile/words.h"

typedef enum language {
    LANGUAGE_NONE /* for the linker */,
    LANGUAGE_C,
    LANGUAGE_CXX,
    LANGUAGE_C_READY,
    LANGUAGE_CXX_READY,
    LANGUAGE_ASM,
    LANGUAGE_ASM_CPP,
    LANGUAGE_OTHER
} language;

typedef enum step_wanted {
    WANT_PROGRAM,
    WANT_OBJECTS,
    WANT_COMPILER, /* preprocessing, -S, questions to the compiler: its command line as it is */
} step_wanted;

typedef struct source {
    const char *path; /* in `all` */
    language language;
    size_t link_index; /* its place among the arguments of the linker */
} source;

typedef struct arguments {
    word_list all;     /* response files expanded, our own options taken off */
    word_list compile; /* for compiling to assembly: no sources, no -o, no -c */
    word_list assemble;
    word_list link; /* in order; sources are there as empty words, to be replaced by objects */
    source *sources;
    size_t source_count;
    step_wanted wanted;
    const char *output;                      /* -o; NULL: the compiler's default */
    bool dependencies;                       /* -MD or -MMD */
    bool dependency_file, dependency_target; /* -MF, -MT or -MQ were given */
    bool unknown_is_warning;                 /* --asm-unknown=warn */
    bool foreign_is_warning;                 /* --foreign=warn */
    char *keep;                              /* --keep-assembly=DIR: rewritten assembly is left there; NULL: nowhere */
} arguments;

bool arguments_parse(char **argv, size_t argc, arguments *out, error *e);
void arguments_free(arguments *a);
const char *language_name(language l); /* as after -x */

#endif
