/* What a monitor of one kind of object is: the functions of its `monitor_type`. It watches one part of the history (one
 * key, one element of a set, or everything). One file per monitor; the list is monitors.def. */
#ifndef PLUMB_MONITOR_PART_H
#define PLUMB_MONITOR_PART_H

#include "base/mem.h"
#include "monitor/monitor.h"

#include <assert.h>
#include <string.h>

typedef struct monitor_part monitor_part;
typedef struct monitor_type monitor_type;
typedef struct store store; /* monitor/store.h */

struct open_operation {
    monitored op;
    moment tick; /* of its call, on the part's clock */
    monitor_part *part;
    open_operation *older, *newer;  /* all open operations of the monitor, by call */
    open_operation *before, *after; /* a list of the part's monitor, in whatever order it wants */
    uint64_t mine;                  /* the part's monitor's */
    bool pending;                   /* for ever: belongs to the part's monitor, which frees it */
    bool given_up;                  /* by max_lag: the caller still holds it */
    bool stand_in;                  /* made for a replay: no caller holds it */
    bool left_out;                  /* of what is judged: the part's monitor has not seen it */
    bool from_before;               /* was open when the part began again */
};

struct monitor_part {
    monitor *m;
    const monitor_type *type;
    void *self;
    value key, element;      /* what makes it a part */
    moment tick;             /* events of this part so far; the first is number 1 */
    uint32_t open;           /* operations that are open and not pending for ever */
    struct journal *journal; /* everything since `rest`; NULL: too long to be kept */
    state rest;              /* the state the journal begins with: nothing was open then */
    monitored *pended;       /* with a journal: what was pending for ever since `rest` */
    uint32_t pended_n, pended_room;
    uint32_t unsettled; /* place in the monitor's list of parts that may have put something off, from 1; 0: none */
    struct grey *grey;  /* it began again after a violation; NULL: everything is judged */
    monitor_part *next_in_slot;
};

struct monitor_type {
    const char *name;
    const char *summary;
    const char *objects;              /* blank-separated; NULL: all */
    bool hands_over;                  /* may call part_hand_over: a journal is kept */
    bool from_the_beginning;          /* needs all operations: not where some go unseen, or after a violation */
    bool by_name_only;                /* never chosen unless asked for */
    bool (*accepts)(const object *o); /* may be NULL: all of these objects */
    /* Operations this monitor cannot judge (a method, a result): the part goes over to the frontier. May be NULL. */
    bool (*knows)(const object *o, const monitored *op);
    void *(*create)(monitor_part *p);
    void (*destroy)(void *self);
    void (*call)(void *self, open_operation *op);
    void (*ret)(void *self, open_operation *op); /* op->op.res and ret are set; the operation is freed afterwards */
    /* pending for ever: frees it with open_operation_free when it is done with it */
    void (*pend)(void *self, open_operation *op);
    void (*drop)(void *self, open_operation *op); /* never happened; freed afterwards */
    /* as if it had never been called: like drop, and need not be judged at once; NULL: drop does */
    void (*leave_out)(void *self, open_operation *op);
    void (*settle)(void *self); /* decides what was put off; NULL: puts nothing off */
    /* with nothing open: the object's state, if there is only one it can be in */
    bool (*rest)(void *self, state *s);
    /* writes or reads all it has (monitor/store.h); NULL: cannot be kept in a checkpoint */
    void (*store)(void *self, store *s);
    /* where no violation found does not mean linearizable; NULL: nowhere */
    const char *(*doubt)(const void *self);
    /* operations that were not judged, while the state was not known, and why that was; NULL: none ever */
    uint64_t (*unjudged)(const void *self, const char **why);
    uint64_t (*live)(const void *self);
    size_t (*memory)(const void *self);
};

/* The record of a monitor type: symbol, name, summary, then its other fields. */
#define MONITOR_RECORD(symbol, word, line, ...) const monitor_type symbol = {.name = word, .summary = line, __VA_ARGS__}

#define MONITOR(name) extern const monitor_type monitor_##name;
#include "monitor/monitors.def"
#undef MONITOR

/* The frontier from here on knows nothing of the state, and that these operations are pending for ever. */
void frontier_lose(void *self, const char *why, const monitored *pending, uint32_t n);

/* ---- what a part's monitor says ---- */
void part_violation(monitor_part *p, const char *format, ...) TEXT_FORMAT(2, 3);
void part_violation_was_at(monitor_part *p, moment at);  /* earlier than the current event */
void part_pattern(monitor_part *p, const monitored *op); /* one more operation of the pattern */
void part_undecided(monitor_part *p, const char *format, ...) TEXT_FORMAT(2, 3);
/* The history leaves what this monitor can tell apart (a value repeated while it is inside): the frontier takes over
 * from the journal or, when that is too long to be kept, without knowing the state. `self` is gone afterwards: return
 * at once. */
void part_hand_over(monitor_part *p, const char *why);

/* It is open for too long: pending for ever from now on, as by max_lag. Calls `pend`. */
void part_give_up(monitor_part *p, open_operation *op);

moment part_now(const monitor_part *p); /* the number of the last event */
const object *part_object(const monitor_part *p);
const monitor_options *part_options(const monitor_part *p);
void open_operation_free(monitor_part *p, open_operation *op);

/* ---- lists of open operations by `before` and `after` ---- */
typedef struct open_operations {
    open_operation *first, *last;
    uint32_t n;
} open_operations;

static inline void open_operations_add(open_operations *l, open_operation *op) {
    assert(!l->first == !l->last && !l->first == !l->n);
    op->before = l->last;
    op->after = NULL;
    if (l->last) l->last->after = op;
    else l->first = op;
    l->last = op;
    l->n++;
}

static inline void open_operations_remove(open_operations *l, open_operation *op) {
    assert(l->n && (op->before ? op->before->after == op : l->first == op));
    assert(op->after ? op->after->before == op : l->last == op);
    if (op->before) op->before->after = op->after;
    else l->first = op->after;
    if (op->after) op->after->before = op->before;
    else l->last = op->before;
    l->n--;
}

#endif
