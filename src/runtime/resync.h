/* After unrecorded operations the state of the object is unknown. A resync begins with everything unknown and says of
 * each event whether it can be judged: the operations handed on are a part of the history that is linearizable if the
 * whole is, and once nothing unknown can be left, everything is handed on again.
 *
 * containers   all operations of a set of values may be left out of a history. Values whose add begins after the
 *              restart are known, and taken to be others than those of the dark; removes of others are left out
 *              ("grey"). Nothing unknown is inside any more when a remove that began after all operations of the dark
 *              have ended finds nothing; or, in a queue, when a value that was put in after they ended comes out.
 * alone        containers of which a value was added again while it was known: those of the dark may have it, too, so
 *              no value tells anything. They are known to be empty when a remove finds nothing and no operation
 *              overlapped it.
 * registers    (and kv, each key) reads may be left out; nothing unknown can be read by a read that began after a
 *              write returned that began after all operations of the dark had ended.
 * told         objects of which an operation tells the state (monitor/told.h: set, lock, counter, a store that was
 *              cleared, ...): everything is handed on, and the checker is told that the state is not known when all
 *              operations of the dark have ended. Those that were read and timed out it knows as pending (watch.c):
 *              they are not waited for.
 * quiet        exchanger and elimination, whose state is what is open: nothing of the dark is left when nothing is
 *              open that met an operation of the dark, or one that met one, and so on.
 * others       stay in the dark: one-shot tasks, transactions (which tell some registers only), objects of users. */
#ifndef PLUMB_RUNTIME_RESYNC_H
#define PLUMB_RUNTIME_RESYNC_H

#include "runtime/checker.h"
#include "runtime/word_set.h"

typedef enum resync_kind {
    RESYNC_NEVER,
    RESYNC_CONTAINER,
    RESYNC_ALONE,
    RESYNC_CELL,
    RESYNC_TOLD,
    RESYNC_QUIET
} resync_kind;

typedef struct resync {
    resync_kind kind;
    bool fifo, keyed;
    bool repeats; /* values do, in this log: then, and from there on, a container is judged again by RESYNC_ALONE */
    bool alone;   /* one operation is open, and none was beside it */
    checker *to;
    word_set known; /* containers: values; kv: keys that were written for sure */
    uint64_t stale; /* operations of the dark that have not ended; one that never will counts for ever */
    uint64_t old;   /* open operations that may still return something unknown */
    uint64_t grey;  /* operations left out */
    bool settled;   /* containers: nothing unknown is inside any more; told: the checker knows that it does not know;
                     * quiet: nothing of the dark is open */
    bool lost;      /* something came that cannot be judged from here: the dark again */
} resync;

/* `by_telling`: not as a cell. A kv with more than get, put and delete is none. */
resync_kind resync_kind_of(const object *o, bool by_telling);
void resync_begin(resync *r, resync_kind kind, checker *to, uint64_t ghosts);
void resync_stale(resync *r, sketched *op); /* was open at the restart */
void resync_begun(resync *r);               /* after all of those */
void resync_call(resync *r, sketched *op);
void resync_return(resync *r, sketched *op);
bool resync_is_over(const resync *r); /* from now on everything can be handed on */
void resync_free(resync *r);

#endif
