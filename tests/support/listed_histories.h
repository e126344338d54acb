/* The histories that an exploration lists (talk_history of explore/model/execution.h), as sets that can be compared. */
#ifndef PLUMB_TESTS_LISTED_HISTORIES_H
#define PLUMB_TESTS_LISTED_HISTORIES_H

#include <stdbool.h>
#include <stdint.h>

enum { LISTED_OPERATIONS = 12, LISTED_THREADS = 6 };

typedef struct listed_operation {
    uint8_t thread, method;
    int64_t arg;
    uint64_t before; /* operations that returned before its call */
    char kind;       /* of its result */
    int64_t result;
} listed_operation;

typedef struct listed_history {
    listed_operation op[LISTED_OPERATIONS]; /* by thread */
    uint32_t n;
} listed_history;

typedef struct listed_histories {
    listed_history *at;
    uint32_t n, room;
    bool too_long; /* one did not fit */
} listed_histories;

void listed_add(void *set, const char *line); /* for session_run; NULL: forget the earlier ones */
listed_histories listed_copy(const listed_histories *s);
void listed_free(listed_histories *s);

/* Threads that do the same, up to the values that only they mention, can be exchanged together with these values: adds
 * all histories that come from that. */
void listed_rename(listed_histories *s);
bool listed_equal(listed_histories *a, listed_histories *b); /* as sets; sorts them */
/* Every history of `all` has one in `some` with the same results and at least its order; all of `some` are in `all`. */
bool listed_dominate(const listed_histories *some, const listed_histories *all);

#endif
