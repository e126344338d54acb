/* Histories fed to monitors, event by event in the order of their ranks. */
#ifndef PLUMB_TESTS_FEED_H
#define PLUMB_TESTS_FEED_H

#include "base/random.h"
#include "monitor/monitor.h"
#include "support/make_history.h"

typedef struct feed {
    const history *h;
    uint32_t *event;       /* by rank: operation * 2 + is return */
    open_operation **open; /* by operation */
    uint32_t next;
} feed;

void feed_init(feed *f, const history *h);
void feed_free(feed *f);
bool feed_next(feed *f, monitor *m); /* one event; false: no more */
/* All events, with operations that never return declared pending for ever at some moment. `rank_of`: of each event that
 * the monitor counted, the rank it stands for; returns how many. */
uint32_t feed_with_pending(feed *f, monitor *m, random_source *r, uint32_t *rank_of);
/* Operations that never return fail now. Returns the history without them. */
history *feed_failures(feed *f, monitor *m);
verdict feed_all(const bound *b, const monitor_options *options, moment *bad); /* the verdict, and the bad event */

/* Of the history cut after this rank, by the engines that see the whole, in so many seconds. */
verdict verdict_offline(const bound *b, uint32_t cut, double seconds);

/* The first rank such that the history cut there is a violation, by the oracle; RANK_NEVER: none. */
uint32_t earliest_violation(const bound *b);

#endif
