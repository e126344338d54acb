#include "cli/throttle.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

static size_t memory_limit;
static int statm = -1;
static void (*wake_supervisor)(void);

memory_state memory_state_of(size_t used, size_t limit) {
    assert(limit);
    if (used > limit - limit / 25) return MEMORY_SPENT;
    return used < limit - limit / 12 ? MEMORY_PLENTY : MEMORY_SHORT;
}

/* The second number of /proc/self/statm, in pages. */
size_t resident_memory(void) {
    char line[128];
    ssize_t n = statm >= 0 ? pread(statm, line, sizeof line, 0) : 0;
    size_t pages = 0;
    ssize_t i = 0;
    while (i < n && line[i] != ' ') i++;
    for (i++; i < n && line[i] >= '0' && line[i] <= '9'; i++) pages = pages * 10 + (size_t)(line[i] - '0');
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void rest(memory_state how) {
    static const struct timespec moment = {.tv_nsec = 20000000}, longer = {.tv_nsec = 200000000};
    assert(wake_supervisor && how != MEMORY_PLENTY);
    wake_supervisor();
    nanosleep(how == MEMORY_SPENT ? &longer : &moment, NULL);
}

static void on_tick(int number) {
    (void)number;
    int saved = errno;
    memory_state how = memory_state_of(resident_memory(), memory_limit);
    if (how != MEMORY_PLENTY) rest(how);
    errno = saved;
}

static void listen(int how) {
    sigset_t tick;
    sigemptyset(&tick);
    sigaddset(&tick, SIGVTALRM);
    pthread_sigmask(how, &tick, NULL);
}

/* The signal goes to any thread that listens and does not rest. */
void throttle_set_up(size_t limit, void (*wake)(void)) {
    if (!limit || memory_limit) return;
    assert(wake);
    memory_limit = limit;
    wake_supervisor = wake;
    statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    listen(SIG_BLOCK);
    struct sigaction act = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigemptyset(&act.sa_mask);
    sigaction(SIGVTALRM, &act, NULL);
    timer_t timer;
    struct sigevent tick = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
    struct itimerspec often = {.it_value.tv_nsec = 2000000, .it_interval.tv_nsec = 2000000};
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &tick, &timer) == 0) timer_settime(timer, 0, &often, NULL);
}

void throttle_join(void) {
    if (memory_limit) listen(SIG_UNBLOCK);
}
