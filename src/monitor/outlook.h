/* The ways things can stand, with foresight: events are taken when the outcome of what is open at them is known, so
 * that an operation takes effect with the result it will return, one that changes nothing takes effect as soon as it
 * fits, and of two that do the same the one that returns first goes first. Operations that are pending for ever and do
 * the same are counted, not told apart; of two ways that differ only in how many of them were used, the one that used
 * more is dropped. frontier_monitor.c keeps the events. */
#ifndef PLUMB_MONITOR_OUTLOOK_H
#define PLUMB_MONITOR_OUTLOOK_H

#include "base/slots.h"
#include "monitor/pending_kinds.h"
#include "monitor/prospects.h"

enum { OUTLOOK_SLOTS = 64 };
#define NUMBER_NEVER UINT64_MAX

typedef enum ends_how { ENDS_NOT_YET, ENDS_RETURNED, ENDS_PENDING, ENDS_DROPPED } ends_how;

typedef struct foreseen_operation {
    monitored op;
    open_operation *open; /* NULL: it has an outcome */
    uint64_t call, end;   /* numbers of events; NUMBER_NEVER */
    ends_how how;
    uint8_t slot; /* once it was called; OUTLOOK_SLOTS: it has none */
} foreseen_operation;

typedef struct outlook {
    uint64_t open, observers; /* slots; those of operations that change nothing */
    operation view[OUTLOOK_SLOTS];
    uint64_t deadline[OUTLOOK_SLOTS]; /* the number of its return; NUMBER_NEVER: not known, or never */
    uint64_t ahead[OUTLOOK_SLOTS];    /* open operations that do the same and go first */
    prospects now;
    bool incomplete; /* ways were left out: with none left, there may still be one */
} outlook;

typedef enum outlook_end { OUTLOOK_GOES_ON, OUTLOOK_NO_WAY, OUTLOOK_TOO_MANY } outlook_end;

typedef struct outlooks { /* what all outlooks of a monitor share */
    const object *o;
    pending_kinds kinds;
    uint32_t most;     /* ways */
    uint32_t *counted; /* kinds, in the order in which their operations were counted: what a trial counted is undone */
    uint32_t counted_n, counted_room;
    uint32_t compact_at; /* kinds */
    bool left_out;       /* ways, since the last return */
    uint64_t used_least; /* pending operations that every way had used before this event, at least */
    bool (*wanted_later)(const void *asked, value v);            /* by what is known to come? */
    bool (*text_wanted)(const void *asked, const operation *op); /* is its text in one that is looked for? */
    const void *asked;
    uint64_t round;  /* what is known changes from one to the next */
    uint32_t *texts; /* kinds whose text is in one that is looked for, in round texts_of, among so many */
    uint32_t texts_n, texts_room, texts_among;
    uint64_t texts_of;
    bool thorough; /* pending operations are used also where others explain what is returned */
    prospects work;
    state state, kept; /* scratch, for steps */
    bool some_are_apart;
    prospect_draft draft;
} outlooks;

void outlooks_init(outlooks *all, const object *o, uint32_t most);
void outlooks_free(outlooks *all);
/* What was counted after the first n is taken back; what is left stays for good. */
void outlooks_uncount(outlooks *all, uint32_t n);
void outlooks_keep_count(outlooks *all);
/* A pending operation the call of which no outlook takes. */
void outlooks_count(outlooks *all, const monitored *op);

void outlook_init(outlook *f);
void outlook_free(outlook *f);
void outlook_copy(outlook *to, const outlook *from);
void outlook_start(outlooks *all, outlook *f, const state *s); /* one way: nothing open, this state */
/* Is one of the ways certain to be one? Where pending operations can be used in too many ways, some are only kept as
 * one that uses what all of those do: with none at all left there is none, but one of these may be none. */
bool outlook_is_sure(const outlook *f);
void outlook_assume(outlooks *all, outlook *f);      /* that all are */
bool outlook_is_at_rest(const outlook *f, state *s); /* nothing open, one way, and none left out */

/* `known`: its result and the number of its return are; otherwise it may return anything, or never. */
outlook_end outlook_call(outlooks *all, outlook *f, foreseen_operation *op, bool known);
outlook_end outlook_return(outlooks *all, outlook *f, const foreseen_operation *op);
/* It may have taken effect before this outlook began, whatever it returned: a way more for each. */
outlook_end outlook_maybe_before(outlooks *all, outlook *f, const foreseen_operation *op);
/* Pending operations that were used in every way are forgotten; where ways were left out, until the state is lost. */
void outlook_forget_used(outlooks *all, outlook *f);

size_t outlook_memory(const outlook *f);
size_t outlooks_memory(const outlooks *all);
void outlook_store(outlook *f, store *s);

#endif
