/* Values between the house (handles) and plug-ins (plumb_value). */
#ifndef PLUMB_OBJECT_PLUGIN_VALUE_H
#define PLUMB_OBJECT_PLUGIN_VALUE_H

#include "history/value.h"
#include "plumbline/object.h"

/* Tuples that were handed out: equal ones have one address. May be used by several threads. */
typedef struct tuple_table tuple_table;
tuple_table *tuple_table_new(void);
void tuple_table_free(tuple_table *t);

plumb_value plugin_value(tuple_table *tuples, const values *t, value v);
value plugin_handle(values *t, const plumb_value *v); /* VALUE_UNKNOWN for a kind that does not exist */
bool plugin_value_equal(const plumb_value *a, const plumb_value *b);

#endif
