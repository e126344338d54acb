/* Response files, @FILE: words separated by blanks, quoted with ' or ", a backslash takes the next character as it
 * is. */
#ifndef PLUMB_EXPLORE_COMPILE_RESPONSE_H
#define PLUMB_EXPLORE_COMPILE_RESPONSE_H

#include "explore/compile/words.h"

/* Adds the words of the command line with response files expanded. A file that cannot be read stays the word it was, as
 * compilers do it; so does one nested too deep. */
void response_expand(char **argv, size_t argc, word_list *out);

#endif
