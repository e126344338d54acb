#include "generate/segments.h"

#include <assert.h>
#include <string.h>

/* State: adds so far into the newest segment, then (element, segment) from the oldest on. */
enum { FILLED, FIRST };
enum { ELEMENT, SEGMENT, WIDTH };

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
    state_push(s, 0);
}

static bool takes_newest(const object *o) { return !strcmp(o->type->name, "stack"); }
static uint32_t last_segment(const state *s) { return s->n > FIRST ? s->w[s->n - WIDTH + SEGMENT] : 0; }

/* A queue's segment is filled once; a stack's has places again when elements left. */
static void add(const object *o, state *s, value v) {
    uint32_t segment = last_segment(s), inside = 0;
    for (uint32_t i = s->n; i > FIRST && s->w[i - WIDTH + SEGMENT] == segment; i -= WIDTH) inside++;
    uint32_t filled = takes_newest(o) ? inside : s->w[FILLED];
    bool fresh = filled > o->criterion.limit[0];
    if (fresh) segment++;
    s->w[FILLED] = fresh ? 1 : s->w[FILLED] + 1;
    state_push(s, v);
    state_push(s, segment);
    assert((s->n - FIRST) % WIDTH == 0);
    assert(takes_newest(o) || s->w[FILLED] <= o->criterion.limit[0] + 1); /* a segment has k + 1 places */
}

static step_result take(const object *o, state *s, uint32_t choice, value *res) {
    bool newest = takes_newest(o);
    uint32_t segment = newest ? last_segment(s) : s->w[FIRST + SEGMENT];
    uint32_t at = newest ? s->n - WIDTH * (choice + 1) : FIRST + WIDTH * choice;
    if (WIDTH * (choice + 1) > s->n - FIRST || s->w[at + SEGMENT] != segment) return STEP_ILLEGAL;
    *res = s->w[at];
    state_remove(s, at);
    state_remove(s, at);
    return STEP_LEGAL_MORE;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    bool removes = object_method(o, op)->role & ROLE_REMOVES;
    if (removes && s->n > FIRST) return take(o, s, choice, res);
    *res = removes ? VALUE_EMPTY : VALUE_NONE;
    if (choice) return STEP_ILLEGAL;
    if (!removes) add(o, s, op->arg[0]);
    return STEP_LEGAL;
}

bool segments_relax(object *o, uint32_t k, error *e) {
    bool segmented = !strcmp(o->type->name, "queue") || !strcmp(o->type->name, "stack");
    if (!object_relax(o, &(criterion){.kind = CRITERION_QUASI, .limit = {k, k}}, e)) return false;
    if (!segmented) return true;
    o->relaxed->init = init;
    o->relaxed->step = step;
    return true;
}
