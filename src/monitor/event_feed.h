/* From the events of a file, or of a program, to a monitor: names become numbers, every event is checked against the
 * object as binding does it for whole histories. */
#ifndef PLUMB_MONITOR_EVENT_FEED_H
#define PLUMB_MONITOR_EVENT_FEED_H

#include "history/builder.h"
#include "monitor/monitor.h"

typedef struct event_feed event_feed;

typedef struct feed_options {
    const char *object, *init; /* object NULL: what the file says */
    criterion criterion;       /* if none was asked for: the object's own */
    monitor_options monitor;
    const char *checkpoint; /* the file to take up from, if it exists; may be NULL */
    bool trust_checkpoint;  /* even if this user did not write it */
    /* After every event; false ends the reading. May be NULL. */
    bool (*after_event)(void *context, event_feed *f);
    void *context;
} feed_options;

/* Takes the events of b. The first event opens the object and makes the monitor. */
event_feed *event_feed_new(builder *b, const feed_options *options, error *e);
void event_feed_free(event_feed *f);
bool event_feed_open(event_feed *f); /* the object and the monitor, before the first event: options.object is needed */

monitor *event_feed_monitor(event_feed *f);    /* NULL before the first event */
uint32_t event_feed_line(const event_feed *f); /* of the last event */
/* When that event was, as the input says; false: it does not, or that is long ago */
bool event_feed_time(const event_feed *f, moment event, int64_t *out);
/* Evidence: clients that went on after a pending operation, by their own names again. */
void event_feed_name_clients(const event_feed *f, history *h);
bool event_feed_save(event_feed *f, error *e); /* writes the checkpoint */
/* Whole operations, once they are read: their events in the order of their stamps. Takes h. */
bool event_feed_history(event_feed *f, history *h, const char *file);

#endif
