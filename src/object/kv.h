/* What the key-value stores have in common: the words of one key. */
#ifndef PLUMB_OBJECT_KV_H
#define PLUMB_OBJECT_KV_H

#include "object/object.h"

enum {
    KV_GET,
    KV_PUT,
    KV_DELETE,
    KV_APPEND,
    KV_CAS,
    KV_PUTIFABSENT,
    KV_CONTAINS,
    KV_GETANDSET,
    KV_SIZE, /* from here on: of all keys */
    KV_KEYS,
    KV_CLEAR,
    KV_METHODS
};

value kv_concatenation(values *t, value a, value b);
/* Of a key that holds this; VALUE_NONE: is absent. */
step_result kv_get(const object *o, value held, const operation *op, value *res);

#endif
