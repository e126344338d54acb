/* Which pending operations can matter. A pending operation may as well not have happened, so it is needed only if some other
 * operation would not have been possible without it. Long recordings hold thousands of timed-out writes whose values nobody
 * ever saw: they are found here, before a search tries them in every combination. */
#include "base/hash.h"
#include "object/object.h"

typedef struct value_set {
    value *slot; /* VALUE_UNKNOWN: free */
    uint32_t slots, count;
} value_set;

static bool set_find(const value_set *s, value v, uint32_t *at) {
    *at = (uint32_t)hash_mix(v) & (s->slots - 1);
    while (s->slot[*at] != VALUE_UNKNOWN && s->slot[*at] != v) *at = (*at + 1) & (s->slots - 1);
    return s->slot[*at] == v;
}

static void set_init(value_set *s, uint32_t slots) {
    *s = (value_set){.slots = slots, .slot = MEM_ARRAY(value, slots)};
    for (uint32_t i = 0; i < slots; i++) s->slot[i] = VALUE_UNKNOWN;
}

static void set_add(value_set *s, value v) {
    uint32_t at;
    if (set_find(s, v, &at)) return;
    s->slot[at] = v;
    if (++s->count * 2 < s->slots) return;
    value_set larger;
    set_init(&larger, s->slots * 2);
    for (uint32_t i = 0; i < s->slots; i++)
        if (s->slot[i] != VALUE_UNKNOWN) set_add(&larger, s->slot[i]);
    free(s->slot);
    *s = larger;
}

/* False when some operation may need anything. */
static bool collect_wanted(const object *o, const history *h, const uint32_t *op, uint32_t n, value_set *wanted) {
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        value v[2];
        history_operation(h, op[i], &view);
        if (object_negligible(o, &view)) continue;
        int count = o->type->looks_for(o, &view, v);
        if (count == LOOKS_FOR_ANY) return false;
        for (int k = 0; k < count; k++) set_add(wanted, v[k]);
    }
    return true;
}

static void judge_pending(const object *o, const history *h, const uint32_t *op, uint32_t n, const value_set *wanted, uint8_t *needed) {
    for (uint32_t i = 0; i < n; i++) {
        if (!needed[i] || !history_pending(h, op[i])) continue;
        operation view;
        uint32_t at;
        history_operation(h, op[i], &view);
        value v = o->type->brings(o, &view);
        if (v != VALUE_UNKNOWN) needed[i] = set_find(wanted, v, &at);
    }
}

void object_needed(const object *o, const history *h, const uint32_t *op, uint32_t n, uint8_t *needed) {
    bool pending = false;
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        needed[i] = 1;
        if (!history_pending(h, op[i])) continue;
        history_operation(h, op[i], &view);
        needed[i] = !object_negligible(o, &view);
        pending |= needed[i];
    }
    if (!pending || !o->type->brings || !o->type->looks_for) return;
    value_set wanted;
    set_init(&wanted, 64);
    if (collect_wanted(o, h, op, n, &wanted)) judge_pending(o, h, op, n, &wanted, needed);
    free(wanted.slot);
}

/* A value that nobody takes out is in nobody's service. Only a full container needs whatever fills it. */
value container_brings(const object *o, const operation *op) {
    return object_method(o, op)->role & ROLE_ADDS ? op->arg[0] : VALUE_UNKNOWN;
}

int container_looks_for(const object *o, const operation *op, value v[2]) {
    if (op->res == VALUE_FULL) return LOOKS_FOR_ANY;
    if (!(object_method(o, op)->role & ROLE_REMOVES) || op->res == VALUE_UNKNOWN || op->res == VALUE_EMPTY) return 0;
    v[0] = op->res;
    return 1;
}
