#include "explore/inside/failures.h"
#include "explore/inside/crew.h"

#include "explore/inside/limits.h"

#include "base/budget.h"
#include "base/mem.h"
#include "explore/inside/machine.h"
#include "explore/inside/orders.h"
#include "explore/inside/pure.h"
#include "explore/inside/shared.h"
#include "explore/model/schedule.h"
#include "explore/strategy/share.h"
#include "explore/model/run_request.h"
#include "explore/model/talk.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    JOBS_MAX = 64,
    CHOICES_MOST = 1 << 20,
    KNOWN_MOST = 1 << 20,
    NOTES_MOST = 1 << 16,
    RESTARTS_MOST = 16,
    LEARN_EXECUTIONS = 64
};
enum { TICK_LEAST = 100000, TICK_MOST = 20000000 }; /* nanoseconds */

/* What a worker leaves behind, in memory that its parent sees. Names in the result are constants of the program: the
 * same in both. */
typedef struct legacy {
    campaign_result r;
    bool good, done;
    uint64_t executions, steps, histories, violations; /* so far */
    double explored, estimate;
    uint32_t choices, known, notes_size;
    uint8_t choice[CHOICES_MOST], of[CHOICES_MOST];
    uintptr_t learned[KNOWN_MOST];
    char notes[NOTES_MOST];
    order_site site[SITES_MOST];
    uint32_t sites;
} legacy;

typedef struct exploring_crew {
    const campaign_options *o;
    unsigned jobs;
    share *work;
    legacy *left;
    pid_t pid[JOBS_MAX];
    double started;
} exploring_crew;

/* ---- notes ---- */

/* Code places as numbers: the process that reads them has the debug information. */
static void places_write(text *out, const char *what, const uintptr_t *pc, unsigned n) {
    for (unsigned i = 0; i < n; i++) text_printf(out, "%s @%" PRIxPTR "\n", what, pc[i]);
}

/* Words that report/exploration.c knows. */
static void waits_write(text *out) {
    const machine_wait *wait;
    unsigned n = machine_waits(&wait);
    for (unsigned i = 0; i < n; i++)
        text_printf(out, "progress: %s %s at @%" PRIxPTR "\n", wait[i].operation->text,
                    wait[i].repeats ? PROGRESS_REPEATS : PROGRESS_WAITS, wait[i].pc);
}

static void opaque_write(text *out) {
    size_t left;
    const char *at = program_opaque(&left);
    for (const char *end; left && (end = memchr(at, '\n', left)); left -= (size_t)(end + 1 - at), at = end + 1)
        text_printf(out, "not compiled by plumb cc, so what it does to memory was not seen: %.*s\n", (int)(end - at),
                    at);
}

#define SPINS_CUT "took for waiting a thread that only reads again, at"

/* Of several processes. */
uint32_t notes_spins_cut(const text *notes) {
    uint32_t n = 0;
    for (const char *at = text_str(notes); (at = strstr(at, SPINS_CUT)); at++) n++;
    return n;
}

void notes_write(text *out) {
    const uintptr_t *pc;
    const machine_race *race;
    unsigned n = machine_awaits(&pc);
    places_write(out, "skipped repeated iterations of a loop proved pure, at", pc, n);
    n = machine_spins(&pc);
    places_write(out, SPINS_CUT, pc, n);
    waits_write(out);
    n = machine_races(&race);
    for (unsigned i = 0; i < n; i++) {
        bool ordered = race[i].pc[0] < race[i].pc[1];
        text_printf(out, "data race: plain accesses at @%" PRIxPTR " and @%" PRIxPTR "\n", race[i].pc[!ordered],
                    race[i].pc[ordered]);
    }
    opaque_write(out);
}

/* ---- a worker ---- */

static void tell_progress(void *context, const campaign_result *r) {
    legacy *l = context;
    l->executions = r->executions;
    l->steps = r->steps;
    l->histories = r->histories;
    l->violations = r->violations;
    l->explored = r->explored;
    l->estimate = r->estimate;
}

static void leave_behind(legacy *l, bool good) {
    text notes = {0};
    l->good = good;
    limits_take(&l->r.limits);
    l->choices = l->r.failing.length < CHOICES_MOST ? l->r.failing.length : 0;
    if (l->choices) {
        memcpy(l->choice, l->r.failing.choice, l->choices);
        memcpy(l->of, l->r.failing.of, l->choices);
    }
    l->known = l->r.learned ? machine_knowledge(l->learned, KNOWN_MOST)
               : l->choices ? machine_mixed(l->learned, KNOWN_MOST)
                            : 0;
    const order_site *sites;
    l->sites = orders_seen(&sites);
    memcpy(l->site, sites, l->sites * sizeof *sites);
    notes_write(&notes);
    l->notes_size = (uint32_t)(notes.size < NOTES_MOST ? notes.size : NOTES_MOST);
    if (l->notes_size) memcpy(l->notes, notes.at, l->notes_size);
    tell_progress(l, &l->r);
    l->done = true;
}

static _Noreturn void worker_main(const exploring_crew *c, unsigned i) {
    campaign_options o = *c->o;
    legacy *l = &c->left[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    watchdog_start();
    o.how.share = c->work;
    o.worker = i;
    o.progress = tell_progress;
    o.context = l;
    if (i) o.first = NULL;
    if (o.most_executions) o.most_executions = (o.most_executions + c->jobs - 1) / c->jobs;
    bool good = campaign_run(machine_world(), machine_run_watched, &o, &l->r);
    if (!good || l->r.stopped || l->r.learned || l->r.alone || (l->r.failure != FAILURE_NONE && !o.all))
        share_abandon(c->work);
    leave_behind(l, good);
    _exit(0);
}

/* ---- the parent ---- */

static void show_progress(const exploring_crew *c) {
    campaign_result sum = {.seconds = clock_seconds() - c->started};
    for (unsigned i = 0; i < c->jobs; i++) {
        const legacy *l = &c->left[i];
        sum.executions += l->executions;
        sum.steps += l->steps;
        sum.violations += l->violations;
        sum.explored += l->explored;
        sum.estimate += l->estimate * l->explored; /* executions that are that part */
    }
    sum.estimate = sum.explored > 0 ? sum.estimate / (sum.explored < 1 ? sum.explored : 1) : 0;
    sum.histories = share_signatures(c->work);
    c->o->progress(c->o->context, &sum);
}

/* One that died takes the others with it: what it had claimed is not explored. */
static void worker_gone(exploring_crew *c, unsigned i, int *signal) {
    int status = 0;
    if (waitpid(c->pid[i], &status, WNOHANG) != c->pid[i]) return;
    c->pid[i] = 0;
    if (c->left[i].done) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INTERNAL) _exit(EXIT_INTERNAL); /* it has said why */
    if (!*signal) *signal = WIFSIGNALED(status) ? WTERMSIG(status) : SIGABRT;
    share_abandon(c->work);
}

static void tell_to_stop(const exploring_crew *c) {
    for (unsigned i = 0; i < c->jobs; i++)
        if (c->pid[i]) kill(c->pid[i], SIGINT);
}

/* The signal that one of them died of; 0: none did. */
static int wait_for_workers(exploring_crew *c) {
    int signal = 0;
    bool told = false;
    long tick = TICK_LEAST;
    double next = clock_seconds() + 0.3;
    for (unsigned left = c->jobs; left;) {
        left = 0;
        for (unsigned i = 0; i < c->jobs; i++) {
            if (c->pid[i]) worker_gone(c, i, &signal);
            left += c->pid[i] != 0;
        }
        if (c->o->stop && *c->o->stop && !told) {
            tell_to_stop(c);
            told = true;
        }
        if (!left) break;
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = tick}, NULL);
        tick = tick < TICK_MOST ? 2 * tick : TICK_MOST;
        if (c->o->progress && clock_seconds() >= next) {
            show_progress(c);
            next = clock_seconds() + 0.3;
        }
    }
    return signal;
}

static void take_legacy(campaign_result *r, legacy *l, bool first, text *notes) {
    schedule failing = {0};
    for (uint32_t i = 0; i < l->choices; i++) schedule_add(&failing, l->choice[i], l->of[i]);
    l->r.failing = failing;
    if (first) *r = l->r;
    else {
        campaign_merge(r, &l->r);
        schedule_free(&l->r.failing);
    }
    text_bytes(notes, l->notes, l->notes_size);
}

static bool workers_run(exploring_crew *c, campaign_result *r, text *notes) {
    bool good = true;
    fflush(NULL);
    for (unsigned i = 0; i < c->jobs; i++)
        if (!(c->pid[i] = fork())) worker_main(c, i);
    int died = wait_for_workers(c);
    if (died) { /* as if it had been this one: the process that asks us is told so */
        signal(died, SIG_DFL);
        raise(died);
        _exit(1);
    }
    for (unsigned i = 0; i < c->jobs; i++) {
        legacy *l = &c->left[i];
        take_legacy(r, l, i == 0, notes);
        if (!l->good && good) {
            snprintf(r->message, sizeof r->message, "%s", l->r.message);
            good = false;
        }
        machine_tell(l->learned, l->known);
        for (uint32_t k = 0; k < l->sites; k++) order_asked(l->site[k].pc, l->site[k].role, l->site[k].order);
    }
    if (share_signatures(c->work)) r->histories = share_signatures(c->work);
    return good;
}

/* ---- work that is left ---- */

const char *crew_work_tell(const char *work) {
    uintptr_t *known = MEM_ARRAY(uintptr_t, strlen(work) / 2 + 1);
    uint32_t n = 0;
    char *end = (char *)(uintptr_t)work;
    if (*end == '@') do
            known[n++] = (uintptr_t)strtoull(end + 1, &end, 16);
        while (*end == ',');
    machine_tell(known, n);
    shared_begin(); /* it counts from now on, though nothing was run */
    free(known);
    return *end == ' ' ? end + 1 : end;
}

static bool knowledge_write(text *out) {
    uintptr_t *known = MEM_ARRAY(uintptr_t, KNOWN_MOST);
    const uint32_t n = machine_knowledge(known, KNOWN_MOST);
    for (uint32_t i = 0; i < n; i++) text_printf(out, "%c%" PRIxPTR, i ? ',' : '@', known[i]);
    free(known);
    text_char(out, ' ');
    return n < KNOWN_MOST;
}

static void work_save(const exploring_crew *c, const campaign_result *r, text *out) {
    const bool wanted = (r->stopped || share_is_piece(c->work, 0)) && !r->learned;
    if (!knowledge_write(out) || !wanted || !share_save(c->work, 0, out)) text_clear(out);
}

/* Other processes have the other pieces: the coordinator that cut them has to begin anew, knowing what this one
 * knows. */
static void work_begins_anew(campaign_result *r, text *out) {
    text_clear(out);
    if (knowledge_write(out)) text_add(out, WORK_BEGINS);
    else text_clear(out);
    r->stopped = true;
    r->complete = false;
    r->preemptions = -1;
}

/* Shared memory that one of them discovers is a step for all: they begin anew, knowing it. */
bool crew_run(const campaign_options *o, unsigned jobs, crew_work *work, campaign_result *r, text *notes) {
    campaign_options rest = *o;
    const char *from = work ? work->from : NULL;
    exploring_crew c = {.o = &rest, .jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX, .started = clock_seconds()};
    for (unsigned tries = 0; tries < RESTARTS_MOST; tries++) {
        bool good = false;
        size_t size = c.jobs * sizeof *c.left;
        c.work = share_new(c.jobs);
        c.left = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        bool able = c.work && c.left != MAP_FAILED;
        if (able && work) share_keep(c.work);
        if (able && from && !share_load(c.work, 0, from)) work->wrong = true;
        if (able && !(work && work->wrong)) good = workers_run(&c, r, notes);
        if (able && good && work) work_save(&c, r, &work->left);
        const bool piece = able && from && share_is_piece(c.work, 0);
        const bool again = from && able && !good; /* it does not fit: all of it, then */
        from = NULL;
        share_free(c.work);
        if (c.left != MAP_FAILED) munmap(c.left, size);
        if (work && work->wrong) return false;
        if (!able) break;
        r->seconds = clock_seconds() - c.started;
        if (piece && !work->left.size && r->failure == FAILURE_NONE && (again || r->learned)) {
            work_begins_anew(r, &work->left);
            return true;
        }
        if (!again && (!r->learned || (o->seconds > 0 && r->seconds >= o->seconds))) return good;
        campaign_result_free(r);
        text_clear(notes);
        machine_learn(LEARN_EXECUTIONS);
        rest.seconds = o->seconds > 0 ? o->seconds - (clock_seconds() - c.started) : 0;
    }
    bool good = campaign_run(machine_world(), machine_run_watched, &rest, r);
    limits_take(&r->limits);
    notes_write(notes);
    return good;
}
