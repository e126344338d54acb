/* What monitors have in common that keep every way things can stand: the open operations by slot, the ways before and
 * after an event, and the first operations, for evidence. What a way is made of is up to each of them. */
#ifndef PLUMB_MONITOR_STANDING_H
#define PLUMB_MONITOR_STANDING_H

#include "base/slots.h"
#include "monitor/ways.h"

enum { STANDING_SLOTS = 64, STANDING_RECENT = 24 };

typedef struct standing {
    monitor_part *part;
    const object *o;
    open_operation *slot[STANDING_SLOTS];
    uint64_t open;
    ways now, work, next;
    state state;     /* scratch, for steps */
    uint32_t *draft; /* a way in the making */
    uint32_t draft_room;
    monitored recent[STANDING_RECENT]; /* the first operations that returned */
    uint64_t returned;                 /* STANDING_RECENT or more: what came first is forgotten */
} standing;

void standing_init(standing *s, monitor_part *p);
void standing_free(standing *s);
uint32_t *standing_draft(standing *s, uint32_t words); /* room for a way of so many words */

void standing_call(standing *s, open_operation *op); /* a slot for it: op->mine */
/* It returned, and the next ways are those that are left. */
void standing_return(standing *s, const open_operation *op);
/* Pending for ever, and it can make no difference any more: its slot is free. */
void standing_forget(standing *s, open_operation *op);
bool standing_too_many(standing *s); /* more ways than the options allow: undecided, then */
/* The pattern of a violation, if nothing of it is forgotten; `last`: what returned just now, or NULL. */
void standing_show(standing *s, const monitored *last);

/* Builds with PLUMB_SELF_CHECKS: slots have their operations, and in no way has anything ended that is not open. The
 * first two words of a way are the set of those. */
void standing_check(const standing *s);

void standing_store(standing *s, store *to);
size_t standing_memory(const standing *s);

static inline void standing_keep(ways *to, const ways *from, uint32_t i) { /* way i as it is */
    ways_add(to, from->word + from->start[i], from->start[i + 1] - from->start[i]);
}

#endif
