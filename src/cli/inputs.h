/* What the user named, as a list of files: directories are walked, and of what is in them only files that a reader
 * recognises are taken. */
#ifndef PLUMB_CLI_INPUTS_H
#define PLUMB_CLI_INPUTS_H

#include "base/error.h"

#include <stdint.h>

typedef struct inputs {
    char **path;
    uint32_t n;
    char **skipped; /* in directories, recognised by no reader */
    uint32_t skipped_n;
    bool any_directory;
} inputs;

void inputs_gather(inputs *in, char **operand, unsigned operands);
void inputs_free(inputs *in);

#endif
