/* A budget is a promise: time and memory that a decision may use, and a flag that ends it early.
 * One budget may be shared by several threads; engines poll it in their innermost loop. */
#ifndef PLUMB_BASE_BUDGET_H
#define PLUMB_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum stop_reason {
    STOP_NONE,
    STOP_TIME,
    STOP_MEMORY,
    STOP_INTERRUPTED,
    STOP_NOT_NEEDED,
    STOP_EXHAUSTED /* of no budget: there was no memory, in a call of the library (base/pool.h) */
} stop_reason;

/* So many seconds of work: over when both the clock and the processor time of the process have gone so far. A busy
 * machine takes nothing away from it, other threads of the process do not either. All zero: none. */
typedef struct work_span {
    double clock, processor; /* when it ends */
} work_span;

typedef struct budget {
    double deadline;       /* on clock_seconds(); 0: none */
    work_span work;        /* may be none */
    size_t memory;         /* bytes; 0: no limit */
    _Atomic size_t used;   /* bytes that engines charged */
    _Atomic int stop;      /* a stop_reason; the first one stays */
    struct budget *parent; /* stops when this one does; may be NULL */
    /* Called by whatever looks at the clock, in its thread: may wait there, or stop the budget. NULL: none. */
    void (*hook)(struct budget *b);
    void *hook_context;
} budget;

double clock_seconds(void); /* monotonic */

work_span work_span_of(double seconds);
double work_span_left(const work_span *w); /* seconds; 0: it is over */

void budget_init(budget *b, double seconds, size_t memory); /* 0: unlimited */
void budget_init_child(budget *b, budget *parent);          /* the parent's limits, a stop flag of its own */
void budget_stop(budget *b, stop_reason why);
void budget_charge(budget *b, size_t bytes); /* stops the budget when it is overdrawn */
void budget_refund(budget *b, size_t bytes);
bool budget_check_clock(budget *b);            /* reads the clock: true when spent */
const char *stop_reason_text(stop_reason why); /* "time budget spent", ... */

static inline stop_reason budget_why(const budget *b) {
    int why = STOP_NONE;
    for (; b && why == STOP_NONE; b = b->parent) why = atomic_load_explicit(&b->stop, memory_order_relaxed);
    return (stop_reason)why;
}

static inline bool budget_spent(const budget *b) { return budget_why(b) != STOP_NONE; }

/* To be called once per step of a long loop: looks at the clock every 1024th time. */
static inline bool budget_tick(budget *b, unsigned *count) {
    if ((++*count & 1023) == 0) return budget_check_clock(b);
    return budget_spent(b);
}

#endif
