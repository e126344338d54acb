#include "monitor/grey.h"

static bool adds(const object *o, const monitored *op) { return o->type->methods[op->method].role & ROLE_ADDS; }
static bool observes(const object *o, const monitored *op) { return o->type->methods[op->method].role & ROLE_OBSERVES; }

void grey_begin(grey *g, monitor_part *p, uint64_t next_number) {
    const object_type *t = part_object(p)->type;
    grey_free(g);
    *g = (grey){.old = p->open,
                .from = next_number,
                .clear = p->open ? UINT64_MAX : next_number,
                .repeats = g->repeats,
                .lingers = g->lingers,
                .alone = UINT64_MAX};
    g->cell = t->keyed || !strcmp(t->name, "register") || !strcmp(t->name, "swmr-register");
}

void grey_free(grey *g) { free(g->known.slot); }

void grey_old_ended(grey *g, uint64_t next_number) {
    assert(g->old);
    if (!--g->old) g->clear = next_number;
}

/* An add of the time before may have put in what is known now again: its value is left out. */
bool grey_takes_call(grey *g, const object *o, const monitored *op) {
    if (g->settled) return true;
    if (g->cell) return !observes(o, op);
    if (g->repeats) return false;
    if (adds(o, op) && value_map_find(&g->known, op->arg[0]) == VALUE_MAP_ABSENT)
        value_map_add(&g->known, op->arg[0], 0);
    return true;
}

static bool told_by_end(const grey *g, const object *o, const monitored *op) {
    if (op->number < g->clear || op->ret == MOMENT_NEVER) return false;
    return g->cell ? !observes(o, op) : !adds(o, op) && op->res == VALUE_EMPTY;
}

bool grey_sees_repeat(const grey *g, const object *o, const monitored *op) {
    return !g->settled && !g->cell && !g->repeats && adds(o, op) &&
           value_map_find(&g->known, op->arg[0]) != VALUE_MAP_ABSENT;
}

void grey_hears_call(grey *g, const monitored *op, bool others) {
    g->alone = others || g->lingers ? UINT64_MAX : op->number;
}

void grey_hears_end(grey *g, const object *o, const monitored *op, bool pends) {
    if (!g->repeats) return;
    g->lingers |= pends;
    if (!pends && op->number == g->alone && !adds(o, op) && op->res == VALUE_EMPTY) g->settled = true;
    g->alone = UINT64_MAX;
}

bool grey_takes_end(grey *g, const object *o, const monitored *op) {
    if (g->settled) return true;
    if (told_by_end(g, o, op)) g->settled = true;
    if (g->cell || adds(o, op) || op->ret == MOMENT_NEVER || op->res == VALUE_EMPTY) return true;
    const bool known = value_map_find(&g->known, op->res) != VALUE_MAP_ABSENT;
    if (known) value_map_remove(&g->known, op->res);
    return known;
}
