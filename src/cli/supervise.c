#include "cli/supervise.h"

#include "cli/standard_output.h"

#include "base/mem.h"
#include "cli/progress.h"
#include "cli/throttle.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- signals: noted by the handler, which wakes the supervisor; a second Ctrl-C leaves at once ---- */

static volatile sig_atomic_t end_signal;
static volatile sig_atomic_t status_wanted;
static int wake_fd = -1;

static void wake(void) {
    uint64_t one = 1;
    ssize_t ignored = write(wake_fd, &one, sizeof one);
    (void)ignored;
}

static void on_signal(int number) {
    int saved = errno;
    if (number == SIGUSR1) {
        status_wanted = 1;
    } else {
        if (end_signal) _exit(128 + number);
        end_signal = number;
    }
    wake();
    errno = saved;
}

void supervise_signals(void) {
    wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct sigaction act = {.sa_handler = on_signal};
    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGUSR1, &act, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool supervise_interrupted(void) { return end_signal != 0; }

void emit(int fd, const char *p, size_t n) {
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done > 0) {
            p += done;
            n -= (size_t)done;
            continue;
        }
        if (done < 0 && errno != EINTR && errno != EAGAIN) {
            if (fd == STDOUT_FILENO) standard_output_failed(errno);
            return;
        }
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        if (end_signal && poll(&ready, 1, 500) <= 0) _exit(128 + end_signal);
    }
}

/* ---- workers ---- */

typedef struct supervised_crew { /* on the heap: threads left behind may outlive the supervision */
    const supervision *s;
    job *jobs;
    const job_settings *settings;
    uint32_t n;
    _Atomic uint32_t next;
    pthread_t *thread;
    unsigned threads;
    size_t memory_used;           /* when last looked at */
    uint32_t printed, understood; /* jobs before these have been handed out */
    bool left_behind;
    progress progress;
} supervised_crew;

static bool begin(job *j, const job_settings *s) {
    assert(!j->report);
    j->started = clock_seconds();
    budget_init(&j->budget, s->timeout, s->memory);
    int waiting = JOB_WAITING;
    return atomic_compare_exchange_strong(&j->phase, &waiting, JOB_RUNNING);
}

/* The report is in place before the phase says so. */
static bool work(job *j, const job_settings *s) {
    report *r = job_work(j, s);
    int running = JOB_RUNNING;
    assert(r && !j->report);
    j->report = r;
    if (atomic_compare_exchange_strong(&j->phase, &running, JOB_DONE)) return true;
    report_free(r);
    return false;
}

static void *worker(void *context) {
    supervised_crew *c = context;
    throttle_join();
    for (uint32_t i; (i = atomic_fetch_add(&c->next, 1)) < c->n;) {
        if (!begin(&c->jobs[i], c->settings)) continue;
        if (!work(&c->jobs[i], c->settings)) break; /* left behind: another worker has taken this one's place */
        wake();
    }
    return NULL;
}

static void hire(supervised_crew *c) {
    sigset_t all, before;
    sigfillset(&all);
    c->thread = MEM_GROW(c->thread, pthread_t, c->threads + 1);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the supervisor's */
    int failed = pthread_create(&c->thread[c->threads], NULL, worker, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) c->threads++;
    else if (!c->threads) {
        fprintf(stderr, "plumb: cannot start a thread: %s\n", strerror(failed));
        exit(EXIT_INTERNAL);
    }
}

/* ---- budgets ---- */

static double grace(const supervised_crew *c, stop_reason why) {
    if (why != STOP_TIME) return 0.3;
    double share = c->settings->timeout * 0.07;
    return share < 0.01 ? 0.01 : share > 1 ? 1 : share;
}

static void tell_to_stop(job *j, stop_reason why) {
    if (j->told_to_stop > 0) return;
    assert(why != STOP_NONE);
    j->told_to_stop = clock_seconds();
    budget_stop(&j->budget, why);
    atomic_store(&j->stop_reading, 1);
}

static void leave_behind(supervised_crew *c, job *j, int phase, stop_reason why) {
    assert(phase == JOB_WAITING || phase == JOB_RUNNING);
    report *r = job_report_for(j, phase == JOB_RUNNING, why);
    if (!atomic_compare_exchange_strong(&j->phase, &phase, JOB_LEFT_BEHIND)) {
        report_free(r); /* it has just come to its end by itself */
        return;
    }
    assert(r && !j->stand_in);
    j->stand_in = r;
    if (phase == JOB_WAITING) return;
    c->left_behind = true;
    if (!end_signal && atomic_load(&c->next) < c->n) hire(c);
}

/* The job that has charged most is told to stop first; when even that does not help, all running ones are left behind.
 * Both somewhat before the limit, for workers go on until they are told. */
static void watch_memory(supervised_crew *c) {
    c->memory_used = resident_memory();
    memory_state how = memory_state_of(c->memory_used, c->settings->memory);
    if (how == MEMORY_PLENTY) return;
    job *biggest = NULL;
    bool stopping = false, too_late = how == MEMORY_SPENT;
    for (uint32_t i = c->printed; i < c->n; i++) {
        job *j = &c->jobs[i];
        if (atomic_load(&j->phase) != JOB_RUNNING) continue;
        if (too_late) tell_to_stop(j, STOP_MEMORY);
        if (too_late) leave_behind(c, j, JOB_RUNNING, STOP_MEMORY);
        else if (j->told_to_stop > 0) stopping = true;
        else if (!biggest || atomic_load(&j->budget.used) > atomic_load(&biggest->budget.used)) biggest = j;
    }
    if (biggest && !stopping) tell_to_stop(biggest, STOP_MEMORY);
}

static void watch_job(supervised_crew *c, job *j, double now) {
    int phase = atomic_load(&j->phase);
    if (phase == JOB_WAITING && end_signal) leave_behind(c, j, JOB_WAITING, STOP_INTERRUPTED);
    if (phase != JOB_RUNNING) return;
    if (end_signal) tell_to_stop(j, STOP_INTERRUPTED);
    if (c->settings->timeout > 0 && now >= j->started + c->settings->timeout) tell_to_stop(j, STOP_TIME);
    if (j->told_to_stop > 0) {
        stop_reason why = budget_why(&j->budget);
        if (now >= j->told_to_stop + grace(c, why)) leave_behind(c, j, JOB_RUNNING, why);
    }
}

static void watch(supervised_crew *c) {
    double now = clock_seconds();
    assert(c->printed <= c->n && c->understood <= c->n && (c->threads || !c->n));
    for (uint32_t i = c->printed; i < c->n; i++) watch_job(c, &c->jobs[i], now);
    if (c->settings->memory) watch_memory(c);
}

/* ---- handing out ---- */

static void hand_out_understood(supervised_crew *c) {
    for (; c->understood < c->n; c->understood++) {
        job *j = &c->jobs[c->understood];
        char *line = atomic_exchange(&j->understood, NULL);
        if (line) {
            progress_clear(&c->progress);
            emit(STDERR_FILENO, line, strlen(line));
            free(line);
        } else if (atomic_load(&j->phase) <= JOB_RUNNING) {
            return;
        }
        if (atomic_load(&j->phase) <= JOB_RUNNING) return;
    }
}

static void hand_out(supervised_crew *c) {
    for (; c->printed < c->n; c->printed++) {
        job *j = &c->jobs[c->printed];
        if (atomic_load(&j->phase) <= JOB_RUNNING) return;
        if (c->s->say_understood && c->understood <= c->printed) hand_out_understood(c);
        progress_clear(&c->progress);
        const report *r = job_report(j);
        assert(r);
        if (r->error.code == 0 && r->verdict == VERDICT_UNDECIDED && c->settings->memory) mem_give_back();
        c->s->finished(c->s->context, c->printed, r);
    }
}

/* Memory is touched at 4 GB/s at most, or so: to look again when half of what is left may be gone is early enough. */
static int patience(const supervised_crew *c) {
    if (end_signal) return 5;
    int rest = c->settings->timeout > 0 || c->s->progress ? 15 : 60;
    if (!c->settings->memory) return rest;
    size_t left = c->settings->memory > c->memory_used ? c->settings->memory - c->memory_used : 0;
    size_t milliseconds = 1 + left / 8000000;
    return milliseconds < (size_t)rest ? (int)milliseconds : rest;
}

static void sleep_until_woken(const supervised_crew *c) {
    struct pollfd woken = {.fd = wake_fd, .events = POLLIN};
    uint64_t count;
    if (poll(&woken, 1, patience(c)) > 0 && read(wake_fd, &count, sizeof count) < 0) return;
}

static void show_progress(supervised_crew *c) {
    if (status_wanted) {
        status_wanted = 0;
        progress_clear(&c->progress);
        progress_status(c->jobs, c->n);
    }
    if (c->s->progress) progress_show(&c->progress, c->jobs, c->n);
}

static supervised finish(supervised_crew *c) {
    assert(c->printed == c->n);
    supervised result = {.signal = end_signal, .left_behind = c->left_behind};
    progress_clear(&c->progress);
    if (c->left_behind) return result;
    for (unsigned t = 0; t < c->threads; t++) pthread_join(c->thread[t], NULL);
    free(c->thread);
    free(c);
    return result;
}

supervised supervise(const supervision *s) {
    supervised_crew *c = MEM_NEW(supervised_crew);
    assert(wake_fd >= 0 && (s->workers || !s->n) && s->finished);
    *c = (supervised_crew){.s = s, .jobs = s->jobs, .settings = s->settings, .n = s->n};
    throttle_set_up(s->settings->memory, wake);
    for (unsigned w = 0; w < s->workers && w < s->n; w++) hire(c);
    for (;;) {
        watch(c);
        if (s->say_understood) hand_out_understood(c);
        hand_out(c);
        if (c->printed == c->n) return finish(c);
        show_progress(c);
        sleep_until_woken(c);
    }
}
