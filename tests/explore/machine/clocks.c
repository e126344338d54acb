/* Programs that look at clocks, chosen by CASE: which of them are wrong is said in tests/explore/test_faults.sh. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#ifndef LIMIT
#define LIMIT 1000000L
#endif
#ifdef CYCLES
static long now(void) {
    unsigned processor;
    return (long)(CYCLES == 1 ? __rdtsc() : __rdtscp(&processor));
}
#else
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
#endif

static long stamp[2][3], last;
static atomic_long published;
static atomic_int seen[2], flag;
static int gave_up;

static void *stamps(void *n) {
    long me = (long)n;
    for (int i = 0; i < 3; i++) {
        atomic_store(&seen[me], i);
        stamp[me][i] = now();
    }
    return NULL;
}
static void *stamp_once(void *n) {
    long me = (long)n;
    atomic_store(&seen[me], 1);
    stamp[me][0] = now();
    return NULL;
}
static void *publish(void *n) {
    (void)n;
    atomic_store(&published, now());
    return NULL;
}
static void *compare(void *n) {
    (void)n;
    long t = atomic_load(&published);
    if (t) assert(now() >= t);
    return NULL;
}
static void *poll(void *n) {
    (void)n;
    long t = now();
    while (!atomic_load(&flag))
        if (now() - t >= LIMIT) {
            gave_up = 1;
            break;
        }
    return NULL;
}
static void *poll_for_ever(void *n) {
    (void)n;
    long t = 0;
    while (!atomic_load(&flag)) t = now();
    last = t;
    return NULL;
}
static void *set(void *n) {
    (void)n;
    atomic_store(&flag, 1);
    return NULL;
}
static void *nothing(void *n) { return n; }
static void *sleeps(void *n) {
    (void)n;
    long t = now();
    usleep(100);
    assert(now() - t >= 100000);
    return NULL;
}
/* A loop that counts its looks, and a stamp behind it. */
static void *looks_and_stamps(void *n) {
    long me = (long)n;
    int found = 0;
    for (int i = 0; i < 3 && !found; i++) found = atomic_load(&flag);
    stamp[me][0] = now();
    stamp[me][1] = found;
    return NULL;
}
static void *sets_and_stamps(void *n) {
    long me = (long)n;
    atomic_store(&flag, 1);
    stamp[me][0] = now();
    return NULL;
}
static void *hurries(void *n) {
    (void)n;
    long t = now();
    if (now() - t > LIMIT) gave_up = 1;
    return NULL;
}

static void both(void *(*f)(void *), void *(*g)(void *)) {
    pthread_t a, b;
    pthread_create(&a, NULL, f, (void *)0);
    pthread_create(&b, NULL, g, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

int main(void) {
    long first = 0, second = 0;
    if (CASE <= 4) {
        both(stamp_once, stamp_once);
        first = stamp[0][0];
        second = stamp[1][0];
    }
    if (CASE == 1) assert(first <= second);
    if (CASE == 2) assert(first >= second);
    if (CASE == 3) assert(first != second);
    if (CASE == 4) assert(first && second);
    if (CASE == 5) {
        both(stamps, stamps);
        for (int i = 0; i < 3; i++)
            if (stamp[0][i] >= stamp[1][i] || (i && stamp[1][i - 1] >= stamp[0][i])) return 0;
        assert(!"they alternate");
    }
    if (CASE == 6) both(publish, compare);
    if (CASE == 7) both(poll, nothing);
    if (CASE == 8) {
        both(poll, set);
        assert(!gave_up);
    }
    if (CASE == 9) {
        both(poll, set);
        assert(gave_up);
    }
    if (CASE == 10) both(poll_for_ever, nothing);
    if (CASE == 11) both(poll_for_ever, set);
    if (CASE == 12) both(sleeps, sleeps);
    if (CASE == 13) {
        both(hurries, nothing);
        assert(!gave_up);
    }
    if (CASE == 14) both(poll, poll);
    if (CASE == 15) {
        both(looks_and_stamps, sets_and_stamps);
        assert(stamp[0][1] || stamp[0][0] <= stamp[1][0]);
    }
    return 0;
}
