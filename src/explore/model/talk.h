/* What the two halves of the explorer say to each other: `plumb explore` and the program under test, in a process of
 * its own. Lines of tab-separated fields, the first of which says what the line is about; tabs, newlines and
 * backslashes inside a field are escaped. The parent asks one question at a time; every answer ends with a line `end`.
 *
 *   items                      what the program declares:   item KIND TEXT NARGS FILE LINE;  main 0|1
 *   run KEY=VALUE ...          a campaign:                  counts ...;  stage ...;  limits ...;  note ...;
 *                              result ...;  schedule ...;  history ...
 *   replay KEY=VALUE ...       one schedule, in detail:     op ...;  step ...;  block ...;  result ...
 * src/explore/outside/session.c (parent) and src/explore/inside/serve.c (child) have the fields. */
#ifndef PLUMB_EXPLORE_MODEL_TALK_H
#define PLUMB_EXPLORE_MODEL_TALK_H

#include "base/text.h"

enum { TALK_FIELDS = 64 };

/* Of notes about progress, "progress: OPERATION ... at @PC". */
#define PROGRESS_WAITS "waits for another thread"
#define PROGRESS_REPEATS "repeats its loop when others interfere,"

typedef struct talk_line {
    char *field[TALK_FIELDS];
    unsigned n;
} talk_line;

void talk_begin(text *out, const char *tag);
void talk_text(text *out, const char *field);
void talk_int(text *out, int64_t field);
void talk_hex(text *out, uint64_t field);
void talk_real(text *out, double field);
void talk_end(text *out);

bool talk_split(char *line, talk_line *out);          /* in place; false: too many fields */
int64_t talk_get_int(const talk_line *l, unsigned i); /* 0 when it is missing */
uint64_t talk_get_hex(const talk_line *l, unsigned i);
double talk_get_real(const talk_line *l, unsigned i);
const char *talk_get(const talk_line *l, unsigned i); /* "" when it is missing */
/* The value of KEY=VALUE among the fields; NULL: not there. */
const char *talk_key(const talk_line *l, const char *key);

typedef enum talk_event { TALK_LINE, TALK_TIMEOUT, TALK_CLOSED } talk_event;

typedef struct talk_reader {
    int fd;
    char *buffer;
    size_t start, end, room;
} talk_reader;

void talk_reader_init(talk_reader *r, int fd);
void talk_reader_free(talk_reader *r);
/* The next line; its fields are valid until the next call. Waits at most so many milliseconds; -1: for ever. A signal
 * that arrives meanwhile is a timeout. */
talk_event talk_next(talk_reader *r, int milliseconds, talk_line *out);

#endif
