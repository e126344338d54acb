/* The recorder and a verifier beside it, explored: `look` is one of the verifier's rounds. In the end its verdict must
 * be that of who saw everything: a value that was put in once and came out twice is a violation, and nothing else can
 * be wrong with this queue. FORGETFUL: a dequeue finds nothing, ever; that is a violation if the enqueue had returned
 * before the dequeue was called. */
#include "system.h"

#include "runtime/record/recorder.h"
#include "runtime/watch.h"

static plumb_recorder *recorder;
static watch verifier;
static int enq_number, deq_number;
static _Thread_local plumb_log *mine;
static _Atomic unsigned came_out[256];
static _Atomic bool is_in, was_in; /* the enqueue has returned; it had when the dequeue was called */

PLUMB_SETUP {
    plumb_record_options o = {
        .struct_size = sizeof o, .object = "queue", .threads = COMERS, .bytes = LOG_BYTES, .clock = CLOCK};
    recorder = plumb_record_open(&o);
    plumb_assert(!plumb_record_error(recorder));
    enq_number = plumb_record_method(recorder, "enq");
    deq_number = plumb_record_method(recorder, "deq");
    watch_init(&verifier, &recorder->shared, &(checker_options){.max_lag = 1000});
}

static plumb_log *log_here(void) {
    if (!mine) mine = plumb_record_join(recorder);
    return mine;
}

PLUMB_OP(enq, v) {
    plumb_call_int(log_here(), enq_number, v);
    object_enq((unsigned)v);
    plumb_ret_none(log_here());
    is_in = true;
    return plumb_none();
}

PLUMB_OP(deq) {
    plumb_log *log = log_here(); /* it may have come long before */
    was_in = is_in;
    plumb_call_none(log, deq_number);
    unsigned v = object_deq();
    if (v) plumb_ret_int(log, v), came_out[v]++;
    else plumb_ret_empty(log);
    return v ? plumb_int(v) : plumb_empty();
}

PLUMB_OP(look) {
    watch_round(&verifier);
    return plumb_none();
}

PLUMB_FINAL {
    bool twice = false;
    while (watch_round(&verifier)) {}
    for (unsigned v = 1; v < 4; v++) twice |= came_out[v] > 1;
    verdict found = watch_verdict(&verifier);
#ifdef FORGETFUL
    plumb_assert(found == VERDICT_VIOLATION || !was_in);
#else
    plumb_assert(found == (twice ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE));
#endif
}
