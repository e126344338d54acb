#include "object/line.h"

void line_init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

bool line_changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_EMPTY || op->res == VALUE_FULL;
}

void line_why_not_add(const object *o, const state *s, text *out) {
    text_printf(out, "the %s holds %u values", object_noun(o), s->n);
    if (o->parameter[LINE_CAPACITY]) text_printf(out, " of at most %lld", (long long)o->parameter[LINE_CAPACITY]);
    else text_add(out, ", and none is too many: it has no capacity");
}

void line_why_not_remove(const object *o, const state *s, const char *at, uint32_t word, text *out) {
    if (s->n == 0) {
        text_printf(out, "the %s is empty", object_noun(o));
        return;
    }
    text_printf(out, "the %s of the %s is ", at, object_noun(o));
    value_print(o->values, s->w[word], out);
}
