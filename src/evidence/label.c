#include "evidence/label.h"

#include "base/utf8.h"

enum { MODERATE_COLUMNS = 48 };

void label_shorten(text *t, size_t columns, text *out) {
    if (utf8_columns(t->at, t->size) <= columns) {
        text_bytes(out, t->at, t->size);
    } else {
        size_t end = 0, shown = 0;
        while (shown + 2 < columns) {
            size_t n = utf8_sequence(t->at + end, t->size - end);
            end += n ? n : 1;
            shown++;
        }
        text_bytes(out, t->at, end);
        text_add(out, "..");
    }
    text_free(t);
}

void label_operation(const object *o, const history *h, uint32_t i, size_t columns, text *out) {
    operation op;
    text t = {0};
    history_operation(h, i, &op);
    operation_print(o, &op, &t);
    label_shorten(&t, columns, out);
}

void label_numbered(const object *o, const history *h, uint32_t i, text *out) {
    text_printf(out, "#%u ", history_number(h, i));
    label_operation(o, h, i, MODERATE_COLUMNS, out);
}

void label_value(const object *o, value v, text *out) {
    text t = {0};
    value_print(o->values, v, &t);
    label_shorten(&t, MODERATE_COLUMNS, out);
}
