/* What happened, in one order: clients put in calls and returns, the judge takes them out. An event is put in under one
 * lock with its time: a call before the service is asked, a return after it has answered, so that an operation on the
 * reel lasts at least as long as it did. */
#ifndef PLUMB_DRIVE_REEL_H
#define PLUMB_DRIVE_REEL_H

#include "history/history.h"

#include <pthread.h>

typedef enum reel_kind { REEL_CALL, REEL_RETURN, REEL_FAIL, REEL_INFO, REEL_NOTE } reel_kind;

typedef struct reel_event {
    int64_t time;  /* nanoseconds since the start */
    int64_t until; /* of a note: when it ended */
    uint32_t client;
    uint8_t kind, method, nargs;
    value key, res; /* of a note: `res` is its text */
    value arg[HISTORY_MAX_ARGS];
} reel_event;

typedef struct reel {
    pthread_mutex_t lock;
    pthread_cond_t taken;
    reel_event *event, *spare; /* one is filled while the other is judged */
    uint32_t n, room, spare_room;
    int64_t start;
    bool unlimited;
} reel;

void reel_open(reel *t);
void reel_close(reel *t);
int64_t reel_now(const reel *t);
/* A call waits while the judge is far behind. The time of a note is the caller's. */
void reel_put(reel *t, const reel_event *e);
void reel_end_waiting(reel *t); /* no call waits any more: those who wait are to end */
/* All that came since; valid until the next call. */
uint32_t reel_take(reel *t, const reel_event **out);

#endif
