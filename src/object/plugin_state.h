/* The states of a plug-in with pointers in them: kept once each, so that a state word is their number. */
#ifndef PLUMB_OBJECT_PLUGIN_STATE_H
#define PLUMB_OBJECT_PLUGIN_STATE_H

#include "plumbline/object.h"

typedef struct state_table state_table; /* may be used by several threads */

state_table *state_table_new(const plumb_object *definition);
void state_table_free(state_table *t);
/* The number of a state; takes it over: its bytes must not be used or released any more. */
uint32_t state_table_keep(state_table *t, void *state);
const void *state_table_at(state_table *t, uint32_t number);

#endif
