/* What a schedule is saved with, so that it can be replayed tomorrow: which test, how it was compiled, which threads,
 * which choices. A text file of `key: value` lines. */
#ifndef PLUMB_EXPLORE_OUTSIDE_TEST_FILE_H
#define PLUMB_EXPLORE_OUTSIDE_TEST_FILE_H

#include "base/error.h"

typedef struct saved_schedule {
    char *sources;   /* blank-separated, or one executable */
    char *flags;     /* of the compiler; "" none */
    char *arguments; /* of the program's main; NULL: none */
    char *object;    /* NULL: assertions only */
    char *init;      /* initial value of the object; NULL: none given */
    char *threads;   /* NULL: main */
    char *options;   /* "reuse=oldest races=1": what the machine needs to repeat itself */
    char *choices;   /* the schedule */
} saved_schedule;

void schedule_text(const saved_schedule *s, text *out); /* what schedule_save writes */
bool schedule_save(const char *path, const saved_schedule *s, error *e);
bool schedule_load(const char *path, saved_schedule *out, error *e);
void saved_schedule_free(saved_schedule *s);

#endif
