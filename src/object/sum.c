#include "object/sum.h"

void sum_init(const object *o, state *s) {
    state_reserve(s, 2);
    s->n = 2;
    state_put_int(s, 0, value_kind_of(o->values, o->init) == KIND_INT ? value_as_int(o->values, o->init) : 0);
}

bool sum_check_init(const object *o, text *wrong) {
    if (o->init == VALUE_NONE || value_kind_of(o->values, o->init) == KIND_INT) return true;
    text given = {0};
    value_print(o->values, o->init, &given);
    text_printf(wrong, "the initial value of a %s is '%.40s'; expected an integer", o->type->name, text_str(&given));
    text_free(&given);
    return false;
}

void sum_describe(const object *o, const state *s, text *out) {
    (void)o;
    text_int(out, state_int(s, 0));
}

void sum_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, sum_change *change,
                   leave_out *out) {
    excursions *x = excursions_new();
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (!object_negligible(o, &view))
            out->group[i] = excursion(x, view.key, &view, (int64_t)change(o, &view), true);
    }
    excursions_finish(x, out);
}

/* A sum does not depend on the order. */
bool sum_settle(const object *o, const history *h, const uint32_t *op, uint32_t n, sum_change *change, value *init) {
    state s = {0};
    o->type->init(o, &s);
    uint64_t sum = (uint64_t)state_int(&s, 0);
    state_free(&s);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        sum += change(o, &view);
    }
    *init = value_int(o->values, (int64_t)sum);
    return true;
}
