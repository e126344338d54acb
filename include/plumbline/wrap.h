/* Recording an object that is there already, in one line for each method (plumbline/wrap.hpp does it for C++17;
 * plumbline/wrap_guard.h guards). libplumbline-record is enough for it; what verify.h declares needs libplumbline.
 *
 *     void my_enq(queue *q, plumb_log *log, int64_t v) {
 *         PLUMB_RECORDED(log, ENQ, 1, PLUMB_WORD_INT(v), enqueue(q, v), PLUMB_WORD_NONE);
 *     }
 *
 * `action` is what is done to the object, an expression; `result` is looked at after it. Values are words:
 * PLUMB_WORD_INT(i), PLUMB_WORD_NONE, PLUMB_WORD_EMPTY, PLUMB_WORD_TRUE, PLUMB_WORD_FALSE. */
#ifndef PLUMBLINE_WRAP_H
#define PLUMBLINE_WRAP_H

#include <plumbline/verify.h>

#define PLUMB_RECORDED(log, which, args, arg, action, result) \
    ((void)plumb_call_tagged((log), (which), (args), (arg)), (void)(action), plumb_ret_word((log), (result)))

#endif
