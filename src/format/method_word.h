/* Line formats write method names as bare words. */
#ifndef PLUMB_FORMAT_METHOD_WORD_H
#define PLUMB_FORMAT_METHOD_WORD_H

#include "base/error.h"
#include "history/history.h"

/* False with the error set when a method's name cannot stand in a line of the format. */
bool method_words_check(const history *h, const char *format_name, error *e);

#endif
