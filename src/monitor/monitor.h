/* Monitors: the verdict online, event by event, in bounded memory.
 *
 * Calls and returns are fed one at a time, in their order. After each event the monitor knows about the history so far,
 * in which operations still open are pending: they may have taken effect or not, with any result. The first event after
 * which that history is a violation is reported, with the few operations that show it.
 *
 * Operations that no future event can involve are forgotten: memory is that of the object's content plus the events
 * since the oldest operation that is still open. docs/MONITORS.md says for each object what exactly is promised. */
#ifndef PLUMB_MONITOR_MONITOR_H
#define PLUMB_MONITOR_MONITOR_H

#include "engine/engine.h"
#include "engine/saturate/saturation.h"

typedef uint64_t moment; /* the number of an event, from 0 */
#define MOMENT_NEVER UINT64_MAX

typedef struct monitored { /* an operation as monitors keep it */
    uint64_t number;       /* operations are numbered in the order of their calls */
    moment call, ret;      /* MOMENT_NEVER: has not returned */
    uint32_t client;
    uint8_t method, nargs;
    bool goes_on; /* it was open for too long and is taken for pending for ever: its client may come again */
    value key, res;
    value arg[HISTORY_MAX_ARGS];
} monitored;

typedef struct monitor monitor;
typedef struct open_operation open_operation;

typedef struct monitor_options {
    bool general;                   /* use the frontier for every object */
    const char *type;               /* use the monitor of this name; NULL: choose */
    saturation_settings saturation; /* of the monitor `saturate` */
    uint64_t max_lag;               /* operations open for more events than this are pending for ever; 0: no limit */
    /* monitors that work in batches: events in one; 1: the verdict at every event; 0: the standard */
    uint64_t check_after;
    double seconds; /* monitors that work in batches: for one decision; 0: the standard, 10 */
    /* ways things can stand that the frontier looks at before it gives up; 0: the standard, 65536 */
    uint32_t max_ways;
    /* Report a violation, forget what it involved and judge what comes: monitor_violation lists them. */
    bool go_on;
    bool has_gaps; /* monitor_lose may be called: a monitor that finds the state again, if there is one */
    /* Judge one of so many keys (kv, set) or values (containers); 0, 1: all. See monitor_can_sample. */
    uint32_t sample;
} monitor_options;

/* By keys or by values; others have no part that can be judged by itself. */
bool monitor_can_sample(const object *o);

/* NULL with the error set when the object cannot be monitored. The object must have its values (object_use_values) and
 * outlive the monitor. `options` may be NULL. */
monitor *monitor_new(const object *o, const monitor_options *options, error *e);
void monitor_free(monitor *m);

/* ---- events ----
 * An operation is bound to the object already (object/object.h): its method is a number, its result in its one form.
 * Once the verdict is not VERDICT_LINEARIZABLE any more, events change nothing. */
typedef struct monitor_call_record {
    uint32_t client; /* the caller; matters to objects that see clients */
    uint8_t method, nargs;
    value key;
    value arg[HISTORY_MAX_ARGS];
} monitor_call_record;

open_operation *monitor_call(monitor *m, const monitor_call_record *call);
verdict monitor_return(monitor *m, open_operation *op, value res);
verdict monitor_fail(monitor *m, open_operation *op); /* it certainly did not happen */
verdict monitor_info(monitor *m, open_operation *op); /* pending for ever: it may happen at any later time */
/* The same, known at its call and no event: it still counts as open. */
verdict monitor_never_returns(monitor *m, open_operation *op);
/* No event will come any more: what is open never returns. It still counts as open. */
void monitor_ends(monitor *m);
/* Operations took place that were not fed, and all of them have ended: the state is not known, of any part. What comes
 * is judged again once an operation tells it. Only with the frontier (monitor_finds_state). */
void monitor_lose(monitor *m, const char *why);
bool monitor_finds_state(const monitor *m);
verdict monitor_late(monitor *m); /* one that was given up before a checkpoint returns */
const monitored *open_operation_view(const open_operation *op);
/* Declared pending for ever by max_lag: its return, if it comes, is not looked at. */
bool open_operation_given_up(const open_operation *op);

/* ---- what is known ---- */
/* Decides what has been put off (docs/MONITORS.md: stack and priority queue are judged in batches). */
verdict monitor_settle(monitor *m);
verdict monitor_verdict(const monitor *m);
/* While the verdict is linearizable: "" if it is so for certain, otherwise where a violation may have been missed. */
const char *monitor_doubt(monitor *m);
/* the same, of what is watched now: "" again when it has been decided */
const char *monitor_doubt_now(const monitor *m);
/* Operations that were not judged, and why the first were not. They are part of monitor_doubt. */
uint64_t monitor_unjudged(const monitor *m, const char **why);
const char *monitor_reason(const monitor *m); /* of a violation or of an undecided verdict; "" otherwise */
moment monitor_bad_event(const monitor *m);   /* the first event after which the history is a violation */
/* operations that alone are a violation, by call; n 0: not known */
const monitored *monitor_pattern(const monitor *m, uint32_t *n);

/* With go_on: all that were found so far, in the order in which they were; the verdict stays linearizable until
 * monitor_close_list, which makes it that of the first. */
typedef struct monitor_violation {
    moment event;
    char reason[240];
    monitored *pattern;
    uint32_t pattern_n;
} monitor_violation;

const monitor_violation *monitor_violations(const monitor *m, uint32_t *n);
void monitor_close_list(monitor *m);

typedef struct monitor_status {
    moment events;
    uint64_t operations; /* calls so far */
    uint64_t open;
    uint64_t given_up; /* pending for ever by max_lag */
    uint64_t failed;   /* of the calls: they certainly did not happen */
    moment lag;        /* events since the oldest open operation was called */
    uint64_t live;     /* values, operations or ways that are remembered */
    uint64_t parts;
    uint64_t sampled; /* operations that were judged; with sampling fewer than `operations` */
    size_t memory;    /* bytes */
} monitor_status;

void monitor_look(const monitor *m, monitor_status *out);
const char *monitor_name(const monitor *m); /* "queue", "frontier": which monitor watches */
const object *monitor_object(const monitor *m);

#endif
