/* What orders plain accesses of two threads, and what does not.
 *
 * put, get     a release and an acquire order `acquired`, a fence, a relaxed store and an acquire `behind`; nothing
 * orders `relaxed`: a data race put, look    a release, a relaxed load and a fence order `fenced`; for `unfenced` the
 * fence comes too late: a data race count, meet  who comes in the middle of counting reads what is written behind it: a
 * data race in few orders of many, of threads that
 *              are in the middle of an operation. In others the counting thread sees that it has met one, which orders
 * them */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { COUNTED = 100 };
static struct { _Alignas(64) long value; } relaxed, acquired, behind, fenced, unfenced;
static struct { _Alignas(64) int early, late; } counted;
static _Alignas(64) atomic_long noise, ready, fence_passed, counter, met;

PLUMB_OP(put) {
    atomic_load(&noise);
    relaxed.value = 1;
    acquired.value = 1;
    fenced.value = 1;
    unfenced.value = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    behind.value = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&fence_passed, 1, memory_order_relaxed);
    return plumb_none();
}

PLUMB_OP(get) {
    atomic_fetch_add(&noise, 1);
    long seen = relaxed.value;
    if (atomic_load_explicit(&ready, memory_order_acquire)) seen += acquired.value;
    if (atomic_load_explicit(&fence_passed, memory_order_acquire)) seen += behind.value;
    return plumb_int(seen);
}

PLUMB_OP(look) {
    atomic_fetch_add(&noise, 1);
    long seen = 0, is_ready = atomic_load_explicit(&ready, memory_order_relaxed);
    if (is_ready) seen += unfenced.value;
    atomic_thread_fence(memory_order_acquire);
    if (is_ready) seen += fenced.value;
    return plumb_int(seen);
}

PLUMB_OP(count) {
    counted.early = 1;
    for (long i = 1; i <= COUNTED; i++) atomic_store_explicit(&counter, i, memory_order_relaxed);
    atomic_load(&met);
    counted.late = 1;
    return plumb_none();
}

PLUMB_OP(meet) {
    long seen = atomic_load(&counter) == COUNTED / 2 ? counted.late : -1;
    atomic_store(&met, 1);
    return plumb_int(seen);
}
