/* What a monitor has judged so far, as text that Prometheus reads (text exposition format, version 0.0.4). */
#ifndef PLUMB_RUNTIME_METRICS_H
#define PLUMB_RUNTIME_METRICS_H

#include "base/text.h"
#include "engine/engine.h"

#include <time.h>

typedef struct metrics {
    const char *object, *source;  /* labels of every line; `source`: what is watched, a file or an address */
    verdict verdict;              /* so far */
    uint64_t checked;             /* operations that were judged */
    uint64_t dark, skipped, grey; /* operations that were not, by why (runtime/watch.h) */
    uint64_t excused;             /* open for too long: pending for ever */
    uint64_t dark_periods;
    uint64_t violations; /* that were reported */
    uint64_t sample;     /* one of so many keys or values is judged; 0: all */
    uint64_t open;       /* operations that are open now */
    uint64_t lag;        /* events that came since the oldest of them was called, or records that wait to be read */
    size_t memory;       /* bytes */
    time_t started;      /* when watching began */
    double rate;         /* operations judged a second, lately */
} metrics;

/* How fast, over a second at least; zero it first. */
typedef struct metrics_rate {
    double at, rate;
    uint64_t checked;
} metrics_rate;

double metrics_rate_now(metrics_rate *r, uint64_t checked, double now);
void metrics_print(const metrics *m, text *out);

#endif
