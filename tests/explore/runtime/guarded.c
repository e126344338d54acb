/* The guard, explored: threads come, call a queue and are answered. Of a right queue every answer is verified. Of a
 * WRONG one no two verified answers are the same value, which was put in once. TRUSTING: the guard's answer is not
 * heeded; then they are. */
#include "system.h"

#include <plumbline/guard.h>

static plumb_guard *guard;
static int enq_number, deq_number;
static _Thread_local plumb_member *mine;
static _Atomic unsigned handed_out[256]; /* by value: verified dequeues */

PLUMB_SETUP {
    plumb_guard_options o = {
        .struct_size = sizeof o, .object = "queue", .threads = COMERS, .bytes = LOG_BYTES, .clock = CLOCK};
    guard = plumb_guard_open(&o);
    plumb_assert(!plumb_guard_error(guard));
    enq_number = plumb_guard_method(guard, "enq");
    deq_number = plumb_guard_method(guard, "deq");
}

static plumb_member *me(void) {
    if (!mine) mine = plumb_guard_join(guard);
    return mine;
}

static bool may_pass(plumb_answer a) {
#ifdef WRONG
    plumb_assert(a != PLUMB_UNVERIFIED);
#else
    plumb_assert(a == PLUMB_VERIFIED);
#endif
#ifdef TRUSTING
    return true;
#else
    return a == PLUMB_VERIFIED;
#endif
}

PLUMB_OP(enq, v) {
    plumb_guard_call_word(me(), enq_number, 1, PLUMB_WORD_INT(v));
    object_enq((unsigned)v);
    may_pass(plumb_guard_ret_word(me(), PLUMB_WORD_NONE));
    return plumb_none();
}

PLUMB_OP(deq) {
    plumb_guard_call_word(me(), deq_number, 0, PLUMB_WORD_NONE);
    unsigned v = object_deq();
    if (may_pass(plumb_guard_ret_word(me(), v ? PLUMB_WORD_INT(v) : PLUMB_WORD_EMPTY)) && v) handed_out[v]++;
    return v ? plumb_int(v) : plumb_empty();
}

PLUMB_FINAL {
    for (unsigned v = 1; v < 4; v++) plumb_assert(handed_out[v] <= 1);
}
