/* plumb_outcome: what an execution came to (outcome.c). */
#ifndef PLUMB_EXPLORE_INSIDE_OUTCOME_H
#define PLUMB_EXPLORE_INSIDE_OUTCOME_H

#include <stdbool.h>

void outcome_reset(void);
bool outcomes_are_told(void); /* some execution of this process told one */

#endif
