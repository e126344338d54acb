/* Guarding an object that is there already, in one line for each method (plumbline/wrap_guard.hpp does it for C++17;
 * plumbline/wrap.h records). Needs libplumbline.
 *
 *     plumb_answer my_enq(queue *q, plumb_member *me, int64_t v) {
 *         return PLUMB_GUARDED(me, ENQ, 1, PLUMB_WORD_INT(v), enqueue(q, v), PLUMB_WORD_NONE);
 *     }
 *
 * `action`, `result` and the values are those of PLUMB_RECORDED; the value of the expression is the guard's answer. */
#ifndef PLUMBLINE_WRAP_GUARD_H
#define PLUMBLINE_WRAP_GUARD_H

#include <plumbline/guard.h>
#include <plumbline/verify.h>
#include <plumbline/wrap.h>

#define PLUMB_GUARDED(member, which, args, arg, action, result) \
    ((void)plumb_guard_call_word((member), (which), (args), (arg)), (void)(action), \
     plumb_guard_ret_word((member), (result)))

#endif
