/* What holds of every history that is handed on: asserted where histories are made and bound. Builds without
 * PLUMB_SELF_CHECKS do not look. */
#ifndef PLUMB_HISTORY_HISTORY_CHECK_H
#define PLUMB_HISTORY_HISTORY_CHECK_H

#include "history/history.h"

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
void history_check(const history *h);
/* In addition, of a history that is complete (not a selection of another): its ranks are 0 .. events-1 without gaps. */
void history_check_dense(const history *h);
#else
static inline void history_check(const history *h) { (void)h; }
static inline void history_check_dense(const history *h) { (void)h; }
#endif

#endif
