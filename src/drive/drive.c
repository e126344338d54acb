#include "drive/drive.h"

#include "base/budget.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "drive/node_clock.h"
#include "drive/node_disk.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TURN_SECONDS 0.002
#define LOOK_SECONDS 0.2
enum { STANDARD_KEYS = 5 };

/* ---- beginning ---- */

/* May everyone go through all folders of this path? */
static bool is_open_to_all(const char *path) {
    char part[4096];
    struct stat s;
    for (size_t n = 1; n < sizeof part && n <= strlen(path); n++) {
        if (path[n] && path[n] != '/') continue;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        if (stat(part, &s) || !(s.st_mode & S_IXOTH)) return false;
    }
    return true;
}

/* Servers run as another user when we are root: they have to come through to their folders, in /tmp if they cannot come
 * through to TMPDIR. */
static bool make_folder(drive_run *r, error *e) {
    const char *given = getenv("TMPDIR");
    char own[] = "/tmp/plumb-drive-XXXXXX";
    uid_t user;
    gid_t group;
    if (server_user(&user, &group) && given && *given && !is_open_to_all(given) && mkdtemp(own))
        text_add(&r->folder, own);
    else if (!scratch_directory("plumb-drive", &r->folder, e)) return false;
    text_printf(&r->history, "%s/history.events.jsonl", text_str(&r->folder));
    return chmod(text_str(&r->folder), 0711) == 0 || error_set(e, EXIT_CANNOT_OPEN, "%s: chmod", text_str(&r->folder));
}

static bool open_judge(const drive_settings *s, drive_run *r, const char *named, error *e) {
    live_judge_settings how = {.object = named,
                               .init = s->init,
                               .history = text_str(&r->history),
                               .named = s->driver ? s->driver : "--exec",
                               .go_on = s->go_on};
    if (!live_judge_open(&r->judge, &how, e)) return false;
    r->object = r->judge.o->name;
    return true;
}

/* Where faults take links away, nodes are in network namespaces, and so are we. */
static bool make_network(drive_run *r, service_settings *how, error *e) {
    text why = {0};
    if (!(r->needs & FAULT_NETWORK)) return true;
    if (how->nodes < 2)
        return error_set(e, EXIT_USAGE,
                         "drive: faults of links need at least two nodes, there is %u; expected --nodes N%s",
                         how->nodes, driver_definition(r->driver)->most_nodes < 2 ? ", which this driver has not" : "");
    how->networked = keeper_network(r->keeper, how->nodes, r->needs & FAULT_RELAY, &why);
    if (!how->networked) error_set(e, EXIT_CANNOT_OPEN, "drive: no network for faults of links: %s", text_str(&why));
    text_free(&why);
    return how->networked;
}

/* What libfaketime leaves in shared memory is taken away only where the keeper has mounts of its own. */
static bool make_clocks(drive_run *r, service_settings *how, error *e) {
    const plumb_driver *d = r->driver ? driver_definition(r->driver) : NULL;
    if (!(r->needs & FAULT_CLOCKS)) return true;
    if (!d->clock_by_libc)
        return error_set(e, EXIT_USAGE,
                         "fault clock: the clocks of servers of driver %s cannot be set: they do not ask libc "
                         "for the time, or do not bear libfaketime",
                         d->name);
    if (!*node_clock_library())
        return error_set(e, EXIT_CANNOT_OPEN, "fault clock: there is no libfaketime (package faketime)");
    if (!r->isolated) return error_set(e, EXIT_CANNOT_OPEN, "fault clock: it needs root and namespaces of its own");
    return how->clocked = true;
}

/* Disks have to be there before the keeper, which gets them with its mounts. */
static bool make_disks(const drive_settings *s, drive_run *r, error *e) {
    service_settings how = s->service;
    text why = {0};
    how.object = s->object;
    if (!(r->needs & FAULT_DISKS)) return true;
    if (!driver_settle(r->driver, &how, e)) return false;
    bool good = node_disks_make(text_str(&r->folder), how.nodes, &why);
    if (!good) error_set(e, EXIT_CANNOT_OPEN, "fault disk-full: %s", text_str(&why));
    text_free(&why);
    return good;
}

/* Faults of servers that we do not start need nothing: they are refused when it is known what there is. */
static bool understand_faults(const drive_settings *s, drive_run *r, error *e) {
    if (!faults_parse(s->faults, &r->kinds, e)) return false;
    if (r->driver && driver_definition(r->driver)->most_nodes && !s->service.at) r->needs = faults_need(r->kinds);
    return true;
}

static bool start_service(const drive_settings *s, drive_run *r, error *e) {
    service_settings how = s->service;
    how.folder = text_str(&r->folder);
    how.object = s->object;
    how.clients_die = s->exec != NULL;
    if (r->driver && !driver_settle(r->driver, &how, e)) return false;
    if (!how.object) return error_set(e, EXIT_USAGE, "drive --exec: expected --object O; `plumb objects` lists them");
    if (!open_judge(s, r, how.object, e) || !make_network(r, &how, e) || !make_clocks(r, &how, e)) return false;
    values *v = builder_values(r->judge.b);
    r->service = r->driver ? driver_start(r->driver, &how, r->keeper, r->judge.o, v, e)
                           : exec_start(s->exec, &how, r->keeper, r->judge.o, v);
    if (r->service) r->nodes = r->service->nodes;
    return r->service != NULL;
}

static bool start_load(const drive_settings *s, drive_run *r, error *e) {
    load_settings how = s->load;
    bool any = false;
    for (unsigned m = 0; m < r->judge.o->type->method_count; m++)
        any |= how.plan.can[m] = r->service->method[m] != SERVICE_LACKS;
    const object_type *t = r->judge.o->type;
    if (!how.plan.keys) how.plan.keys = t->keyed || t->parts_by_arg ? STANDARD_KEYS : 1;
    if (!any) return error_set(e, EXIT_USAGE, "drive: the driver has no method of object %s", r->object);
    faults_settings f = {
        .kinds = r->kinds, .seed = how.plan.seed, .clients = how.plan.clients, .every = s->every, .lasts = s->lasts};
    if (!faults_fit(f.kinds, r->service, e)) return false;
    r->load = load_start(&how, r->service, r->judge.o, &r->reel);
    if (f.kinds) r->nemesis = faults_start(&f, r->service, r->load, &r->reel);
    return true;
}

/* ---- running ---- */

static void take_events(drive_run *r) {
    const reel_event *event;
    uint32_t n = reel_take(&r->reel, &event);
    live_judge_take(&r->judge, event, n);
}

static void look(const drive_settings *s, drive_run *r, double started, double *looked) {
    double now = clock_seconds();
    if (!s->look || now - *looked < LOOK_SECONDS) return;
    *looked = now;
    drive_status d = {.seconds = now - started,
                      .counts = load_counted(r->load),
                      .open = load_open(r->load),
                      .faults = faults_count(r->nemesis),
                      .judged = (double)r->judge.time * 1e-9,
                      .monitor = live_judge_monitor(&r->judge)};
    s->look(s->context, &d);
}

/* Until the clients have ended, the time is over, or it is to stop. */
static void run_until(const drive_settings *s, drive_run *r, double started, double deadline) {
    double looked = 0;
    while (!atomic_load(s->stop) && !r->judge.over && clock_seconds() < deadline && !load_has_ended(r->load) &&
           !load_is_in_vain(r->load)) {
        take_events(r);
        look(s, r, started, &looked);
        nanosleep(&(struct timespec){.tv_nsec = (long)(TURN_SECONDS * 1e9)}, NULL);
    }
    take_events(r);
}

/* Faults end, then the clients look at what is there: a lost write is seen even if no client had read it since. */
static void quiet_end(const drive_settings *s, drive_run *r, double started) {
    if (!faults_heal(r->nemesis, &r->unhealed)) return;
    load_phase_set(r->load, LOAD_QUIET);
    if (s->quiet > 0) run_until(s, r, started, clock_seconds() + s->quiet);
}

static void copy_counts(load_counts *to, const load_counts *from) {
    atomic_store(&to->calls, atomic_load(&from->calls));
    atomic_store(&to->done, atomic_load(&from->done));
    atomic_store(&to->failed, atomic_load(&from->failed));
    atomic_store(&to->unknown, atomic_load(&from->unknown));
    atomic_store(&to->unconnected, atomic_load(&from->unconnected));
}

static void end_all(drive_run *r) {
    load_phase_set(r->load, LOAD_ENDS);
    reel_end_waiting(&r->reel);
    text again = {0};
    if (r->nemesis && !r->unhealed.size) faults_heal(r->nemesis, &again);
    text_free(&again);
    load_last_trouble(r->load, &r->trouble);
    copy_counts(&r->counts, load_counted(r->load));
    load_end(r->load);
    r->load = NULL;
    r->faults = faults_count(r->nemesis);
    take_events(r);
    for (uint32_t n = 0; n < r->nodes; n++) keeper_signal(r->keeper, n, SIGKILL, NULL);
}

static bool run(const drive_settings *s, drive_run *r, error *e) {
    double started = clock_seconds();
    if (!start_load(s, r, e)) return false;
    run_until(s, r, started, started + s->seconds);
    if (!atomic_load(s->stop) && !r->judge.over && !load_is_in_vain(r->load)) quiet_end(s, r, started);
    r->interrupted = atomic_load(s->stop);
    end_all(r);
    r->seconds = clock_seconds() - started;
    if (e->code) return false;
    return live_judge_finish(&r->judge);
}

bool drive(const drive_settings *s, drive_run *r, error *e) {
    memset(r, 0, sizeof *r);
    if (s->driver && !(r->driver = driver_load(s->driver, e))) return false;
    if (!understand_faults(s, r, e) || !make_folder(r, e)) return false;
    if (!make_disks(s, r, e) || !(r->keeper = keeper_start(text_str(&r->folder), e))) return false;
    r->isolated = keeper_isolated(r->keeper);
    bool good = start_service(s, r, e);
    if (good) reel_open(&r->reel);
    return good && run(s, r, e);
}

/* Before there was a keeper to remove it. */
static void remove_empty_folder(const drive_run *r) {
    if (!r->folder.size) return;
    node_disks_remove(text_str(&r->folder), KEEPER_NODES);
    rmdir(text_str(&r->folder));
}

void drive_close(drive_run *r) {
    service_stop(r->service);
    if (r->keeper) keeper_end(r->keeper, false);
    else remove_empty_folder(r);
    faults_free(r->nemesis);
    if (r->reel.event) reel_close(&r->reel);
    live_judge_close(&r->judge);
    driver_unload(r->driver);
    text_free(&r->folder);
    text_free(&r->history);
    text_free(&r->trouble);
    text_free(&r->unhealed);
}
