/* What the runtime asks of the system, for explorations of it: memory from the heap, which every execution finds as the
 * first one did, and a membarrier with nothing to do, as memory is sequentially consistent here. Linked with --wrap of
 * each. */
#include <plumbline/test.h>

#include <limits.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>

void *__wrap_mmap(void *at, size_t size, int access, int kind, int file, off_t offset);
int __wrap_munmap(void *at, size_t size);
long __wrap_syscall(long number, ...);

void *__wrap_mmap(void *at, size_t size, int access, int kind, int file, off_t offset) {
    (void)at, (void)access, (void)kind, (void)file, (void)offset;
    void *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    return memory ? memset(memory, 0, size) : (void *)-1;
}

int __wrap_munmap(void *at, size_t size) {
    (void)size;
    free(at);
    return 0;
}

long __wrap_syscall(long number, ...) { /* of membarrier: the question what there is, or a barrier */
    va_list arguments;
    va_start(arguments, number);
    int command = va_arg(arguments, int);
    va_end(arguments);
    plumb_assert(number == SYS_membarrier);
    return command == MEMBARRIER_CMD_QUERY ? INT_MAX : 0;
}

/* Threads that come, with the one that begins: room for their logs, and no more, as every execution finds it
 * cleared. */
#ifdef WRONG
enum { COMERS = 3, LOG_BYTES = 1 << 17 };
#else
enum { COMERS = 2, LOG_BYTES = 1 << 16 };
#endif

/* A queue of at most four bytes in one word, the oldest lowest. WRONG: a dequeue takes out in two steps. FORGETFUL: it
 * finds nothing. */
static _Atomic unsigned inside;

static void object_enq(unsigned v) {
    unsigned old = inside, shift;
    do {
        for (shift = 0; old >> shift & 255; shift += 8) {}
    } while (!atomic_compare_exchange_strong(&inside, &old, old | v << shift));
}

static unsigned object_deq(void) { /* 0: empty */
    unsigned old = inside;
#if defined FORGETFUL
    old = 0;
#elif defined WRONG
    if (old) inside = old >> 8;
#else
    while (old && !atomic_compare_exchange_strong(&inside, &old, old >> 8)) {}
#endif
    return old & 255;
}
