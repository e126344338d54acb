/* What the two halves of the explorer say to each other: `plumb explore` and the program under test, in a process of its own.
 * Lines of tab-separated fields, the first of which says what the line is about; tabs, newlines and backslashes inside a field
 * are escaped. The parent asks one question at a time; every answer ends with a line `end`.
 *
 *   items                      what the program declares:   item KIND TEXT NARGS FILE LINE;  main 0|1
 *   run KEY=VALUE ...          a campaign:                  progress ...;  stage ...;  result ...;  schedule ...
 *   replay KEY=VALUE ...       one schedule, in detail:     op ...;  step ...;  block ...;  result ...
 * src/explore/session.c (parent) and src/explore/inside/serve.c (child) have the fields. */
#ifndef PLUMB_EXPLORE_WIRE_H
#define PLUMB_EXPLORE_WIRE_H

#include "base/text.h"

enum { WIRE_FIELDS = 32 };

typedef struct wire_line {
    char *field[WIRE_FIELDS];
    unsigned n;
} wire_line;

void wire_begin(text *out, const char *tag);
void wire_text(text *out, const char *field);
void wire_int(text *out, int64_t field);
void wire_hex(text *out, uint64_t field);
void wire_real(text *out, double field);
void wire_end(text *out);

bool wire_split(char *line, wire_line *out);  /* in place; false: too many fields */
int64_t wire_get_int(const wire_line *l, unsigned i);   /* 0 when it is missing */
uint64_t wire_get_hex(const wire_line *l, unsigned i);
double wire_get_real(const wire_line *l, unsigned i);
const char *wire_get(const wire_line *l, unsigned i);   /* "" when it is missing */
/* The value of KEY=VALUE among the fields; NULL: not there. */
const char *wire_key(const wire_line *l, const char *key);

typedef enum wire_event { WIRE_LINE, WIRE_TIMEOUT, WIRE_CLOSED } wire_event;

typedef struct wire_reader {
    int fd;
    char *buffer;
    size_t start, end, room;
} wire_reader;

void wire_reader_init(wire_reader *r, int fd);
void wire_reader_free(wire_reader *r);
/* The next line; its fields are valid until the next call. Waits at most so many milliseconds; -1: for ever. A signal that
 * arrives meanwhile is a timeout. */
wire_event wire_next(wire_reader *r, int milliseconds, wire_line *out);

#endif
