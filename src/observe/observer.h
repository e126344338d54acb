/* Observers: linearizability as state reachability. An observer sees the calls, the returns and, where the code marks
 * them, the linearization points of an execution; a history is a violation when the observer can reach a bad state
 * (Bouajjani, Emmi, Enea, Hamza: reductions to state reachability; docs/REACHABILITY.md). Bad states are absorbing.
 *
 * An observer may guess: it has several successors then, and one bad run is enough. States are flat and of one size, so
 * that copying, comparing and hashing them needs no code per kind.
 *
 * Not to be confused with src/monitor/: monitors keep up with a live program for ever and answer exactly; observers are
 * small machines that can be composed with a program under exploration, drawn, and handed to other tools. */
#ifndef PLUMB_OBSERVE_OBSERVER_H
#define PLUMB_OBSERVE_OBSERVER_H

#include "base/error.h"
#include "object/object.h"

enum { OBSERVED_OPERATIONS = 32, OBSERVED_EVENTS = 3 * OBSERVED_OPERATIONS };

typedef enum observed_what { OBSERVED_CALL, OBSERVED_POINT, OBSERVED_RETURN } observed_what;

typedef struct observed_event {
    uint8_t what; /* observed_what */
    uint8_t op;
} observed_event;

/* An execution as an observer sees it. Results are known from the start (op.res): what an observer would guess at a
 * call and check at the return, it looks up. */
typedef struct observed {
    const object *o;
    operation op[OBSERVED_OPERATIONS]; /* bound to o; res VALUE_UNKNOWN: has not returned */
    uint32_t n;
    observed_event event[OBSERVED_EVENTS];
    uint32_t events;
} observed;

typedef struct observer_runs observer_runs; /* of flat states */
void observer_runs_add(observer_runs *s, const void *now);

typedef enum observed_mood {
    MOOD_GOOD,
    MOOD_BAD,
    MOOD_BAD_POINT, /* bad at a mark, or for the lack of one */
    MOOD_LOST,      /* it cannot say any more */
} observed_mood;

typedef struct observer_kind {
    const char *name;
    const char *summary;
    bool needs_points; /* looks at OBSERVED_POINT: the interleaving matters, not only its history */
    bool takes_k;
    size_t state_size;
    bool (*fits)(const object *o, text *why_not); /* NULL: any object */
    void *(*open)(const object *o, unsigned k);
    void (*close)(void *self);
    /* Looks at the execution as a whole before it begins. False: it cannot be decided, why says. NULL: nothing to
     * do. */
    bool (*prepare)(void *self, const observed *x, text *why);
    void (*start)(void *self, observer_runs *out);
    /* All successors; e is x->events at the end of the execution. */
    void (*observe)(void *self, const observed *x, const void *now, uint32_t e, observer_runs *out);
    observed_mood (*mood)(void *self, const void *now);
    void (*complaint)(void *self, const void *now, text *why); /* of a state that is not good; NULL: nothing to say */
    /* No bad state was reached: does that say that the history is linearizable? NULL: never. */
    bool (*is_exact)(void *self, const observed *x);
} observer_kind;

typedef struct observer observer;
struct pattern_set;                                        /* observe/pattern.h */
const observer_kind *observer_kind_at(unsigned i);         /* NULL behind the last */
const observer_kind *observer_kind_find(const char *name); /* NULL: unknown */
/* "all", "pattern", "count,k=2". */
bool observer_parse(const char *what, const observer_kind **kind, unsigned *k, error *e);
observer *observer_open(const observer_kind *kind, const object *o, unsigned k, text *why_not); /* NULL: does not fit */
/* For kinds with more to open than these: takes `self`. */
observer *observer_with(const observer_kind *kind, void *self);
/* Kind `pattern` for patterns of the user's own; takes s. NULL: they are not about this object. */
observer *observer_of_patterns(struct pattern_set *s, const object *o, text *why_not);
/* As --monitor has it: "all", "count,k=2", "mine.pattern". NULL: error set, EXIT_USAGE or what is wrong in the file. */
observer *observer_asked(const char *what, const object *o, error *e);
bool observer_needs_points(const observer *m);
void observer_close(observer *m);

typedef enum observer_verdict {
    OBSERVER_GOOD,      /* linearizable */
    OBSERVER_SILENT,    /* nothing bad seen, which says nothing */
    OBSERVER_BAD,       /* a violation */
    OBSERVER_BAD_POINT, /* the marks do not explain the history: they are wrong, or the object is */
    OBSERVER_UNDECIDED, /* not for this observer: why says */
} observer_verdict;
/* Part by part: linearizability is local. `at` (may be NULL) receives the event at which a bad state was reached. */
observer_verdict observer_run(observer *m, const observed *x, uint32_t *at, text *why);

/* For tests: calls and returns of a history in their order. False: more operations than can be looked at. */
bool observed_from_history(observed *x, const object *o, const history *h);

#endif
