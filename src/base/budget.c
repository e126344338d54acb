#include "base/budget.h"

#include <assert.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

work_span work_span_of(double seconds) {
    assert(seconds >= 0);
    return (work_span){clock_seconds() + seconds, seconds_of(CLOCK_PROCESS_CPUTIME_ID) + seconds};
}

double work_span_left(const work_span *w) {
    double clock = w->clock - clock_seconds();
    if (clock > 0) return clock; /* processor time, which costs more to ask for, is asked for only at the end */
    double processor = w->processor - seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    return processor > 0 ? processor : 0;
}

void budget_init(budget *b, double seconds, size_t memory) {
    b->deadline = seconds > 0 ? clock_seconds() + seconds : 0;
    b->work = (work_span){0};
    b->memory = memory;
    atomic_init(&b->used, 0);
    atomic_init(&b->stop, STOP_NONE);
    b->parent = NULL;
    b->hook = NULL;
    b->hook_context = NULL;
}

void budget_init_child(budget *b, budget *parent) {
    assert(parent != b);
    b->deadline = parent->deadline;
    b->work = (work_span){0}; /* the parent's is looked at */
    b->memory = 0;            /* charges go to the parent */
    atomic_init(&b->used, 0);
    atomic_init(&b->stop, STOP_NONE);
    b->parent = parent;
    b->hook = NULL;
    b->hook_context = NULL;
}

void budget_stop(budget *b, stop_reason why) {
    assert(why > STOP_NONE && why <= STOP_NOT_NEEDED); /* it cannot be started again */
    int none = STOP_NONE;
    atomic_compare_exchange_strong(&b->stop, &none, (int)why);
}

void budget_charge(budget *b, size_t bytes) {
    for (; b; b = b->parent) {
        size_t used = atomic_fetch_add_explicit(&b->used, bytes, memory_order_relaxed) + bytes;
        if (b->memory && used > b->memory) budget_stop(b, STOP_MEMORY);
    }
}

void budget_refund(budget *b, size_t bytes) {
    for (; b; b = b->parent) {
        size_t used = atomic_fetch_sub_explicit(&b->used, bytes, memory_order_relaxed);
        assert(used >= bytes); /* nothing is given back that was not charged */
        (void)used;
    }
}

bool budget_check_clock(budget *b) {
    for (budget *x = b; x; x = x->parent) {
        if (x->hook) x->hook(x);
        if (x->work.clock > 0 && work_span_left(&x->work) <= 0) budget_stop(x, STOP_TIME);
    }
    if (b->deadline > 0 && clock_seconds() >= b->deadline) budget_stop(b, STOP_TIME);
    return budget_spent(b);
}

const char *stop_reason_text(stop_reason why) {
    switch (why) {
    case STOP_NONE: return "not stopped";
    case STOP_TIME: return "time budget spent";
    case STOP_MEMORY: return "memory budget spent";
    case STOP_INTERRUPTED: return "interrupted";
    case STOP_NOT_NEEDED: return "decided elsewhere";
    case STOP_EXHAUSTED: return "out of memory";
    }
    return "?";
}
