/* Cores: what of a violation is left when everything that can be left out has been left out.
 *
 * A core's own violation implies the history's, because it was reached by moves that keep every right history right:
 * the history is cut after an event, operations are left out as the object allows it (object/leave_out.h), or, where
 * everything that was called has returned and the object's state is known whatever the order was, all that was before
 * (it is settled), and the object begins in that state. The moves are
 * kept with the core, so that `core_check_moves` and the readers of certificates can retrace them. */
#ifndef PLUMB_EVIDENCE_CORE_H
#define PLUMB_EVIDENCE_CORE_H

#include "base/error.h"
#include "engine/portfolio.h"

typedef struct core_move {
    uint32_t cut;   /* first the history is cut after this rank; RANK_NEVER: not cut */
    uint32_t *keep; /* then all operations but these are left out: ascending */
    uint32_t n;
    bool settled; /* all that leaves had returned before anything else was called, and left the object with ... */
    value init;   /* ... this as its initial value */
} core_move;

typedef struct core {
    uint32_t *op; /* operations of the history, ascending */
    uint32_t n;
    uint32_t cut; /* the history is cut after this rank: what returns later is pending; RANK_NEVER: not cut */
    bool minimal; /* nothing more can be left out; false: a budget or a limit on the effort ended the reduction */
    const char *checked_by; /* "oracle" or the second engine's name; NULL: could not be decided a second time */
    /* whole stretches of time were left out, so that groups of values no longer are (see core_extract.c) */
    bool epochs;
    bool settled; /* the object does not begin as it is but with this initial value: see core_object */
    value init;
    core_move *move; /* how it was reached: the first one starts from the core's part of the history */
    uint32_t moves;
} core;

void core_free(core *c);

/* The object that the core's operations are operations of: o, perhaps with another initial value. Not to be closed. */
object core_object(const object *o, const core *c);

/* The whole part is the core: nothing is left out. */
void core_whole(const decision *d, core *out);

/* Reduces the violation d, in a multiple of the time that the decision took (`seconds`). The core is the same in every
 * run and whichever engine decided, unless that time runs out. */
void core_extract(const history *h, const object *o, const decision *d, double seconds, budget *b, core *out);

/* Decides the core a second time: by the oracle when it is small, else by an engine other than `decided_by`. Sets
 * checked_by. False with an internal error when it turns out not to be a violation. */
bool core_recheck(const history *h, const object *o, const engine *decided_by, budget *b, core *c, error *e);

/* Is the core reached from the history by allowed moves? In time linear in the sizes of history and moves; shares
 * nothing with the extraction. */
bool core_check_moves(const history *h, const object *o, const core *c, text *wrong);

#endif
