/* A reader-writer lock with a flag for each reader: a reader flags itself and looks for the writer, the writer flags
 * itself and looks for readers.
 *
 * BUG_READER: nothing orders the reader's flag before its look. BUG_WRITER: nor the writer's. BUG_UNFLAG: a reader
 * takes its flag back with a relaxed store. BUG_UNLOCK: the writer does. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BUG_UNFLAG
#define UNFLAGS memory_order_relaxed
#else
#define UNFLAGS memory_order_release
#endif
#ifdef BUG_UNLOCK
#define UNLOCKS memory_order_relaxed
#else
#define UNLOCKS memory_order_release
#endif

static atomic_int reading[2], writing;
static int data[2];

static void *reads(void *p) {
    const int me = p != NULL;
    for (;;) {
        atomic_store_explicit(&reading[me], 1, memory_order_relaxed);
#ifndef BUG_READER
        atomic_thread_fence(memory_order_seq_cst);
#endif
        if (!atomic_load_explicit(&writing, memory_order_acquire)) break;
        atomic_store_explicit(&reading[me], 0, memory_order_relaxed);
        while (atomic_load_explicit(&writing, memory_order_relaxed)) continue;
    }
    assert(data[0] == data[1]);
    atomic_store_explicit(&reading[me], 0, UNFLAGS);
    return p;
}

static void *writes(void *p) {
    atomic_store_explicit(&writing, 1, memory_order_relaxed);
#ifndef BUG_WRITER
    atomic_thread_fence(memory_order_seq_cst);
#endif
    for (int i = 0; i < 2; i++)
        while (atomic_load_explicit(&reading[i], memory_order_acquire)) continue;
    data[0]++;
    data[1]++;
    atomic_store_explicit(&writing, 0, UNLOCKS);
    return p;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, reads, NULL);
    pthread_create(&t[1], NULL, writes, NULL);
    pthread_create(&t[2], NULL, reads, &data);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
