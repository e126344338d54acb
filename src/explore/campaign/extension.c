#include "explore/campaign/extension.h"

#include "base/mem.h"
#include "explore/model/event_order.h"
#include "explore/model/schedule.h"

#include <assert.h>
#include <stdlib.h>

typedef struct extension {
    const trace_clocks *c;
    const schedule *was;
    uint32_t *entry; /* of each step in the schedule; the choices behind it belong to it */
    uint32_t entries;
    bool *done;
    /* behind it no thread was picked any more: what is chosen there is chosen when the threads have ended */
    uint32_t last;
    unsigned current; /* the thread of the last step */
    schedule *out;
} extension;

static void emit_entry(extension *x, uint32_t at) {
    schedule_add(x->out, x->was->choice[at], x->was->of[at]);
    for (at++; at < x->last && x->was->of[at]; at++) schedule_add(x->out, x->was->choice[at], x->was->of[at]);
}

/* The first step of a thread that is not done yet; NO_STEP: there is none. */
static uint32_t next_of(const extension *x, unsigned thread) {
    for (uint32_t i = 0; i < x->entries; i++)
        if (x->c->thread[i] == thread && !x->done[i]) return i;
    return NO_STEP;
}

/* Is all done that happens before this step? */
static bool is_ready(const extension *x, uint32_t step_number) {
    for (uint32_t i = 0; i < x->entries; i++) {
        unsigned t = x->c->thread[i];
        if (i != step_number && !x->done[i] && x->c->clock[i][t] <= x->c->clock[step_number][t]) return false;
    }
    return true;
}

static bool is_wanted(const extension *x, uint32_t i, uint32_t target) {
    unsigned t = x->c->thread[i];
    return !x->done[i] && (target == NO_STEP || x->c->clock[i][t] <= x->c->clock[target][t]);
}

static void emit_step(extension *x, uint32_t i) {
    assert(!x->done[i] && is_ready(x, i)); /* a linear extension of the trace */
    x->done[i] = true;
    x->current = x->c->thread[i];
    emit_entry(x, x->entry[i]);
}

/* All that happens before or at `target` (NO_STEP: everything), as it was. */
static void emit_in_order(extension *x, uint32_t target) {
    for (uint32_t i = 0; i < x->entries; i++)
        if (is_wanted(x, i, target)) emit_step(x, i);
}

/* The same in an order that stays with a thread as long as it can. */
static void emit_tidily(extension *x, uint32_t target) {
    for (;;) {
        uint32_t chosen = NO_STEP;
        for (unsigned k = 0; k < THREADS_MAX && chosen == NO_STEP; k++) {
            unsigned t = (x->current + k) % THREADS_MAX;
            uint32_t i = next_of(x, t);
            if (i != NO_STEP && is_wanted(x, i, target) && is_ready(x, i)) chosen = i;
        }
        if (chosen == NO_STEP) return;
        emit_step(x, chosen);
    }
}

void extension_schedule(const world *w, const trace_clocks *c, const uint32_t *order, uint32_t length,
                        const schedule *was, bool tidy, schedule *out) {
    void (*emit)(extension *, uint32_t) = tidy ? emit_tidily : emit_in_order;
    extension x = {.c = c, .was = was, .out = out, .last = was->length};
    assert(!out->length && event_order_is_sound(w->ops, w->op_count, order, length));
    while (x.last && was->of[x.last - 1]) x.last--;
    x.entry = MEM_ARRAY(uint32_t, was->length + 1);
    x.done = mem_zero(was->length + 1, sizeof *x.done);
    uint32_t first = 0;
    for (; first < was->length && was->of[first]; first++) schedule_add(out, was->choice[first], was->of[first]);
    for (uint32_t i = first; i < was->length; i++)
        if (!was->of[i]) x.entry[x.entries++] = i;
    for (uint32_t i = 0; i < length; i++) {
        const explored_operation *o = &w->ops[order[i] / 2];
        uint32_t at = order[i] & 1 ? o->last : o->first;
        assert(at == NO_STEP || at < x.entries);
        if (at != NO_STEP && !x.done[at]) emit(&x, at);
    }
    emit(&x, NO_STEP);
    for (uint32_t i = x.last; i < was->length && x.entries; i++) schedule_add(out, was->choice[i], was->of[i]);
    assert(out->length == was->length); /* the same choices in another order */
    for (uint32_t i = 0; i < x.entries; i++) assert(x.done[i]);
    free(x.entry);
    free(x.done);
}
