/* Values as words of text: a letter for the kind, then the rest. For lines that programs write and read, not people. */
#ifndef PLUMB_HISTORY_VALUE_CODE_H
#define PLUMB_HISTORY_VALUE_CODE_H

#include "history/value.h"

void value_encode(const values *t, value v, text *out);
value value_decode(values *t, const char **at); /* moves behind what it read */

#endif
