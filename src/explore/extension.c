#include "explore/extension.h"

#include "base/mem.h"
#include "explore/schedule.h"

#include <stdlib.h>

typedef struct extension {
    const trace_clocks *c;
    const schedule *was;
    uint32_t *entry;  /* of each step in the schedule; the choices behind it belong to it */
    uint32_t entries;
    bool *done;
    schedule *out;
} extension;

static void emit_entry(extension *x, uint32_t at) {
    schedule_add(x->out, x->was->choice[at], x->was->of[at]);
    for (at++; at < x->was->length && x->was->of[at]; at++) schedule_add(x->out, x->was->choice[at], x->was->of[at]);
}

static void emit(extension *x, uint32_t step_number) {
    const uint16_t *clock = x->c->clock[step_number];
    for (uint32_t i = 0; i <= step_number; i++) {
        unsigned t = x->c->thread[i];
        if (x->done[i] || x->c->clock[i][t] > clock[t]) continue;
        x->done[i] = true;
        emit_entry(x, x->entry[i]);
    }
}

void extension_schedule(const world *w, const trace_clocks *c, const uint32_t *order, uint32_t length, const schedule *was, schedule *out) {
    extension x = {.c = c, .was = was, .out = out};
    x.entry = MEM_ARRAY(uint32_t, was->length + 1);
    x.done = mem_zero(was->length + 1, sizeof *x.done);
    uint32_t first = 0;
    while (first < was->length && was->of[first]) schedule_add(out, was->choice[first], was->of[first]), first++;
    for (uint32_t i = first; i < was->length; i++)
        if (!was->of[i]) x.entry[x.entries++] = i;
    for (uint32_t i = 0; i < length; i++) {
        const explored_operation *o = &w->ops[order[i] / 2];
        uint32_t at = order[i] & 1 ? o->last : o->first;
        if (at != NO_STEP && !x.done[at]) emit(&x, at);
    }
    for (uint32_t i = 0; i < x.entries; i++)
        if (!x.done[i]) emit_entry(&x, x.entry[i]);
    free(x.entry);
    free(x.done);
}
