/* What a history is asked to be. Linearizable is the standard; its relatives relax the order in which elements of a
 * container may come out. docs/CRITERIA.md states each definition.
 *
 * A criterion that is *stepwise* is linearizability with respect to another sequential object, which object_relax makes
 * from the given one: whatever works with the object's step (general engines, oracle, witness check, explanations) then
 * works with the criterion. Others (a witness that is not a plain order) need engines and checkers that know them by
 * kind: operations that take effect together, at one moment or over several (object/set_spec.h). */
#ifndef PLUMB_OBJECT_CRITERION_H
#define PLUMB_OBJECT_CRITERION_H

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

typedef enum criterion_kind {
    CRITERION_LINEARIZABLE,
    CRITERION_QUASI,        /* limit: elements ahead of a removed one, times an element is overtaken */
    CRITERION_OUT_OF_ORDER, /* limit: elements ahead of a removed one, removals that bypass the head in a row */
    CRITERION_ALIGNED,      /* for comparison only, as are all that follow: displacement with the shape kept */
    CRITERION_LITERAL,
    CRITERION_ALL_EVENTS,
    /* of objects with a specification of operations that take effect together, as is the next */
    CRITERION_SET,
    CRITERION_INTERVAL,
    CRITERION_SPURIOUS,      /* answers: which are excused (object/spurious.h) */
    CRITERION_SEQUENTIAL,    /* each client's own order counts, and no other */
    CRITERION_PRODUCER_FIFO, /* of a queue, each producer's order */
    CRITERION_LOCAL,         /* what each client added, by itself (object/local.h) */
    CRITERION_STALE,         /* limit: versions that a read may be behind */
    CRITERION_BY_METHOD,     /* quasi with a limit for each method; what object_relax makes of quasi(enq=0,deq=2) */
    CRITERION_REGULAR,       /* each read by itself, with all writes, is linearizable (object/regular.h) */
    CRITERION_SAFE,          /* the same of reads that overlap no write; the others may return anything */
    CRITERIA
} criterion_kind;

enum { CRITERION_LIMITS = 2, CRITERION_MAX_LIMIT = 1 << 20, CRITERION_ANSWERS = 64, CRITERION_METHODS = 32 };

typedef struct criterion {
    criterion_kind kind;
    uint32_t limit[CRITERION_LIMITS]; /* those of one number have it twice */
    /* As written: of spurious "deq=empty,enq=full", of quasi by methods "enq=0,deq=2"; otherwise empty. */
    char answers[CRITERION_ANSWERS];
    uint32_t of_method[CRITERION_METHODS]; /* by method of the object: its limit, once object_relax has found it */
    bool asked; /* the user named it: linearizable is meant, not whatever is the object's own (object_relax) */
} criterion;

typedef struct criterion_type {
    const char *name;
    const char *alias;                        /* NULL: none */
    const char *limit_name[CRITERION_LIMITS]; /* NULL: no more */
    bool one_for_all;                         /* name(k) sets all limits to k */
    bool cut_is_sound; /* the history cut after any event is right when the whole is: cores may be cut */
    const char *summary;
} criterion_type;

const criterion_type *criterion_type_of(criterion_kind kind);
#define CRITERION_BIT(kind) (1u << (kind))
/* Its witness is a sequence of steps in which several operations take part. */
static inline bool criterion_is_together(const criterion *c) {
    return c->kind == CRITERION_SET || c->kind == CRITERION_INTERVAL;
}

/* Is it one of the readings of quasi-linearizability that generate and monitors take alike? */
static inline bool criterion_is_quasi(const criterion *c) {
    return c->kind == CRITERION_QUASI || c->kind == CRITERION_BY_METHOD;
}

/* About reads that may return what no order of all operations explains. */
static inline bool criterion_is_of_reads(const criterion *c) {
    return c->kind == CRITERION_REGULAR || c->kind == CRITERION_SAFE;
}

/* Does precedence in time count? Otherwise clients' own orders do. */
static inline bool criterion_keeps_time(const criterion *c) { return c->kind != CRITERION_SEQUENTIAL; }

/* "linearizable", "quasi(3)", "quasi(ahead=2,overtaken=4)", "quasi(enq=0,deq=2)", "out-of-order(2,3)". EXIT_USAGE and a
 * list of what there is. */
bool criterion_parse(const char *what, criterion *out, error *e);
/* The same with the name given already: "3", "ahead=2,overtaken=4". */
bool criterion_parse_limits(criterion_kind kind, const char *limits, criterion *out, error *e);
/* The next "enq=0" of a list of limits by method; *list goes behind it. EXIT_USAGE: it is none. */
bool criterion_method_limit(const char **list, char name[CRITERION_ANSWERS], uint32_t *limit, error *e);
void criterion_print(const criterion *c, text *out); /* as it is parsed */

#endif
