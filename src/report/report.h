/* What is known about one input once it has been judged: everything the reports print, free of the history itself, so
 * that a big history can be given back before anything is printed. */
#ifndef PLUMB_REPORT_REPORT_H
#define PLUMB_REPORT_REPORT_H

#include "base/error.h"
#include "evidence/measure.h"

#define REPORT_SCHEMA "plumb.report/2"
#define UNKNOWN_COUNT UINT32_MAX

typedef struct report {
    char *file;
    error error;         /* code 0: there is a verdict */
    const char *format;  /* NULL: not known (yet) */
    char *object;        /* NULL: not known */
    const char *engine;  /* NULL: none decided */
    char *criterion;     /* as it is parsed: "linearizable", "quasi(2)" */
    bool relaxed;        /* it is not linearizable that was asked */
    uint32_t operations; /* UNKNOWN_COUNT: the input was not read to its end */
    uint32_t pending;
    uint32_t sample; /* one of so many keys or values was recorded; 0: all */
    uint64_t digest; /* of the history (evidence/history_digest.h); 0: not read */
    uint32_t parts;  /* independent parts the history fell into */
    uint64_t steps;
    verdict verdict;
    text reason;    /* undecided: why */
    double seconds; /* deciding */
    double evidence_seconds;
    double read_seconds;

    bool witness_checked;
    bool has_witness;
    uint32_t *witness; /* operation numbers */
    uint32_t witness_n;
    uint32_t *begins, *ends; /* in its order: the steps; NULL: every operation is a step of its own */
    text together;           /* the first of these steps, in words */
    text task;               /* of a one-shot task: have all answered? */
    bool has_core;
    uint32_t *core;      /* operation numbers */
    uint32_t *core_line; /* of their calls in the file; NULL: not known */
    uint32_t core_n;
    uint32_t core_cut_operation; /* whose event that is; UNKNOWN_COUNT: it was not cut */
    bool core_cut_returns;
    uint32_t core_cut; /* the number of the event after which the history was cut; RANK_NEVER: not cut */
    bool core_minimal;
    const char *core_checked_by; /* NULL: not checked */
    text diagram, sentences;
    /* undecided: operations of the longest linearizable beginning; UNKNOWN_COUNT: none is known */
    uint32_t prefix;
    bool measured; /* the smallest k was asked for */
    bool bounded;  /* there is one: measure_low <= k <= measure_high */
    uint32_t measure_low, measure_high;
    uint32_t *forced; /* operation numbers: what forces measure_low */
    uint32_t forced_n;
    /* by number: how many removals had so many elements ahead; elements overtaken so often */
    uint32_t *ahead, *overtaken;
    uint32_t ahead_n, overtaken_n;
    bool page;         /* a page was written */
    text talk;         /* which engines were passed over and why */
    char *unpacked[3]; /* of one that came from another machine (report_pack.h): its names; else NULL */
} report;

report *report_new(const char *file);
void report_free(report *r);

typedef struct report_wishes {
    bool witness;     /* keep the witness (one number an operation) */
    bool digest;      /* name the history */
    bool lines;       /* where in the file the operations of a core are */
    unsigned columns; /* of the diagram */
} report_wishes;

void report_criterion(report *r, const criterion *c); /* what is asked */

/* Takes what the judgement found into the report. */
void report_take(report *r, const history *h, const object *o, const judgement *j, const report_wishes *wishes);

/* The same for a measurement: `o` has the limits it ended with. */
void report_take_measure(report *r, const history *h, const object *o, const relaxation *m,
                         const report_wishes *wishes);

int report_exit_code(const report *r);
/* The worse of two exit codes: interrupted, internal error, usage, bad input, cannot open, violation, undecided,
 * linearizable. */
int exit_code_worse(int a, int b);
const char *report_outcome(const report *r); /* "linearizable", "violation", "undecided", "bad input", ... */

#endif
