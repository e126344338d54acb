/* Histories from text in one of the formats, and back; and whether two histories are the same. */
#ifndef PLUMB_TESTS_READ_TEXT_H
#define PLUMB_TESTS_READ_TEXT_H

#include "format/format.h"

/* `format_name` NULL: sniff. NULL with the error set on bad input. */
history *read_bytes(const char *format_name, const void *p, size_t n, bool independent, error *e);
history *read_text(const char *format_name, const char *content, error *e);
/* Appends to `out`; false with the error set when the format cannot express the history. */
bool write_text(const char *format_name, const history *h, text *out, error *e);
bool write_bound(const char *format_name, const history *h, const object *o, text *out, error *e); /* bound to o */

/* Operations in the order of their calls, one a line, with ranks: "0 enq(3) -> none [0,1]". Clients are numbered by
 * first appearance, so that two histories that differ only in the names of their clients print the same. A client that
 * goes on after a pending operation is a new one, as in the event formats. */
void print_history(const history *h, bool with_clients, text *out);

/* The directory of recorded histories; NULL after saying so when it is absent. */
const char *data_directory(void);

#endif
