/* The parent's half of the explorer: a compiled test runs in a process of its own, and this asks it questions.
 *
 * The child may crash, hang or lie about time: the session notices, says so, and starts it anew. */
#ifndef PLUMB_EXPLORE_OUTSIDE_SESSION_H
#define PLUMB_EXPLORE_OUTSIDE_SESSION_H

#include "explore/campaign/campaign.h"
#include "explore/model/order_site.h"
#include "explore/model/execution.h"
#include "explore/model/run_request.h"

/* The script for gdb (cli/gdb.c) names registers. */
#ifdef __x86_64__
enum { REPLAYS_IN_GDB = 1 };
#else
enum { REPLAYS_IN_GDB = 0 };
#endif

typedef struct session session;

typedef struct declared_item {
    unsigned kind; /* enum plumb_item_kind */
    unsigned nargs, line;
    char *words, *file; /* name of an operation, object, threads */
} declared_item;

typedef struct declarations {
    declared_item *item;
    unsigned items;
    bool has_main; /* a main of its own, to be explored as it stands */
} declarations;

typedef struct run_answer {
    campaign_result result; /* `failing` and strategy names are the answer's own */
    char *schedule;         /* of the failure; NULL: none */
    char *work;            /* what is left, if it was asked for (run_request.work); NULL: nothing, or it is not known */
    char *notes;           /* lines for the report: assumed loops, data races, what was opaque */
    outcome_list outcomes; /* what executions came to */
    order_site *order;     /* memory orders that the code asked for, of graphs */
    unsigned orders;
    bool died; /* the child did not survive: message says how */
} run_answer;

/* The library for many threads, which a program that a debugger starts has to load first; NULL: it needs none. */
const char *session_preloads(void);
session *session_open(const char *binary, char *const *argv, error *e);
/* Each run is in a copy of a process that has run nothing: it knows nothing of the runs before. The words of `argv`
 * must outlive it. */
session *session_open_apart(const char *binary, char *const *argv, error *e);
void session_close(session *s);
bool session_declarations(session *s, declarations *out, error *e);
void declarations_free(declarations *d);

typedef void run_progress(void *context, const campaign_result *so_far);
/* False: the session is broken (e says). A failure of the program under test is an answer, not an error. */
bool session_run(session *s, const run_request *r, run_progress *progress, void *context, run_answer *out, error *e);
void run_answer_free(run_answer *a);
/* The question that session_replay asks, for a program that a debugger starts (PLUMB_EXPLORE="question=FILE"). */
void session_replay_question(const run_request *r, const char *choices, text *out);
bool session_replay(session *s, const run_request *r, const char *choices, execution *out, error *e);
void session_interrupt(session *s); /* async-signal-safe: the running campaign ends soon and says what it knows */

#endif
