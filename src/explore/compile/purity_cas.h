/* do { ... } while (!compare_exchange(&a, &t, n)): a failed compare-and-swap leaves in t what the first load of `a`
 * would have left there, had it been executed now. */
#ifndef PLUMB_EXPLORE_COMPILE_PURITY_CAS_H
#define PLUMB_EXPLORE_COMPILE_PURITY_CAS_H

#include "explore/compile/liveness.h"

/* For a compare-and-swap in the loop that was collected last, with liveness solved: the call of the atomic load before
 * the loop for which this is proved; f->code.size when there is none. */
size_t cas_replaces_load(const function *f, size_t swap, register_set written);

#endif
