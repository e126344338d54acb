/* What `plumb explore` found out, in its outward forms. */
#ifndef PLUMB_REPORT_EXPLORATION_H
#define PLUMB_REPORT_EXPLORATION_H

#include "explore/outside/failure.h"
#include "explore/outside/litmus.h"
#include "report/interleaving.h"

/* In the order of RUN_PROGRESS. */
typedef enum progress_claim { CLAIM_NONE, CLAIM_OBSTRUCTION_FREE, CLAIM_LOCK_FREE, CLAIM_WAIT_FREE } progress_claim;

typedef struct measured { /* the smallest k for which all explored histories are quasi(k) */
    bool asked;
    uint32_t k;
    const program_result *forced; /* a history that is not below it; NULL: k is 0 */
    const char *below;            /* the criterion that it violates: quasi(k-1) */
} measured;

typedef struct exploration {
    const char *name;      /* of the test */
    const char *object;    /* NULL: assertions only */
    const char *criterion; /* NULL: linearizable */
    text specification;    /* in words, of serial runs; empty: none */
    uint64_t serial_orders;
    measured measured;
    const hunt *hunt;
    const run_request *how; /* what the executions depend on; NULL: not said */
    /* The code asked for another memory model as well: what was explored under it without a failure; NULL: it was not
     * explored, `refused` says why, or nothing was asked for (empty or NULL). */
    const hunt *second;
    const run_request *second_how;
    const char *refused;
    const execution *x;   /* the failing execution, replayed; NULL: there is none */
    debug_info *debug;    /* may be NULL */
    const explained *why; /* of the failing execution; NULL: there is none */
    const char *schedule; /* file that replays it; NULL: not saved */
    bool asks_trust;      /* the replay needs --trust */
    const litmus *litmus; /* the test is one: its condition is answered; NULL: it is not */
} exploration;

progress_claim exploration_claim(const exploration *r); /* of the code, about its progress */
bool exploration_contradicts(const exploration *r); /* an operation was seen that does not make the claimed progress */
int exploration_exit_code(const exploration *r);
/* What is proven: "every interleaving", "every interleaving with at most 2 preemptions", with every limit that was in
 * force (explore/model/coverage.def). Text, JSON and page have it from here. */
void exploration_coverage(const exploration *r, text *out);
/* The same of the other model; nothing if there was none. */
void exploration_second(const exploration *r, text *out);
/* "deadlock: thread 1 waits for m": what failed, without colours. */
void exploration_failure(const exploration *r, text *out);
void exploration_part(const hunt *h, text *out);          /* what part of a larger program the failing one is */
void exploration_numbers(const hunt *h, text *out);       /* "1,200 executions, 26 distinct histories, 0.03 s" */
void exploration_replay(const exploration *r, text *out); /* the command that repeats its schedule */
void exploration_notes(const exploration *r, const colours *c, text *out); /* lines, each readable note once */
void exploration_text(const exploration *r, const interleaving_wishes *w, text *out);
void exploration_json(const exploration *r, text *out);          /* one line, documented in plumb-explore(1) */
void exploration_outcomes_json(const exploration *r, text *out); /* objects with commas between */
/* Several models of one test, side by side: what executions came to under each. Nothing if none said it. */
void outcomes_table(const char *const *model, const outcome_list *const *of, unsigned models, text *out);
/* "Sometimes 1 3, Ok": the condition of a litmus test, of what was run under one model. */
void exploration_answer(const exploration *r, const hunt *h, text *out);
void exploration_junit(const exploration *r, text *out);
void exploration_sarif(const exploration *r, text *out);  /* one threadFlow for each thread */
void exploration_github(const exploration *r, text *out); /* a workflow annotation at the last step */

#endif
