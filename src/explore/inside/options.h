/* The options of this campaign. Read-only but for machine_open and machine_learn. */
#ifndef PLUMB_EXPLORE_INSIDE_OPTIONS_H
#define PLUMB_EXPLORE_INSIDE_OPTIONS_H

#include "explore/inside/attributes.h"
#include "explore/inside/machine.h"

extern machine_options machine_options_state HIDDEN; /* machine.c */

static inline const machine_options *options_now(void) { return &machine_options_state; }

void options_set(const machine_options *o);
void options_set_blocking(bool blocking); /* where loops can be trusted at all (handlers.c) */
void options_set_filter(bool filter);
void options_set_messages(bool messages);

#endif
