#include "format/value_split.h"

#include <string.h>

enum { NO_FIT = -1 };

static bool between(int n, int low, int high) { return n >= low && n <= high; }

/* The number of arguments of one method, or NO_FIT when it cannot have so many values. */
static int split_method(const method *m, int key, int count, bool pending) {
    int low = m->min_args + key, high = m->max_args + key;
    bool bare = between(count, low, high), with_result = between(count - 1, low, high);
    switch (m->result) {
    case RESULT_VALUE:
    case RESULT_REMOVED:
    case RESULT_BOOL:
    case RESULT_INT:
        if (!pending) return with_result ? count - 1 : NO_FIT;
        break;
    default: break;
    }
    return bare ? count : with_result ? count - 1 : NO_FIT;
}

static int split_by_type(const object_type *t, const char *name, int count, bool key_apart, bool pending) {
    int m = object_type_method(t, name);
    if (m < 0) return NO_FIT;
    return split_method(&t->methods[m], t->keyed && !key_apart, count, pending);
}

static int split_by_all(const char *name, int count, bool key_apart, bool pending) {
    int best = NO_FIT;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        int n = split_by_type(t, name, count, key_apart, pending);
        if (n != NO_FIT && (best == NO_FIT || n < best)) best = n;
    }
    return best;
}

int value_split_compute(value_split *s, int count, bool key_apart, bool pending) {
    int n = s->type ? split_by_type(s->type, s->name, count, key_apart, pending) : split_by_all(s->name, count, key_apart, pending);
    if (n == NO_FIT) n = count;
    if (count < SPLIT_KNOWN) s->args[pending][key_apart][count] = (signed char)n;
    return n;
}

void value_split_init(value_split *s, const object_type *type, const char *name) {
    s->type = type;
    s->name = name;
    memset(s->args, -1, sizeof s->args);
}
