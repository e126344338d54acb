#include "format/value_split.h"

#include <assert.h>
#include <string.h>

/* Readings of one row, the better the higher. */
typedef enum fit { FIT_NOT, FIT_FULL, FIT_BARE, FIT_RESULT } fit;

typedef struct split_reading {
    fit fit;
    int args;
} split_reading;

static bool between(int n, int low, int high) { return n >= low && n <= high; }

/* As a result of the method. A 0 or 1 for a boolean is no better than an argument. */
static fit result_fit(result_kind kind, result_class last) {
    switch (kind) {
    case RESULT_VOID: return last == CLASS_FULL || last == CLASS_BOOL ? FIT_FULL : FIT_NOT;
    case RESULT_VALUE:
    case RESULT_ANY:
    case RESULT_REMOVED: return FIT_RESULT;
    case RESULT_MAYBE_BOOL:
        if (last == CLASS_NONE) return FIT_RESULT; /* fall through */
    case RESULT_BOOL: return last == CLASS_BOOL ? FIT_RESULT : last == CLASS_BIT ? FIT_BARE : FIT_NOT;
    case RESULT_MAYBE_INT:
        if (last == CLASS_NONE) return FIT_RESULT; /* fall through */
    case RESULT_INT: return last == CLASS_INT || last == CLASS_BIT ? FIT_RESULT : FIT_NOT;
    }
    return FIT_NOT;
}

static bool must_have_result(result_kind kind) {
    return kind == RESULT_VALUE || kind == RESULT_REMOVED || kind == RESULT_BOOL || kind == RESULT_INT;
}

static split_reading read_method(const method *m, int key, int count, result_class last, bool pending) {
    int low = m->min_args + key, high = m->max_args + key;
    bool bare = between(count, low, high) && (pending || !must_have_result(m->result));
    if (bare) return (split_reading){FIT_BARE, count};
    if (!between(count - 1, low, high)) return (split_reading){FIT_NOT, count};
    return (split_reading){pending ? FIT_RESULT : result_fit(m->result, last), count - 1};
}

static split_reading read_by_type(const object_type *t, const value_split *s, int count, result_class last,
                                  bool key_apart, bool pending) {
    int m = object_type_method(t, s->name);
    for (; m < 0 && t->wider; m = object_type_method(t, s->name)) t = t->wider;
    if (m < 0) return (split_reading){FIT_NOT, count};
    int key = t->key_inside && key_apart && t->methods[m].max_args ? -1 : t->keyed && !key_apart;
    return read_method(&t->methods[m], key, count, last, pending);
}

static split_reading read_by_all(const value_split *s, int count, result_class last, bool key_apart, bool pending) {
    split_reading best = {FIT_NOT, count};
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        split_reading r = read_by_type(t, s, count, last, key_apart, pending);
        if (r.fit > best.fit || (r.fit == best.fit && r.args > best.args)) best = r;
    }
    return best;
}

int value_split_compute(value_split *s, int count, result_class last, bool key_apart, bool pending) {
    split_reading r = s->type ? read_by_type(s->type, s, count, last, key_apart, pending)
                              : read_by_all(s, count, last, key_apart, pending);
    int n = r.fit == FIT_NOT ? count : r.args;
    assert(n == count || n == count - 1); /* at most the last value is the result */
    if (count < SPLIT_KNOWN) s->args[pending][key_apart][last][count] = (signed char)n;
    return n;
}

void value_split_init(value_split *s, const object_type *type, const char *name) {
    s->type = type;
    s->name = name;
    memset(s->args, -1, sizeof s->args);
}
