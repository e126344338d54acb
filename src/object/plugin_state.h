/* The states of a plug-in with pointers in them: kept once each, so that a state word is their number. */
#ifndef PLUMB_OBJECT_PLUGIN_STATE_H
#define PLUMB_OBJECT_PLUGIN_STATE_H

#include "plumbline/object.h"

typedef struct plugin_states plugin_states; /* may be used by several threads */

plugin_states *plugin_states_new(const plumb_object *definition);
void plugin_states_free(plugin_states *t);
/* The number of a state; takes it over: its bytes must not be used or released any more. */
uint32_t plugin_states_keep(plugin_states *t, void *state);
const void *plugin_states_at(plugin_states *t, uint32_t number);

#endif
