/* Readers of long text have a quick way for lines that are plain, and another one for all. Both read the same, and
 * self-checks compare them: that the quick way is not gone would be seen by its slowness alone. So self-checks also
 * count what went the other way, and tests say what must be plain. */
#ifndef PLUMB_FORMAT_QUICK_WAY_H
#define PLUMB_FORMAT_QUICK_WAY_H

#include <stdint.h>

#ifdef PLUMB_SELF_CHECKS
extern _Atomic uint64_t quick_way_missed; /* lines and maps, since the process began */
#define QUICK_WAY_MISSED() ((void)quick_way_missed++)
#else
#define QUICK_WAY_MISSED() ((void)0)
#endif

#endif
