/* What orders plain accesses of two threads, and what does not.
 *
 * put, get     a release and an acquire order `acquired`; nothing orders `relaxed`: a data race
 * put, look    a release, a relaxed load and a fence order `fenced`; for `unfenced` the fence comes too late: a data race
 * count, meet  who comes in the middle of counting reads what is written behind it: a data race in one order of many, of threads
 *              that have touched other bytes beside it and are in the middle of an operation */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { COUNTED = 200 };
static struct { _Alignas(64) long value; } relaxed, acquired, fenced, unfenced;
static struct { _Alignas(64) int early, late; } counted;
static _Alignas(64) atomic_long noise, ready, counter;

PLUMB_OP(put) {
    atomic_load(&noise);
    relaxed.value = 1;
    acquired.value = 1;
    fenced.value = 1;
    unfenced.value = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return plumb_none();
}

PLUMB_OP(get) {
    atomic_fetch_add(&noise, 1);
    long seen = relaxed.value;
    if (atomic_load_explicit(&ready, memory_order_acquire)) seen += acquired.value;
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
    for (long i = 1; i <= COUNTED; i++) atomic_store(&counter, i);
    counted.late = 1;
    atomic_store(&ready, 1);
    return plumb_none();
}

PLUMB_OP(meet) {
    long at = atomic_load(&counter);
    return plumb_int(at == COUNTED / 2 || atomic_load(&ready) ? counted.late : -1);
}
