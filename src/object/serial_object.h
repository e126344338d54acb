/* Serial runs of a test as an object: what its operations return when they happen one after the other (`plumb explore
 * --serial` collects them, explore/outside/serial_runs.h writes them). Who calls does not matter. The runs are a
 * deterministic acyclic automaton whose edges are operations with their results; the beginning of a run is a run, so
 * every state may be the last.
 *
 * A file has runs of several test programs, one behind the other:
 *
 *     plumb serial 1
 *     key SIZE HASH              of the compiled program that they are runs of
 *     program enq(1) | deq       as PLUMB_THREADS writes it; nothing: main
 *     methods enq/1 deq/0        all that are declared, with the number of their arguments
 *     runs 2                     how many there are
 *     calls 3                    then so many lines: method, arguments, =, result (history/value_code.h)
 *     enq 1 = n
 *     deq = i1
 *     deq = e
 *     states 4                   then a line for each: call>state ..., from the first one
 *     0>1 2>2
 *     1>3
 *     0>3
 *     (an empty line)
 *     end
 *     orders 3                   of operations, by whom they are called
 *     given-up 0                 orders that were given up because an operation waited for another thread
 */
#ifndef PLUMB_OBJECT_SERIAL_OBJECT_H
#define PLUMB_OBJECT_SERIAL_OBJECT_H

#include "object/object.h"

#define SERIAL_FIRST_LINE "plumb serial 1"

bool serial_named(const char *what); /* "queue.serial", "queue.serial:enq(1) | deq" */
/* The runs of that program; of the first in the file when none is named. */
object *serial_open(const char *what, error *e);

/* For those who look at the runs themselves: from state 0 on, the i-th operation that can come next, and the state
 * behind it. */
uint32_t serial_next(const object *o, uint32_t state, uint32_t i, operation *op); /* UINT32_MAX: there is none */

#endif
