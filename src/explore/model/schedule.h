/* Schedules: the choices that make one execution repeatable, in memory and as text.
 *
 *     0*12 1 2*3 ?1/3 0        thread 0 twelve times, 1 once, 2 three times, alternative 1 of 3, thread 0 */
#ifndef PLUMB_EXPLORE_MODEL_SCHEDULE_H
#define PLUMB_EXPLORE_MODEL_SCHEDULE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The choices of one execution: thread numbers and chosen alternatives in the order they were made. */
typedef struct schedule {
    uint8_t *choice; /* a thread, or an alternative */
    uint8_t *of;     /* 0: a thread was picked; n: one of n alternatives was chosen */
    uint32_t length, capacity;
} schedule;

void schedule_add(schedule *s, unsigned choice, unsigned of); /* of 0: a thread */
bool schedule_equal(const schedule *a, const schedule *b);    /* for tests and self-checks */
void schedule_free(schedule *s);

void schedule_write(const schedule *s, text *out);
/* False: `wrong` says at which character and what was expected. `s` must be empty. */
bool schedule_read(schedule *s, const char *from, text *wrong);

#endif
