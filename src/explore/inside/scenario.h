/* What the threads of a scenario do. Parsing is declared in machine.h. */
#ifndef PLUMB_EXPLORE_INSIDE_SCENARIO_H
#define PLUMB_EXPLORE_INSIDE_SCENARIO_H

#include "explore/inside/machine.h"

unsigned scenario_threads(const scenario *s);
unsigned scenario_group(const scenario *s, unsigned thread);
void scenario_run_before(const scenario *s);
void scenario_run_thread(const scenario *s, unsigned thread);
void scenario_run_after(const scenario *s);
bool scenario_has_after(const scenario *s);

#endif
