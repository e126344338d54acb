/* Several processes that explore one program together, forked from the one that has learned what is shared
 * (explore/strategy/share.h). */
#ifndef PLUMB_EXPLORE_INSIDE_CREW_H
#define PLUMB_EXPLORE_INSIDE_CREW_H

#include "base/text.h"
#include "explore/campaign/campaign.h"

/* As campaign_run, with so many processes; what a report has to tell of the machine is added to `notes`, lines. */
bool crew_run(const campaign_options *o, unsigned jobs, campaign_result *r, text *notes);
void notes_write(text *out);                 /* of this process */
uint32_t notes_spins_cut(const text *notes); /* how many of them are about loops that count as endless */

#endif
