/* Plumbline tells whether a recorded concurrent history is linearizable, and proves its answer.
 *
 *     plumb_history *h = plumb_history_read("run.edn", NULL);        // or built by calls: see below
 *     plumb_result *r = plumb_check(h, "queue", NULL);
 *     switch (plumb_result_verdict(r)) {
 *     case PLUMB_LINEARIZABLE: break;                                // a witness was found, and checked
 *     case PLUMB_VIOLATION: puts(plumb_result_explanation(r)); break;// a core was found, and decided again
 *     case PLUMB_UNDECIDED: puts(plumb_result_reason(r)); break;     // a budget was spent, or no engine fits
 *     case PLUMB_ERROR: puts(plumb_result_reason(r)); break;         // bad input or misuse: there is no verdict
 *     }
 *     plumb_result_free(r);
 *     plumb_history_free(h);
 *
 * Functions never print and keep no global state; different histories may be used by different threads at once, one
 * history or result by one thread at a time.
 *
 * Functions never end the process. When memory runs out, the function says so as it says other errors ("out of memory
 * in plumb_check"), and the verdict, if it gives one, is PLUMB_UNDECIDED; a history or monitor that was being changed
 * keeps that error and is good for nothing but being freed. Misuse (a NULL handle, an event of a complete history) is
 * an error that stays, with a message that names the call; with PLUMB_ABORT_ON_MISUSE=1 in the environment the program
 * aborts there, to be looked at in a debugger. */
#ifndef PLUMBLINE_PLUMBLINE_H
#define PLUMBLINE_PLUMBLINE_H

#include <plumbline/value.h>

#include <stdbool.h>

#ifndef PLUMB_API
#if defined(__GNUC__)
#define PLUMB_API __attribute__((visibility("default")))
#else
#define PLUMB_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum plumb_verdict {
    PLUMB_LINEARIZABLE = 0,
    PLUMB_VIOLATION = 1,
    PLUMB_UNDECIDED = 2,
    PLUMB_ERROR = 3
} plumb_verdict;

typedef struct plumb_history plumb_history;
typedef struct plumb_result plumb_result;

PLUMB_API const char *plumb_version(void); /* "0.1.0" */

/* ---- histories from files: any format that `plumb formats` lists, gzip and zstd taken off ---- */

typedef struct plumb_read_options {
    size_t struct_size; /* sizeof(plumb_read_options): set it, zero the rest */
    const char *format; /* NULL: by the contents */
    /* blank-separated methods whose failures are observations (result false); NULL: all are dropped */
    const char *observe;
    bool independent; /* Jepsen's [key value] values */
} plumb_read_options;

/* Never NULL. When the file cannot be read, plumb_history_error says why and plumb_check gives PLUMB_ERROR. */
PLUMB_API plumb_history *plumb_history_read(const char *path, const plumb_read_options *options);

/* ---- histories built by calls, event by event: the order of these calls is the order of time ---- */

PLUMB_API plumb_history *plumb_history_new(void);
/* A client calls a method. A client has at most one open call. For kv the key is the first argument. */
PLUMB_API bool plumb_history_call(plumb_history *h, int64_t client, const char *method, const plumb_value *arg,
                                  size_t args);
PLUMB_API bool plumb_history_return(plumb_history *h, int64_t client, plumb_value result);
PLUMB_API bool plumb_history_fail(plumb_history *h, int64_t client); /* the open call certainly had no effect */
PLUMB_API bool plumb_history_info(plumb_history *h, int64_t client); /* it may have one, now or later: pending */
/* Or whole operations with time stamps; `ret` INT64_MAX: pending. One history uses one of the two ways. */
PLUMB_API bool plumb_history_operation(plumb_history *h, int64_t client, const char *method, const plumb_value *arg,
                                       size_t args, int64_t call, int64_t ret, plumb_value result);

/* one line; NULL: all is well. The first error stays. */
PLUMB_API const char *plumb_history_error(const plumb_history *h);
PLUMB_API void plumb_history_free(plumb_history *h);

/* ---- checking ---- */

typedef struct plumb_check_options {
    size_t struct_size; /* sizeof(plumb_check_options): set it, zero the rest */
    const char *init;   /* initial value of a register; NULL: none */
    const char *engine; /* exactly this engine; NULL: the cheapest that accepts the history */
    double seconds;     /* budget; 0: none. Then PLUMB_UNDECIDED. */
    size_t memory;      /* bytes that engines may use; 0: no limit. Then PLUMB_UNDECIDED. */
    unsigned threads;   /* 0: one */
    unsigned columns;   /* of the diagram in the explanation; 0: 80 */
    /* "quasi(2)", ...: see plumb-check(1); NULL: linearizable. PLUMB_LINEARIZABLE then means that it holds. */
    const char *criterion;
} plumb_check_options;

/* `object`: a name that `plumb objects` lists, or a plug-in's path; NULL: what the file or its methods say.
 * The history is complete from now on. It may be checked again, with the same object. A history without operations is
 * PLUMB_UNDECIDED: nothing was judged. Never NULL. */
PLUMB_API plumb_result *plumb_check(plumb_history *h, const char *object, const plumb_check_options *options);

PLUMB_API plumb_verdict plumb_result_verdict(const plumb_result *r);
PLUMB_API const char *plumb_result_reason(const plumb_result *r); /* undecided or error: why; "" otherwise */
/* violation: diagram and sentences; "" otherwise */
PLUMB_API const char *plumb_result_explanation(const plumb_result *r);
PLUMB_API const char *plumb_result_object(const plumb_result *r); /* "" when there is none */
PLUMB_API const char *plumb_result_engine(const plumb_result *r); /* that decided; "" when none did */
PLUMB_API const char *plumb_result_json(const plumb_result *r);   /* what `plumb check --json` prints, one line */
/* Operation numbers: from 0 on, in the order of the calls. NULL and 0 when there is no core or witness. */
PLUMB_API const uint32_t *plumb_result_core(const plumb_result *r, size_t *n);
PLUMB_API const uint32_t *plumb_result_witness(const plumb_result *r, size_t *n); /* in the order of taking effect */
PLUMB_API void plumb_result_free(plumb_result *r);

#ifdef __cplusplus
}
#endif
#endif
