/* One execution of a program under a scheduler, step by step, for the page: who did what to which shared memory.
 * All strings belong to the caller. */
#ifndef PLUMB_REPORT_HTML_INTERLEAVING_H
#define PLUMB_REPORT_HTML_INTERLEAVING_H

#include "base/text.h"

typedef enum access_kind {
    ACCESS_CALL,    /* an operation begins */
    ACCESS_RETURN,
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_UPDATE,  /* a read-modify-write that wrote */
    ACCESS_REFUSED, /* a compare-and-swap that did not */
    ACCESS_LOCAL,   /* nothing shared */
} access_kind;

typedef struct interleaving_step {
    uint32_t thread;
    access_kind kind;
    const char *file;     /* NULL: not known */
    uint32_t line;
    const char *source;   /* the line's text; NULL: not known */
    const char *location; /* the shared memory, by name; NULL: none */
    const char *before, *after; /* its value, as people read it; `after` NULL: unchanged */
    const char *operation; /* of calls and returns: "deq() -> 2" */
    uint32_t number;      /* of calls and returns: the operation's, in the history; UINT32_MAX: none */
    bool dull;            /* folded until somebody asks */
} interleaving_step;

typedef struct interleaving {
    const char *const *thread; /* names */
    uint32_t threads;
    const interleaving_step *step;
    uint32_t steps;
    const char *schedule;  /* what repeats the execution: text to copy */
} interleaving;

void html_interleaving(const interleaving *i, text *out);

#endif
