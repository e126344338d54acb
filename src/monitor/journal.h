/* The events of one part since it was last as in the beginning, so that another monitor can take over from there. Parts
 * whose journal grows long give it up: then there is no taking over any more. */
#ifndef PLUMB_MONITOR_JOURNAL_H
#define PLUMB_MONITOR_JOURNAL_H

#include "monitor/part.h"

/* events: one journal's, shared by all parts, but at least so many each */
enum { JOURNAL_MOST = 1 << 14, JOURNAL_LEAST = 64 };

typedef enum journal_kind { JOURNAL_CALL, JOURNAL_RETURN, JOURNAL_PEND, JOURNAL_DROP } journal_kind;

typedef struct journal_entry {
    uint64_t number; /* of the operation */
    moment at;
    value res;     /* JOURNAL_RETURN */
    uint32_t call; /* JOURNAL_CALL: which in `op` */
    journal_kind kind;
} journal_entry;

typedef struct journal {
    journal_entry *entry;
    monitored *op; /* the calls */
    uint32_t n, room, calls, call_room;
} journal;

journal *journal_new(void);
void journal_free(journal *j);
void journal_clear(journal *j);
bool journal_add(journal *j, journal_kind kind, const monitored *op, moment at); /* false: it is too long */
size_t journal_memory(const journal *j);

#endif
