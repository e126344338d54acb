/* The world that strategies see (explore/model/world.h). Files of the inside read it by world_now; each field is
 * written by one of them:
 *   steps.c, steps.h  pending, last, steps, trail, pass, passed
 *   scheduler.c       enabled, stays, choices, limits
 *   thread_life.c     live, creator, created_at, group, ending
 *   fiber.c           threads
 *   record.c          ops, op_count, events
 *   windows.c         windows, window
 *   messages.c        access
 *   buffers.c         what the threads of store buffers have of these, and the steps that they make
 *   outcome.c         outcome
 *   failures.c        failure, message
 *   machine.c         resets all of them before an execution, and copies them for snapshots */
#ifndef PLUMB_EXPLORE_INSIDE_WORLD_STATE_H
#define PLUMB_EXPLORE_INSIDE_WORLD_STATE_H

#include "explore/inside/attributes.h"
#include "explore/model/world.h"

extern world explored_world HIDDEN; /* machine.c */

static inline const world *world_now(void) { return &explored_world; }

#endif
