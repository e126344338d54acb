/* Several processes that explore one program together, forked from the one that has learned what is shared
 * (explore/strategy/share.h). */
#ifndef PLUMB_EXPLORE_INSIDE_CREW_H
#define PLUMB_EXPLORE_INSIDE_CREW_H

#include "base/text.h"
#include "explore/campaign/campaign.h"

/* What a crew leaves when it ends early, and goes on from: what the machine had learned, and units of work
 * (share.h). */
typedef struct crew_work {
    const char *from; /* NULL: it begins */
    text left;        /* empty: nothing is, or it is not known */
    bool wrong;       /* what it was to go on from is no such text */
} crew_work;
/* Before the machine has run anything: it learns what it knew. Returns the units behind it. */
const char *crew_work_tell(const char *work);

/* As campaign_run, with so many processes; what a report has to tell of the machine is added to `notes`, lines. `work`
 * NULL: what is left is not wanted. */
bool crew_run(const campaign_options *o, unsigned jobs, crew_work *work, campaign_result *r, text *notes);
void notes_write(text *out);                 /* of this process */
uint32_t notes_spins_cut(const text *notes); /* how many of them are about loops that count as endless */

#endif
