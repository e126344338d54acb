/* One execution of a program under a scheduler, step by step, for the page: who did what to which shared memory.
 * All strings belong to the caller. */
#ifndef PLUMB_REPORT_HTML_INTERLEAVING_H
#define PLUMB_REPORT_HTML_INTERLEAVING_H

#include "base/text.h"

typedef enum access_kind {
    ACCESS_CALL, /* an operation begins */
    ACCESS_RETURN,
    ACCESS_ALONE, /* a whole operation while no other thread was there */
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_UPDATE,  /* a read-modify-write that wrote, a lock that changed hands */
    ACCESS_REFUSED, /* a compare-and-swap that did not */
    ACCESS_LOCAL,   /* nothing shared */
} access_kind;

typedef struct memory_change {  /* what a step did to one piece of shared memory, or found there */
    const char *location;       /* by name; NULL: there is no such change */
    const char *before, *after; /* its value, as people read it; `before` NULL: not known; `after` NULL: unchanged */
    bool aside;                 /* under a weak memory model: it says nothing of what memory holds */
} memory_change;

enum { STEP_CHANGES = 2 }; /* a double compare-and-swap */

/* Of a step that reads nothing, or of whose reading nothing is known. */
#define FROM_NOWHERE .from = UINT32_MAX, .missed = UINT32_MAX

typedef struct interleaving_step {
    uint32_t thread; /* of ACCESS_ALONE: not looked at */
    access_kind kind;
    const char *words; /* what it does: "cas q->head: node#1 -> node#2", "deq() returns 2" */
    uint32_t number;   /* of calls and returns: the operation's, in the history; UINT32_MAX: none */
    const char *file;  /* NULL: not known */
    uint32_t line;
    const char *source; /* the line's text; NULL: not known */
    memory_change change[STEP_CHANGES];
    /* under a weak memory model, of a read: the row of the write that it read, of another thread, and of the newest one
     * that it did not see; UINT32_MAX: none */
    uint32_t from, missed;
    bool synchronises;
    bool dull; /* folded until the reader unfolds it */
} interleaving_step;

typedef struct interleaving {
    const char *const *thread; /* names */
    uint32_t threads;
    const interleaving_step *step;
    uint32_t steps;
    const char *ending;   /* what went wrong at the last step; NULL: nothing did */
    const char *schedule; /* what repeats the execution: text to copy */
    const char *again;    /* the command that repeats it; NULL: not known */
} interleaving;

void html_interleaving(const interleaving *i, text *out);

#endif
