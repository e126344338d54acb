/* The way back from a history to Jepsen's events, shared by the formats that write them: each operation becomes an
 * :invoke and an :ok, a pending one an :invoke and, at the end of the file, an :info.
 *
 * An operation whose arguments and result do not fit into one :value each, so that jepsen.c would read another
 * operation, is refused: nothing is written that would be read as something else. */
#ifndef PLUMB_FORMAT_JEPSEN_WRITE_H
#define PLUMB_FORMAT_JEPSEN_WRITE_H

#include "format/event_order.h"
#include "format/jepsen.h"

typedef struct jepsen_line {
    jepsen_type type;
    uint32_t operation; /* its index in the history */
    int64_t process;
    const char *f;
    value key; /* VALUE_NONE: none */
    value content;
    int64_t time; /* the stamp, or the rank when there are none; of an :info, the last one */
} jepsen_line;

typedef struct jepsen_lines {
    const history *h;
    const char *format_name;
    error *e;
    event_order *order;
    uint32_t next; /* rank, then h->events + operation */
    int64_t last_time;
    uint8_t manner[256];
} jepsen_lines;

void jepsen_lines_begin(jepsen_lines *j, const history *h, const char *format_name, error *e);
bool jepsen_lines_next(jepsen_lines *j, jepsen_line *out); /* false at the end or after an error */
void jepsen_lines_end(jepsen_lines *j);

/* The value in EDN; false when it cannot be written (bytes that are not UTF-8). */
bool edn_write(const values *t, value v, text *out);

#endif
