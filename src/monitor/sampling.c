/* Judging one of so many keys or values. */
#include "monitor/frame.h"

#include "base/words.h"

/* Those of different keys or elements do not matter to each other; all operations of a set of values may leave the
 * history of a container (docs/proofs/monitors.md). */
bool samples_by_value(const object *o) {
    static const char names[] = "queue stack multiset pqueue-max pqueue-min";
    return words_find(names, o->type->name, strlen(o->type->name)) >= 0 && !o->parameter[0];
}

bool monitor_can_sample(const object *o) { return o->type->keyed || o->type->parts_by_arg || samples_by_value(o); }

bool monitor_samples_value(const monitor *m, value v) {
    if (v == VALUE_EMPTY) return true;
    return hash_mix(v) % m->options.sample == 0;
}

bool monitor_samples_call(const monitor *m, const monitored *op) {
    if (m->options.sample <= 1) return true;
    if (m->o->type->keyed) return monitor_samples_value(m, op->key);
    if (m->o->type->parts_by_arg) return monitor_samples_value(m, op->arg[0]);
    return !op->nargs || monitor_samples_value(m, op->arg[0]); /* of a remove it is known when it returns */
}
