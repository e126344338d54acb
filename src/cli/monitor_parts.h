/* Several parts of a stream, judged by a process each: those that other monitors do not have (scale/live_part.h). */
#ifndef PLUMB_CLI_MONITOR_PARTS_H
#define PLUMB_CLI_MONITOR_PARTS_H

#include "cli/cluster_options.h"
#include "scale/live_part.h"

/* Judges one; returns its exit code. */
typedef int judge_live_part(void *context, live_part *p, int events);

/* Until they are over, or it is told to stop; the worst exit code. */
int watch_parts(const live_settings *s, judge_live_part *judge, void *context);

#endif
