/* Monitors that cannot find the state by themselves, after a violation that the options want to go beyond: a new one
 * begins with everything unknown, and is fed a part of the history that is linearizable if the whole is.
 *
 * containers   all operations of a set of values may be left out. Values whose add began after the restart are known
 *              until they are removed, and taken to be others than those of before; removes of others are left out,
 *              until a remove that began after everything older had ended finds nothing. Where a value is added again
 *              while it is known no value tells anything: all is left out until a remove finds nothing and no
 *              operation overlaps it.
 * registers    (and one key) reads may be left out, until a write has returned that began after everything older had
 *              ended. */
#ifndef PLUMB_MONITOR_GREY_H
#define PLUMB_MONITOR_GREY_H

#include "history/value_map.h"
#include "monitor/part.h"

typedef struct grey {
    bool cell;
    value_map known; /* values that were added since */
    uint64_t old;    /* operations that were open at the restart, and still are */
    uint64_t from;   /* calls of operations with a number from here on are of this time */
    uint64_t clear;  /* and with a number from here on came after everything older had ended; UINT64_MAX: not yet */
    bool settled;    /* nothing unknown can come any more */
    bool repeats;    /* values do: all is left out */
    bool lingers;    /* and one of what was left out is pending for ever */
    uint64_t alone;  /* its number: one operation is open, and none was beside it; UINT64_MAX: there is none */
} grey;

void grey_begin(grey *g, monitor_part *p, uint64_t next_number);
void grey_free(grey *g);
bool grey_takes_call(grey *g, const object *o, const monitored *op);
bool grey_takes_end(grey *g, const object *o, const monitored *op); /* of one that it took the call of */
void grey_old_ended(grey *g, uint64_t next_number);

/* A value may be inside twice: the part begins again. */
bool grey_sees_repeat(const grey *g, const object *o, const monitored *op);

/* Where values repeat, of what is left out: whether others are open; whether it is pending for ever. */
void grey_hears_call(grey *g, const monitored *op, bool others);
void grey_hears_end(grey *g, const object *o, const monitored *op, bool pends);

#endif
