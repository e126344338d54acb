/* A guard around a concurrent object: every answer that a thread hands on was verified, or comes with a warning.
 *
 *     plumb_guard_options o = {.struct_size = sizeof o, .object = "queue"};
 *     plumb_guard *g = plumb_guard_open(&o);
 *     int deq = plumb_guard_method(g, "deq");
 *     plumb_member *me = plumb_guard_join(g);                    // in each thread
 *     plumb_guard_call(me, deq, NULL, 0);
 *     int64_t v = my_dequeue(q);
 *     switch (plumb_guard_ret(me, plumb_int(v))) {
 *     case PLUMB_VERIFIED: return v;             // everything answered so far, this included, is linearizable
 *     case PLUMB_REFUSED:                        // it is not: a certificate says why
 *         puts(plumb_guard_reason(me));
 *         plumb_guard_witness(me, "refused.certificate");
 *         break;
 *     case PLUMB_UNVERIFIED: break;              // not known (below)
 *     }
 *
 * This is the self-enforced object of Castaneda and Rodriguez (Theorem 8.2): each thread announces its call, calls the
 * object, publishes the result, and judges by itself everything that has been published, in a state of its own.
 * Wait-free when the object is: no thread waits for another one, dead threads included (but one that was left behind
 * and knows nothing waits up to 5 seconds for the last one that does); the cost does not grow with the history. If the
 * object is right, no answer is ever refused. Once a thread is refused it always is.
 *
 * PLUMB_UNVERIFIED: this thread was away for so long that the others had to go on without it (it gets what they know
 * from one of them), or the engine gave up. An unverified answer counts as pending for all other threads. */
#ifndef PLUMBLINE_GUARD_H
#define PLUMBLINE_GUARD_H

#include <plumbline/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plumb_guard plumb_guard;
typedef struct plumb_member plumb_member; /* one thread's: used by that thread only */

typedef enum plumb_answer { PLUMB_VERIFIED = 0, PLUMB_REFUSED = 1, PLUMB_UNVERIFIED = 2 } plumb_answer;

typedef struct plumb_guard_options {
    size_t struct_size; /* sizeof(plumb_guard_options): set it, zero the rest */
    const char *object; /* a name that `plumb objects` lists, or the path of a plug-in or a theory file */
    const char *init;   /* initial value of a register; NULL: none */
    unsigned clock;     /* enum plumb_clock */
    unsigned threads;   /* at once, at most; 0: 16 */
    /* room for records; 0: 4 MiB for each thread. A thread that is behind by more is left behind. */
    size_t bytes;
    uint64_t max_lag; /* an operation open for more events than this is pending for ever; 0: 2^20 */
    bool no_fence;    /* as in plumb_record_options */
    /* NULL: the object's own. "quasi(2)", "quasi(enq=0,deq=2)", "out-of-order(2,3)", "stale(1)", "regular", "safe",
     * "set-linearizable", "interval-linearizable" (docs/CRITERIA.md); others are refused by name. */
    const char *criterion;
} plumb_guard_options;

PLUMB_API plumb_guard *plumb_guard_open(const plumb_guard_options *options); /* never NULL */
PLUMB_API const char *plumb_guard_error(const plumb_guard *g);            /* NULL: all is well; as plumb_record_error */
PLUMB_API int plumb_guard_method(const plumb_guard *g, const char *name); /* -1: the object has no such method */
PLUMB_API void plumb_guard_close(plumb_guard *g);                         /* when all threads have left */

/* NULL: too many threads. All calls below take it: nothing is recorded, and every answer is PLUMB_UNVERIFIED. From then
 * on, no answer of the others is refused: such a thread may have used the object. May wait for others that join or
 * leave. */
PLUMB_API plumb_member *plumb_guard_join(plumb_guard *g);
PLUMB_API void plumb_guard_leave(plumb_member *me);
/* The calling thread's membership: joins at the first call, leaves when the thread ends, however it ends: its place is
 * free again. NULL: too many threads. */
PLUMB_API plumb_member *plumb_guard_here(plumb_guard *g);

PLUMB_API void plumb_guard_call(plumb_member *me, int which, const plumb_value *arg, size_t args);
PLUMB_API plumb_answer plumb_guard_ret(plumb_member *me, plumb_value result);
PLUMB_API plumb_answer plumb_guard_fail(plumb_member *me);    /* the call certainly had no effect */
PLUMB_API plumb_answer plumb_guard_unknown(plumb_member *me); /* it may have one, now or later: pending */
/* The same for values that are words. */
PLUMB_API void plumb_guard_call_word(plumb_member *me, int which, unsigned args, plumb_word arg);
PLUMB_API plumb_answer plumb_guard_ret_word(plumb_member *me, plumb_word result);

/* of the last answer that was not PLUMB_VERIFIED */
PLUMB_API const char *plumb_guard_reason(const plumb_member *me);
/* refused: a certificate of the violation */
PLUMB_API bool plumb_guard_witness(plumb_member *me, const char *path);

/* A certificate of everything published so far: the operations and the order in which they took effect. `plumb certify`
 * checks it without anything of this. Only while the logs are whole: false when chunks have been used again, or on any
 * other failure (plumb_guard_reason). Takes its time: not wait-free. */
PLUMB_API bool plumb_guard_certificate(plumb_member *me, const char *path);
/* Of all calls of this thread that have returned, with what they returned, and of those that had its place before it:
 * `plumb certify` shows the same for client plumb_guard_number(me), if the certificate is about what this thread was
 * answered. */
PLUMB_API uint64_t plumb_guard_digest(const plumb_member *me);
PLUMB_API unsigned plumb_guard_number(const plumb_member *me);

typedef struct plumb_guard_status {
    size_t struct_size;
    uint64_t verified, refused, unverified; /* answers of this thread */
    uint64_t expelled;                      /* how often it was left behind */
    uint64_t excused;                       /* operations of others that it takes for pending for ever */
    size_t memory;                          /* bytes of what it knows */
} plumb_guard_status;
PLUMB_API void plumb_guard_look(const plumb_member *me, plumb_guard_status *out);

#ifdef __cplusplus
}
#endif
#endif
