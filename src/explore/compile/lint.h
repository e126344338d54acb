/* What was linked besides our own objects? Foreign code whose atomic instructions are not seen makes every answer
 * worthless, so it is refused by name; other foreign code is listed as opaque. */
#ifndef PLUMB_EXPLORE_COMPILE_LINT_H
#define PLUMB_EXPLORE_COMPILE_LINT_H

#include "base/text.h"
#include "explore/compile/words.h"

/* From the linker's map: objects, shared libraries, and members of archives as "archive(member)". */
void map_inputs(const char *map, word_list *inputs);

/* The bytes of an input, of a member of an archive too. False: it cannot be read. */
bool input_read(const char *input, text *bytes);
/* Relocatable code that neither we nor the tool chain made; its bytes. */
bool input_is_foreign_object(const char *input, text *bytes);

typedef struct lint_runtime {
    const char *path; /* that input is ours */
    const text *bytes;
} lint_runtime;

/* Looks into every input. What is refused goes to `complaints`, what is foreign to `opaque`, a line each.
 * `program` is the contents of the program that was linked. Returns how many were refused. */
unsigned lint_inputs(const word_list *inputs, const text *program, const lint_runtime *runtime, text *complaints,
                     text *opaque);

#endif
