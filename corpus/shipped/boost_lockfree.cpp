/* Boost.Lockfree, as libboost-dev ships it. The objects are made by constructors of the program, before any
 * execution.
 *
 * Without a flag: the queue. STACK: the stack. Both are right in every interleaving; under C11 they race: who takes a
 * node from the free list reads its link, by a volatile access, while another thread that has taken it fills it in by
 * plain ones. The swap that follows finds it out, but C and C++ give such a program no meaning.
 * SPSC: the ring for one producer and one consumer, right in every interleaving; under C11 the producer may find it
 * full and the consumer, which has taken one of two values, find it empty, since neither sees the other's index yet.
 * BUG_CONTRACT: that ring, used by several producers. */
#include <plumbline/test.h>

#if defined SPSC || defined BUG_CONTRACT
#include <boost/lockfree/spsc_queue.hpp>
static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> it;
PLUMB_OBJECT("queue(capacity=2)")
#elif defined STACK
#include <boost/lockfree/stack.hpp>
static boost::lockfree::stack<int> it(4);
PLUMB_OBJECT("stack")
#else
#include <boost/lockfree/queue.hpp>
static boost::lockfree::queue<int> it(4);
PLUMB_OBJECT("queue")
#endif
#ifdef STACK
#define PUT push
#define TAKE pop
#else
#define PUT enq
#define TAKE deq
#endif
#ifdef SPSC
PLUMB_ONE_THREAD(enq)
PLUMB_ONE_THREAD(deq)
#endif

PLUMB_OP(PUT, v) { return it.push((int)v) ? plumb_none() : plumb_full(); }
PLUMB_OP(TAKE) {
    int v;
    return it.pop(v) ? plumb_int(v) : plumb_empty();
}
