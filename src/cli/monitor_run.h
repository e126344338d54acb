/* One run of `plumb monitor` over an input: what was asked for, and how far it has come. monitor_progress.c is called
 * while it goes on, monitor_result.c says what came of it. */
#ifndef PLUMB_CLI_MONITOR_RUN_H
#define PLUMB_CLI_MONITOR_RUN_H

#include "cli/alarm.h"
#include "cli/metrics_server.h"
#include "format/format.h"
#include "monitor/event_feed.h"
#include "scale/live_part.h"

typedef struct monitor_settings {
    const char *object, *init, *criterion, *format, *engine;
    int removal;
    bool independent, json, quiet, general, go_on, trust, adapt;
    const char *sample;
    const char *checkpoint, *html;
    const char *attach, *witness, *replicas, *replicas_key;
    const char *metrics, *save, *hook;
    uint64_t max_lag, every, clients;
    double idle;
    transport_settings cluster;
    const char *subject, *name; /* of a stream */
    uint64_t from, parts;
} monitor_settings;

typedef struct monitor_run {
    const monitor_settings *settings;
    const char *path;
    error e;
    input *in;
    builder *b;
    event_feed *feed;
    history *whole; /* of an input that had to be read to its end: the monitor's values are in it */
    metrics_server *metrics;
    alarm_news *news;
    live_part *live; /* NULL: a file */
    bool terminal, shown;
    double started, looked, next_settled;
    uint64_t events, looked_events, saved;
    uint32_t *found_line; /* by violation: the line that was being read when it was found */
    uint32_t found_n, found_room, sample;
} monitor_run;

void monitor_clear_progress(monitor_run *w);
void monitor_note_violations(monitor_run *w, event_feed *feed); /* with --go-on: where each was found */
/* Of an event_feed and an input; the context is the run. In silence there is time to decide what has been put off. */
bool monitor_after_event(void *context, event_feed *feed);
bool monitor_in_silence(void *context);
bool monitor_save_state(monitor_run *w); /* writes the checkpoint, and tells the cluster of it */

int monitor_print_result(monitor_run *w); /* and files that were asked for; the exit code */

#endif
