/* Whose schedules are replayed without a question.
 *
 * To replay a schedule is to compile the sources it names, with the flags it names, and to run them. One can come
 * from a stranger, so that is done only for one that `plumb explore` wrote itself, for this user, in this folder:
 * that one names what this user ran already. A copy of it is kept in $XDG_STATE_HOME/plumb/schedules (of
 * ~/.local/state), with the folder it was written in; a schedule that equals its copy, line by line, is the user's own.
 * All others are refused with a list of what would be run, unless the user says --trust. See docs/SECURITY.md. */
#ifndef PLUMB_EXPLORE_OUTSIDE_SCHEDULE_TRUST_H
#define PLUMB_EXPLORE_OUTSIDE_SCHEDULE_TRUST_H

#include "explore/outside/test_file.h"

bool schedule_remember(const saved_schedule *s); /* false: there is no place to keep it, it will be asked for */
bool schedule_is_own(const saved_schedule *s);
/* EXIT_BAD_INPUT: it is not the user's own; the message says what a replay would run. */
bool schedule_may_run(const saved_schedule *s, const char *path, error *e);

/* A flag that neither runs a program, nor loads one, nor names a file outside the current folder. `*takes_next`: the
 * next word is its argument. For tests. */
bool flag_is_harmless(const char *flag, bool *takes_next);

#endif
