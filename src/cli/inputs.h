/* What the user named, as a list of files: directories are walked, and of what is in them only files that a reader
 * recognises are taken; of a folder that Jepsen wrote for a run (format/jepsen_store.h), its one history. */
#ifndef PLUMB_CLI_INPUTS_H
#define PLUMB_CLI_INPUTS_H

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

typedef struct inputs {
    char **path;
    uint32_t n;
    bool *independent; /* by path: its folder says that values are [key value] */
    text about;        /* lines on the runs of Jepsen among them */
    char **skipped;    /* in directories, recognised by no reader */
    uint32_t skipped_n;
    bool any_directory;
} inputs;

void inputs_gather(inputs *in, char **operand, unsigned operands);
void inputs_free(inputs *in);

#endif
