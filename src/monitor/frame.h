/* What the files of the frame share: the monitor itself, and what each of them does for the others.
 *
 *     monitor.c        events in, verdict out
 *     opens.c          operations that are open
 *     parts.c          the parts of a history that are judged one by one
 *     part_events.c    what happens in a part: journal, operations that are left out or given up
 *     hand_over.c      the frontier takes over; a part begins again
 *     findings.c       violations, their patterns
 *     sampling.c       one of so many keys or values
 *     monitor_store.c  all of it, to and from a checkpoint */
#ifndef PLUMB_MONITOR_FRAME_H
#define PLUMB_MONITOR_FRAME_H

#include "monitor/grey.h"
#include "monitor/journal.h"
#include "monitor/part.h"

typedef struct open_chunk open_chunk;

struct monitor {
    const object *o;
    const monitor_type *type; /* for new parts */
    monitor_options options;
    moment events;
    uint64_t calls, open, given_up, failed;
    uint64_t left_out; /* by sampling */
    monitor_violation *violation;
    uint32_t violations, violation_room;
    uint64_t lasting; /* open, and known never to return */
    moment first_lasting;
    monitor_part *recent;     /* the part of the last event */
    monitor_part *found_by;   /* the violation */
    monitor_part **unsettled; /* parts that may have put something off, or are in doubt */
    uint32_t unsettled_n, unsettled_room;
    monitor_part **slot;
    uint32_t slots, parts, parts_kept;
    open_operation *oldest, *newest;
    open_chunk *chunks;
    open_operation *unused; /* linked by `newer` */
    verdict verdict;
    moment bad;
    char reason[240];
    monitored *pattern;
    uint32_t pattern_n, pattern_room;
    state scratch;
    char doubt[160];   /* of parts that are gone */
    uint64_t unjudged; /* the same */
    char unjudged_why[100];
    char doubt_now[320];
    char lost[100]; /* why no part begins at the beginning; "": they do */
};

/* ---- opens.c ---- */
open_operation *open_operation_new(monitor *m);
size_t opens_memory(const monitor *m);
void opens_free(monitor *m);
void opens_check(const monitor *m); /* with PLUMB_SELF_CHECKS */

static inline void open_operation_give_back(monitor *m, open_operation *op) {
    op->newer = m->unused;
    m->unused = op;
}

/* Open operations are linked both ways, by the order of their calls. */
static inline void opens_link(monitor *m, open_operation *op) {
    assert(!m->newest || m->newest->op.number < op->op.number);
    op->older = m->newest;
    op->newer = NULL;
    if (m->newest) m->newest->newer = op;
    else m->oldest = op;
    m->newest = op;
    m->open++;
}

static inline void opens_unlink(monitor *m, open_operation *op) {
    assert(m->open && (op->older ? op->older->newer == op : m->oldest == op));
    assert(op->newer ? op->newer->older == op : m->newest == op);
    if (op->older) op->older->newer = op->newer;
    else m->oldest = op->newer;
    if (op->newer) op->newer->older = op->older;
    else m->newest = op->older;
    m->open--;
}

/* ---- parts.c ---- */
monitor_part *part_named(monitor *m, value key, value element);
monitor_part *part_of(monitor *m, const monitored *op);
void part_free(monitor_part *p);
/* It may have put something off, or be in doubt. */
void part_note_unsettled(monitor_part *p);
void parts_check(const monitor *m, uint32_t parts); /* with PLUMB_SELF_CHECKS */

/* ---- part_events.c ---- */
void part_call(monitor_part *p, open_operation *op);
void part_end(monitor_part *p, journal_kind kind, open_operation *op, moment at);
void monitor_give_up_oldest(monitor *m); /* those that are open for longer than max_lag */

/* ---- hand_over.c ---- */
/* After a violation, knowing nothing. */
void part_begin_again(monitor_part *p);

/* ---- findings.c ---- */
void monitor_found_violation(monitor *m);
void findings_free(monitor *m);

/* ---- sampling.c ---- */
bool samples_by_value(const object *o);
bool monitor_samples_value(const monitor *m, value v);
bool monitor_samples_call(const monitor *m, const monitored *op);

#endif
