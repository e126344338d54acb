#include "format/quick_way.h"

#ifdef PLUMB_SELF_CHECKS
_Atomic uint64_t quick_way_missed;
#endif
