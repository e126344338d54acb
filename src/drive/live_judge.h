/* The verdict while it runs: events from the reel go to a monitor and into the history file, in their order. */
#ifndef PLUMB_DRIVE_LIVE_JUDGE_H
#define PLUMB_DRIVE_LIVE_JUDGE_H

#include "drive/reel.h"
#include "format/output.h"
#include "monitor/event_feed.h"

typedef struct live_judge {
    builder *b;
    event_feed *feed;
    output *history;
    unsigned method[OBJECT_METHODS]; /* by the object's method: the builder's number of its name */
    const object *o;
    uint64_t events, notes;
    int64_t time; /* of the last event that was judged */
    bool over;    /* a violation was found, or nothing more can be said: events are written and not judged */
    error *e;
} live_judge;

typedef struct live_judge_settings {
    const char *object, *init, *history; /* history: the file to write */
    const char *named;                   /* for messages: what is driven */
    bool go_on;
} live_judge_settings;

/* Opens object and monitor. False with the error set. */
bool live_judge_open(live_judge *j, const live_judge_settings *s, error *e);
void live_judge_take(live_judge *j, const reel_event *event, uint32_t n);
bool live_judge_finish(live_judge *j); /* the file is whole; false with the error set */
void live_judge_close(live_judge *j);
const monitor *live_judge_monitor(const live_judge *j);

#endif
