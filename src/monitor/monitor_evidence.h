/* The pattern of a monitor's violation as a small history of its own, for the oracle and the explanations. */
#ifndef PLUMB_MONITOR_EVIDENCE_H
#define PLUMB_MONITOR_EVIDENCE_H

#include "monitor/monitor.h"

/* Bound to the monitor's object, whose values it shares; NULL when there is no pattern. Operation numbers are the
 * monitor's. */
history *monitor_evidence(const monitor *m);

#endif
