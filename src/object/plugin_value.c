#include "object/plugin_value.h"

#include "base/mem.h"
#include "base/pool.h"
#include "history/value_map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tuple_table {
    plumb_value **item; /* what tuples consist of, in the order in which they came */
    uint32_t count, room;
    value_map number; /* tuple -> its place there */
    pthread_mutex_t lock;
};

tuple_table *tuple_table_new(void) {
    tuple_table *t = MEM_NEW(tuple_table);
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void tuple_table_free(tuple_table *t) {
    for (uint32_t i = 0; i < t->count; i++) free(t->item[i]);
    free(t->item);
    free(t->number.slot);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static const plumb_value *find(const tuple_table *t, value v) {
    uint32_t i = value_map_find(&t->number, v);
    return i == VALUE_MAP_ABSENT ? NULL : t->item[i];
}

/* Each step leaves the table as it was if memory runs out in it. */
static const plumb_value *add(tuple_table *t, value v, const plumb_value *item, size_t n) {
    if (t->count == t->room) {
        uint32_t room = t->room ? t->room * 2 : 32;
        t->item = MEM_GROW(t->item, plumb_value *, room);
        t->room = room;
    }
    t->item[t->count] = mem_copy(item, n * sizeof *item);
    value_map_add(&t->number, v, t->count);
    return t->item[t->count++];
}

/* Another thread may have been faster. */
static const plumb_value *remember(tuple_table *t, value v, const plumb_value *item, size_t n) {
    pool_enter(t, &t->lock);
    const plumb_value *kept = find(t, v);
    if (!kept) kept = add(t, v, item, n);
    pool_leave(&t->lock);
    return kept;
}

static const plumb_value *recall(tuple_table *t, value v) {
    pthread_mutex_lock(&t->lock);
    const plumb_value *kept = find(t, v);
    pthread_mutex_unlock(&t->lock);
    return kept;
}

static plumb_value list_value(tuple_table *tuples, const values *t, value v, uint32_t kind) {
    size_t n;
    const value *item = value_list(t, v, &n);
    const plumb_value *kept = recall(tuples, v);
    if (!kept) {
        plumb_value *copy = MEM_ARRAY(plumb_value, n);
        for (size_t i = 0; i < n; i++) copy[i] = plugin_value(tuples, t, item[i]);
        kept = remember(tuples, v, copy, n);
        free(copy);
    }
    plumb_value list = plumb_tuple(kept, (uint32_t)n);
    list.kind = kind;
    return list;
}

plumb_value plugin_value(tuple_table *tuples, const values *t, value v) {
    size_t n;
    switch (value_kind_of(t, v)) {
    case KIND_NONE: return plumb_none();
    case KIND_EMPTY: return plumb_empty();
    case KIND_FULL: return plumb_full();
    case KIND_UNKNOWN: break;
    case KIND_BOOL: return plumb_bool(v == VALUE_TRUE);
    case KIND_INT: return plumb_int(value_as_int(t, v));
    case KIND_BYTES: {
        const char *p = value_as_bytes(t, v, &n);
        return plumb_bytes(p, (uint32_t)n);
    }
    case KIND_NUMBER: {
        const char *p = value_as_number(t, v, &n);
        plumb_value number = plumb_bytes(p, (uint32_t)n);
        number.kind = PLUMB_NUMBER;
        return number;
    }
    case KIND_TUPLE: return list_value(tuples, t, v, PLUMB_TUPLE);
    case KIND_SET: return list_value(tuples, t, v, PLUMB_SET);
    case KIND_MAP: return list_value(tuples, t, v, PLUMB_MAP);
    }
    return plumb_constant(PLUMB_UNKNOWN);
}

static value list_handle(values *t, const plumb_value *v, value_kind kind) {
    value *item = MEM_ARRAY(value, v->size);
    for (uint32_t i = 0; i < v->size; i++) item[i] = plugin_handle(t, &v->as.item[i]);
    value h = value_list_of(t, kind, item, v->size);
    free(item);
    return h;
}

value plugin_handle(values *t, const plumb_value *v) {
    value number;
    switch (v->kind) {
    case PLUMB_NONE: return VALUE_NONE;
    case PLUMB_EMPTY: return VALUE_EMPTY;
    case PLUMB_FULL: return VALUE_FULL;
    case PLUMB_BOOL: return value_bool(v->as.integer != 0);
    case PLUMB_INT: return value_int(t, v->as.integer);
    case PLUMB_BYTES: return value_bytes(t, v->as.bytes, v->size);
    case PLUMB_NUMBER: return value_number(t, v->as.bytes, v->size, &number) ? number : VALUE_UNKNOWN;
    case PLUMB_TUPLE: return list_handle(t, v, KIND_TUPLE);
    case PLUMB_SET: return list_handle(t, v, KIND_SET);
    case PLUMB_MAP: return list_handle(t, v, KIND_MAP);
    default: return VALUE_UNKNOWN;
    }
}

bool plugin_value_equal(const plumb_value *a, const plumb_value *b) {
    if (a->kind != b->kind || a->size != b->size) return false;
    switch (a->kind) {
    case PLUMB_BOOL: return !a->as.integer == !b->as.integer;
    case PLUMB_INT: return a->as.integer == b->as.integer;
    case PLUMB_NUMBER:
    case PLUMB_BYTES: return a->size == 0 || memcmp(a->as.bytes, b->as.bytes, a->size) == 0;
    case PLUMB_SET:
    case PLUMB_MAP:
    case PLUMB_TUPLE:
        for (uint32_t i = 0; i < a->size; i++)
            if (!plugin_value_equal(&a->as.item[i], &b->as.item[i])) return false;
        return true;
    default: return true;
    }
}
