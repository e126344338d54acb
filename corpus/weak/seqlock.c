/* A sequence lock of two words with relaxed data, after Boehm: fences keep the data between the two looks at the number.
 *
 * BUG_READER: without the reader's fence the second look may come before the data. BUG_WRITER: without the writer's
 * fence the data may be seen before the number is odd. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint number;
static atomic_int data[2];

static void *writes(void *p) {
    atomic_store_explicit(&number, 1, memory_order_relaxed);
#ifndef BUG_WRITER
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&data[0], 1, memory_order_relaxed);
    atomic_store_explicit(&data[1], 1, memory_order_relaxed);
    atomic_store_explicit(&number, 2, memory_order_release);
    return p;
}

static void *reads(void *p) {
    const unsigned before = atomic_load_explicit(&number, memory_order_acquire);
    const int a = atomic_load_explicit(&data[0], memory_order_relaxed);
    const int b = atomic_load_explicit(&data[1], memory_order_relaxed);
#ifndef BUG_READER
    atomic_thread_fence(memory_order_acquire);
#endif
    const unsigned after = atomic_load_explicit(&number, memory_order_relaxed);
    if (before == after && before % 2 == 0) assert(a == b);
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, writes, NULL);
    pthread_create(&t[1], NULL, reads, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
