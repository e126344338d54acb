/* Monitors: linearizability online, event by event, in bounded memory.
 *
 *     plumb_value seven = plumb_int(7);
 *     plumb_monitor *m = plumb_monitor_new("queue", NULL);
 *     plumb_monitor_call(m, 1, "enq", &seven, 1);          // client 1 calls enq(7)
 *     if (plumb_monitor_return(m, 1, plumb_none()) != PLUMB_LINEARIZABLE)
 *         puts(plumb_monitor_reason(m));                   // after this event the history is a violation
 *     plumb_monitor_free(m);
 *
 * The order of these calls is the order of time. Operations that are open count as pending. A monitor is used by one
 * thread at a time. docs/MONITORS.md says what is promised for each object. */
#ifndef PLUMBLINE_MONITOR_H
#define PLUMBLINE_MONITOR_H

#include <plumbline/plumbline.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plumb_monitor plumb_monitor;

typedef struct plumb_monitor_options {
    size_t struct_size; /* sizeof(plumb_monitor_options): set it, zero the rest */
    const char *init;   /* initial value of a register; NULL: none */
    uint64_t max_lag;   /* an operation open for more events than this is pending for ever; 0: no limit */
    /* stack and priority queue are judged in batches of so many events; 1: at every event; 0: standard */
    uint64_t check_after;
} plumb_monitor_options;

/* Never NULL. When the object is unknown or cannot be monitored, the verdict is PLUMB_ERROR. */
PLUMB_API plumb_monitor *plumb_monitor_new(const char *object, const plumb_monitor_options *options);

/* Each returns the verdict so far. Misuse (a second call of a client, an unknown method) makes it PLUMB_ERROR; any
 * verdict but PLUMB_LINEARIZABLE is final. */
PLUMB_API plumb_verdict plumb_monitor_call(plumb_monitor *m, int64_t client, const char *method, const plumb_value *arg,
                                           size_t args);
PLUMB_API plumb_verdict plumb_monitor_return(plumb_monitor *m, int64_t client, plumb_value result);
/* the open call certainly had no effect */
PLUMB_API plumb_verdict plumb_monitor_fail(plumb_monitor *m, int64_t client);
/* it may have one, now or later: pending */
PLUMB_API plumb_verdict plumb_monitor_info(plumb_monitor *m, int64_t client);
/* Decides what was put off (check_after). PLUMB_UNDECIDED: the last operations take too long to decide, or as above; it
 * may be answered by what comes later. Also while nothing was judged: no call, or only failed ones. */
PLUMB_API plumb_verdict plumb_monitor_settle(plumb_monitor *m);

PLUMB_API const char *plumb_monitor_reason(
    const plumb_monitor *m); /* "" while linearizable, unless nothing was judged */
/* the first event that made the violation, from 0; UINT64_MAX: none */
PLUMB_API uint64_t plumb_monitor_bad_event(const plumb_monitor *m);
/* Numbers of operations, by call from 0 on, that alone are a violation: at most `room` are written; returns how many
 * there are. */
PLUMB_API size_t plumb_monitor_pattern(const plumb_monitor *m, uint64_t *number, size_t room);
PLUMB_API uint64_t plumb_monitor_events(const plumb_monitor *m);
/* events since the oldest open operation was called */
PLUMB_API uint64_t plumb_monitor_lag(const plumb_monitor *m);
PLUMB_API size_t plumb_monitor_memory(const plumb_monitor *m); /* bytes */
PLUMB_API void plumb_monitor_free(plumb_monitor *m);

#ifdef __cplusplus
}
#endif
#endif
