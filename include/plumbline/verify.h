/* A verifier: a thread beside those that are recorded (plumbline/record.h), which judges what they do while they do it.
 *
 *     plumb_verifier *v = plumb_verify_start(r, NULL);
 *     ...                                                   // the threads run; they never wait for it
 *     if (plumb_verify_stop(v) == PLUMB_VIOLATION) ...      // reads what is left, says what it knows
 *     puts(plumb_verify_reason(v));
 *     plumb_verify_free(v);
 *
 * Memory is bounded: an operation that stays open for long is excused (it may have taken effect or not), and with a
 * ring the threads go dark when the verifier cannot keep up. What happened in the dark was not judged, and is never
 * called linearizable: the verdict is then PLUMB_UNDECIDED, with the numbers. Afterwards judging begins again where
 * that is possible (containers, registers; docs/RUNTIME.md).
 *
 * A recorder may have several verifiers, threads and programs that are attached (of a ring at most four at once), each
 * with a place of its own. One that died, or is far behind while another one keeps up, holds no thread back; one that
 * follows another, or comes while a ring has gone round, begins as after the dark. */
#ifndef PLUMBLINE_VERIFY_H
#define PLUMBLINE_VERIFY_H

#include <plumbline/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plumb_verifier plumb_verifier;

typedef struct plumb_verify_status {
    size_t struct_size;
    plumb_verdict verdict; /* so far */
    uint64_t checked;      /* operations that were judged */
    uint64_t dark;         /* not recorded: not judged */
    uint64_t skipped;      /* recorded in a dark period: not judged */
    uint64_t grey;         /* after a dark period, of unknown values: not judged */
    uint64_t excused;      /* open for too long: pending for ever */
    uint64_t dark_periods;
    uint64_t open; /* operations that are open now */
    uint64_t rounds;
    size_t memory;   /* bytes */
    uint64_t behind; /* records that wait to be read */
    uint64_t violations;
    uint64_t sample; /* one of so many keys or values is judged; 0: all */
} plumb_verify_status;

typedef struct plumb_verify_options {
    size_t struct_size;  /* sizeof(plumb_verify_options): set it, zero the rest */
    uint64_t max_lag;    /* an operation open for more events than this is excused; 0: 2^20 */
    const char *witness; /* on a violation, a certificate is written to this file; `plumb certify` checks it */
    /* on a violation, by the verifier's thread */
    void (*alarm)(void *context, const plumb_verify_status *status, const char *reason);
    void *context;
    unsigned pause; /* microseconds of sleep when there is little to do; 0: 50 */
    /* After a violation, judge what comes: as after a dark period, once the state is known again. `alarm` is called for
     * each, `witness` is of the first. */
    bool go_on;
    /* When it cannot keep up, judge fewer keys (kv, set; others are refused): half of those judged so far leave the
     * sample each time, for good, and threads that record into a ring leave them out. A verdict is then about those
     * that were left. */
    bool adapt;
} plumb_verify_options;

/* Never NULL: when it cannot be started, the verdict is PLUMB_ERROR. The recorder must outlive it. */
PLUMB_API plumb_verifier *plumb_verify_start(plumb_recorder *r, const plumb_verify_options *options);
PLUMB_API void plumb_verify_look(plumb_verifier *v, plumb_verify_status *out);
/* The same as text that Prometheus reads, with labels object and source. As snprintf: at most `room` bytes with the NUL
 * are written, and what is returned is how long the whole text is; 0: there is no memory for it. */
PLUMB_API size_t plumb_verify_metrics(plumb_verifier *v, const char *source, char *out, size_t room);
PLUMB_API int plumb_verify_fd(const plumb_verifier *v); /* becomes readable on a violation (an eventfd); -1: none */
PLUMB_API plumb_verdict plumb_verify_stop(plumb_verifier *v); /* judges all that has been recorded, ends the thread */
/* after stopping: of a violation, undecided or error; "" otherwise */
PLUMB_API const char *plumb_verify_reason(const plumb_verifier *v);
PLUMB_API void plumb_verify_free(plumb_verifier *v);

#ifdef __cplusplus
}
#endif
#endif
