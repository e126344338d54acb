/* --init: one value, initial values by key as a JSON object, or a file that has such an object or lines of a key and
 * its value. `@FILE` is always the file; without the @, what is no number and no quoted string, and names a file. */
#ifndef PLUMB_CLI_INITIAL_OPTION_H
#define PLUMB_CLI_INITIAL_OPTION_H

#include "base/error.h"
#include "base/text.h"

#define INITIAL_HELP "the initial value of registers and keys, or a file with that of each key"
#define INITIAL_MORE \
    "A number, a word or a \"string\"; {\"x\": 1, \"y\": \"a\"} for each key its own; or the name of a file (@FILE, " \
    "when the name could be a value) that has such an object, or lines of a key and its value. Keys that are not " \
    "named have none."

/* The text that object_open takes, NULL when there is none: `given` itself, or what is made of it in `own`. False: the
 * error says what is wrong. */
bool initial_option(const char *given, text *own, const char **init, error *e);

#endif
