/* Bad patterns in words, one thing a line:
 *
 *     object queue                        whose operations they are about: queue, stack, register, lock or set
 *     name NAME                           what exported functions begin with; the object's name when left out
 *     pattern NAME: SENTENCE              and, indented, what must be seen for it, all of it:
 *       OP before OP                      one of the first kind has returned when one of the second is called
 *       twice OP                          two of this kind return
 *       values N [N]                      these numbers stand for any number of values each, the others for one
 *       OP blocked by N [N]               at least one such operation is there, and each of them has no moment at which
 *                                         no value of these numbers is certainly inside
 *       count N [or more]                 how far the automaton counts; "or more" says that more changes nothing
 *
 * OP is an operation with the number of its value, deq(1); add|found(1) is either of two; deq(empty) is one that found
 * nothing. Numbers are 1 and 2. `plumb monitors --print queue` writes the program's own patterns like this. */
#ifndef PLUMB_OBSERVE_PATTERN_FILE_H
#define PLUMB_OBSERVE_PATTERN_FILE_H

#include "observe/pattern.h"

/* NULL: error set, "file:line: what; expected ...". Every pattern has an automaton, which can become bad. */
pattern_set *pattern_file_open(const char *path, error *e);
pattern_set *pattern_file_parse(const char *source, const char *file, error *e);
void pattern_file_print(const pattern_set *s, text *out); /* what parses to the same patterns */

#endif
