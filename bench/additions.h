/* Additions, each of which needs the one before: one for each cycle of a processor of one's own, so they tell what a
 * second of this one is worth. */
#ifndef PLUMB_BENCH_ADDITIONS_H
#define PLUMB_BENCH_ADDITIONS_H

#include <stdint.h>
#include <time.h>

static inline void additions(uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) __asm__ volatile("addq $1, %0" : "+r"(sum));
}

/* By the CPU time of this thread: others who use the machine only slow it down. */
static inline double additions_per_second(uint32_t n) {
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    additions(n);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return n / ((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
}

#endif
