/* A transport in a folder, for processes of one machine and for tests: no server. One lock file orders everything.
 *
 *     queue/QUEUE@NAME     a unit: its deliveries as 4 bytes, then what it is; its lease ends at its time stamp
 *     log/LOG              messages, each with its size (8 bytes) before it; a torn last one is cut off
 *     key/KEY              a value: its revision as 8 bytes, then what it is
 *     alive/WHO            a note; its time stamp says until when
 *
 * A file appears under its name when it is complete (renamed), so that a process that is killed leaves no half. */
#include "base/budget.h"
#include "base/mem.h"
#include "base/text.h"
#include "remote/transport.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 600, POLL_MILLISECONDS = 5 };

typedef struct folder {
    char path[PATH_ROOM - 2 * TRANSPORT_NAME];
    int lock;
    double lease;
    pthread_mutex_t mutex; /* one lock file is one for all threads that share the folder */
} folder;

typedef struct taken_unit { /* a unit */
    char path[PATH_ROOM];
    uint32_t delivery; /* the file says whether it is still ours */
} taken_unit;

typedef struct folder_reader {
    folder *f;
    char path[PATH_ROOM];
    uint64_t number; /* of the next message */
    uint64_t from;
    long at;
} folder_reader;

/* ---- files ---- */

static transport_answer said(char *why, const char *what) {
    snprintf(why, TRANSPORT_WHY, "%.200s: %s", what, strerror(errno));
    return TRANSPORT_ERROR;
}

static void lock_folder(folder *f) {
    pthread_mutex_lock(&f->mutex);
    while (flock(f->lock, LOCK_EX) && errno == EINTR) {}
}

static void unlock_folder(folder *f) {
    flock(f->lock, LOCK_UN);
    pthread_mutex_unlock(&f->mutex);
}

static void place(const folder *f, const char *kind, const char *name, char out[PATH_ROOM]) {
    snprintf(out, PATH_ROOM, "%s/%s/%.*s", f->path, kind, TRANSPORT_NAME, name);
}

static bool read_file(const char *path, text *out) {
    char block[65536];
    FILE *file = fopen(path, "rbe");
    if (!file) return false;
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) text_bytes(out, block, n);
    fclose(file);
    return true;
}

static bool write_file(const folder *f, const char *path, const void *head, size_t head_size, const void *p, size_t n) {
    char fresh[PATH_ROOM];
    place(f, ".", "fresh", fresh);
    FILE *file = fopen(fresh, "wbe");
    if (!file) return false;
    bool good = (!head_size || fwrite(head, head_size, 1, file) == 1) && (!n || fwrite(p, n, 1, file) == 1);
    return fclose(file) == 0 && good && rename(fresh, path) == 0;
}

static double wall_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void stamp(const char *path, double at) {
    const struct timespec t = {.tv_sec = (time_t)at, .tv_nsec = (long)((at - (double)(time_t)at) * 1e9)};
    utimensat(AT_FDCWD, path, (const struct timespec[2]){t, t}, 0);
}

static double stamp_of(const char *path) {
    struct stat s;
    return stat(path, &s) ? -1 : (double)s.st_mtim.tv_sec + (double)s.st_mtim.tv_nsec / 1e9;
}

static void take_text(transport_message *m, text *t, size_t head) {
    *m = (transport_message){.bytes = t->at, .size = t->size - head};
    memmove(t->at, t->at + head, m->size);
}

/* ---- opening ---- */

static void *folder_open(const transport_settings *s, char *why, size_t room) {
    static const char *const kinds[] = {"", "/queue", "/log", "/key", "/alive"};
    const char *path = s->url + strlen("file:");
    while (path[0] == '/' && path[1] == '/') path++;
    folder *f = MEM_NEW(folder);
    if (strlen(path) >= sizeof f->path - 10 || !*path) {
        snprintf(why, room, "%s: expected file:FOLDER, with a shorter path", s->url);
        free(f);
        return NULL;
    }
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(f->path, sizeof f->path, "%s%s", path, kinds[i]);
        if (!mkdir(f->path, 0700) || errno == EEXIST) continue;
        snprintf(why, room, "%s: %s", f->path, strerror(errno));
        free(f);
        return NULL;
    }
    char lock[PATH_ROOM];
    snprintf(f->path, sizeof f->path, "%s", path);
    snprintf(lock, sizeof lock, "%s/lock", path);
    f->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    f->lease = s->lease > 0 ? s->lease : LEASE_SECONDS;
    pthread_mutex_init(&f->mutex, NULL);
    if (f->lock >= 0) return f;
    snprintf(why, room, "%s: %s", lock, strerror(errno));
    free(f);
    return NULL;
}

static void folder_close(void *t) {
    folder *f = t;
    close(f->lock);
    pthread_mutex_destroy(&f->mutex);
    free(f);
}

static void folder_release(void *t, transport_message *m) {
    (void)t;
    FREE_ALL(m->bytes, m->handle);
    *m = (transport_message){0};
}

/* ---- units ---- */

static transport_answer put_unit(void *t, const char *queue, const char *name, const void *p, size_t n, char *why) {
    folder *f = t;
    char both[TRANSPORT_NAME], path[PATH_ROOM];
    const uint32_t deliveries = 0;
    snprintf(both, sizeof both, "%s@%s", queue, name);
    place(f, "queue", both, path);
    lock_folder(f);
    bool good = stamp_of(path) >= 0 || write_file(f, path, &deliveries, sizeof deliveries, p, n);
    transport_answer a = good ? TRANSPORT_DONE : said(why, path);
    unlock_folder(f);
    return a;
}

/* The one that has waited longest whose lease is over, or that was never taken. */
static bool oldest_unit(const folder *f, char out[PATH_ROOM]) {
    char path[PATH_ROOM], dir[PATH_ROOM];
    const double now = wall_clock();
    double best = now;
    bool found = false;
    place(f, "queue", "", dir);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        place(f, "queue", e->d_name, path);
        const double at = stamp_of(path);
        if (at < 0 || at > now || (found && at >= best)) continue;
        best = at;
        found = true;
        memcpy(out, path, PATH_ROOM);
    }
    if (d) closedir(d);
    return found;
}

static bool take_oldest(folder *f, transport_message *out) {
    char path[PATH_ROOM];
    text t = {0};
    uint32_t deliveries = 0;
    if (!oldest_unit(f, path) || !read_file(path, &t) || t.size < sizeof deliveries) {
        text_free(&t);
        return false;
    }
    memcpy(&deliveries, t.at, sizeof deliveries);
    deliveries++;
    if (!write_file(f, path, &deliveries, sizeof deliveries, t.at + sizeof deliveries, t.size - sizeof deliveries)) {
        text_free(&t);
        return false;
    }
    stamp(path, wall_clock() + f->lease);
    take_text(out, &t, sizeof deliveries);
    out->deliveries = deliveries;
    taken_unit *mine = MEM_NEW(taken_unit);
    memcpy(mine->path, path, sizeof path);
    mine->delivery = deliveries;
    out->handle = mine;
    return true;
}

static void pause_for(int milliseconds) {
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L}, NULL);
}

static transport_answer take_unit(void *t, int milliseconds, transport_message *out, char *why) {
    const double until = clock_seconds() + milliseconds / 1e3;
    (void)why;
    for (;;) {
        lock_folder(t);
        const bool found = take_oldest(t, out);
        unlock_folder(t);
        if (found) return TRANSPORT_DONE;
        if (clock_seconds() >= until) return TRANSPORT_NOTHING;
        pause_for(POLL_MILLISECONDS);
    }
}

/* Under the lock: another one may have taken it since. */
static bool is_ours(const taken_unit *mine) {
    uint32_t deliveries = 0;
    FILE *file = fopen(mine->path, "rbe");
    const bool read = file && fread(&deliveries, sizeof deliveries, 1, file) == 1;
    if (file) fclose(file);
    return read && deliveries == mine->delivery;
}

static transport_answer acknowledge(void *t, transport_message *unit, char *why) {
    const taken_unit *mine = unit->handle;
    (void)why;
    lock_folder(t);
    unlink(mine->path); /* another worker may have it by now: it is done */
    unlock_folder(t);
    return TRANSPORT_DONE;
}

static transport_answer restamp(folder *f, const transport_message *unit, double seconds) {
    const taken_unit *mine = unit->handle;
    lock_folder(f);
    const bool ours = is_ours(mine);
    if (ours) stamp(mine->path, wall_clock() + seconds);
    unlock_folder(f);
    return ours ? TRANSPORT_DONE : TRANSPORT_NOTHING;
}

static transport_answer extend(void *t, transport_message *unit, char *why) {
    (void)why;
    return restamp(t, unit, ((folder *)t)->lease);
}

static transport_answer give_back(void *t, transport_message *unit, char *why) {
    (void)why;
    return restamp(t, unit, 0);
}

typedef bool each_name(void *context, const char *path, const char *name);

static void each_file(const folder *f, const char *kind, each_name *each, void *context) {
    char dir[PATH_ROOM], path[PATH_ROOM];
    bool go_on = true;
    place(f, kind, "", dir);
    DIR *d = opendir(dir);
    for (struct dirent *e; go_on && d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        place(f, kind, e->d_name, path);
        go_on = each(context, path, e->d_name);
    }
    if (d) closedir(d);
}

static bool count_one(void *units, const char *path, const char *name) {
    (void)path, (void)name;
    ++*(uint64_t *)units;
    return true;
}

static transport_answer waiting(void *t, uint64_t *units, char *why) {
    (void)why;
    *units = 0;
    lock_folder(t);
    each_file(t, "queue", count_one, units);
    unlock_folder(t);
    return TRANSPORT_DONE;
}

/* ---- logs ---- */

/* Moves over whole messages: how many there are, and where they end. */
static uint64_t log_length(FILE *file, long *end) {
    uint64_t n = 0, size;
    fseek(file, 0, SEEK_END);
    const long all = ftell(file);
    *end = 0;
    fseek(file, 0, SEEK_SET);
    while (fread(&size, sizeof size, 1, file) == 1 && size <= (uint64_t)(all - *end) - sizeof size) {
        *end += (long)(sizeof size + size);
        fseek(file, *end, SEEK_SET);
        n++;
    }
    return n;
}

static transport_answer append(void *t, const char *log, const void *p, size_t n, uint64_t *number, char *why) {
    folder *f = t;
    char path[PATH_ROOM];
    const uint64_t size = n;
    long end = 0;
    place(f, "log", log, path);
    lock_folder(f);
    FILE *file = fopen(path, "r+be");
    if (!file) file = fopen(path, "w+be");
    const uint64_t before = file ? log_length(file, &end) : 0;
    bool good = file && !fseek(file, end, SEEK_SET) && fwrite(&size, sizeof size, 1, file) == 1 &&
                (!n || fwrite(p, n, 1, file) == 1);
    if (file) good = fclose(file) == 0 && good;
    transport_answer a = good ? TRANSPORT_DONE : said(why, path);
    unlock_folder(f);
    if (number) *number = before + 1;
    return a;
}

static void *follow(void *t, const char *log, uint64_t from, char *why) {
    folder_reader *r = MEM_NEW(folder_reader);
    (void)why;
    *r = (folder_reader){.f = t, .number = 1, .from = from ? from : 1};
    place(t, "log", log, r->path);
    return r;
}

/* One message further; false: there is none yet. */
static bool read_message(folder_reader *r, text *out) {
    uint64_t size;
    FILE *file = fopen(r->path, "rbe");
    if (!file) return false;
    bool good = !fseek(file, r->at, SEEK_SET) && fread(&size, sizeof size, 1, file) == 1;
    text_clear(out);
    while (good && out->size < size) {
        char block[65536];
        const size_t left = size - out->size, n = fread(block, 1, left < sizeof block ? left : sizeof block, file);
        text_bytes(out, block, n);
        good = n > 0;
    }
    fclose(file);
    if (!good) return false;
    r->at += (long)(sizeof size + size);
    r->number++;
    return true;
}

static transport_answer next(void *reader, int milliseconds, transport_message *out, char *why) {
    folder_reader *r = reader;
    const double until = clock_seconds() + milliseconds / 1e3;
    text t = {0};
    (void)why;
    for (;;) {
        lock_folder(r->f);
        bool found = read_message(r, &t);
        while (found && r->number <= r->from) found = read_message(r, &t);
        unlock_folder(r->f);
        if (found) {
            text_char(&t, '\0'); /* room for an empty one */
            *out = (transport_message){.bytes = t.at, .size = t.size - 1, .number = r->number - 1};
            return TRANSPORT_DONE;
        }
        if (clock_seconds() >= until) break;
        pause_for(POLL_MILLISECONDS);
    }
    text_free(&t);
    return TRANSPORT_NOTHING;
}

static void unfollow(void *reader) { free(reader); }

static transport_answer forget(void *t, const char *log, char *why) {
    char path[PATH_ROOM];
    (void)why;
    place(t, "log", log, path);
    lock_folder(t);
    unlink(path);
    unlock_folder(t);
    return TRANSPORT_DONE;
}

/* ---- keys ---- */

static bool read_key(const char *path, text *t, uint64_t *revision) {
    if (!read_file(path, t) || t->size < sizeof *revision) return false;
    memcpy(revision, t->at, sizeof *revision);
    return true;
}

static transport_answer get(void *t, const char *key, transport_message *out, char *why) {
    char path[PATH_ROOM];
    text all = {0};
    uint64_t revision = 0;
    (void)why;
    place(t, "key", key, path);
    lock_folder(t);
    const bool found = read_key(path, &all, &revision);
    unlock_folder(t);
    if (!found) {
        text_free(&all);
        return TRANSPORT_NOTHING;
    }
    take_text(out, &all, sizeof revision);
    out->number = revision;
    return TRANSPORT_DONE;
}

static transport_answer put(void *t, const char *key, uint64_t expected, const void *p, size_t n, uint64_t *revision,
                            char *why) {
    folder *f = t;
    char path[PATH_ROOM];
    text all = {0};
    uint64_t now = REVISION_NONE;
    place(f, "key", key, path);
    lock_folder(f);
    if (!read_key(path, &all, &now)) now = REVISION_NONE;
    transport_answer a = expected == REVISION_ANY || expected == now ? TRANSPORT_DONE : TRANSPORT_CONFLICT;
    const uint64_t later = now + 1;
    if (a == TRANSPORT_DONE && !write_file(f, path, &later, sizeof later, p, n)) a = said(why, path);
    unlock_folder(f);
    text_free(&all);
    if (revision) *revision = later;
    return a;
}

static transport_answer remove_key(void *t, const char *key, char *why) {
    char path[PATH_ROOM];
    (void)why;
    place(t, "key", key, path);
    lock_folder(t);
    unlink(path);
    unlock_folder(t);
    return TRANSPORT_DONE;
}

typedef struct key_walk {
    const char *under;
    transport_each *each;
    void *context;
    size_t head;       /* bytes before the value */
    double not_before; /* of the time stamp */
} key_walk;

static bool walk_one(void *context, const char *path, const char *name) {
    const key_walk *w = context;
    const size_t n = strlen(w->under);
    text all = {0};
    bool go_on = true;
    if (!strncmp(name, w->under, n) && stamp_of(path) >= w->not_before && read_file(path, &all) && all.size >= w->head)
        go_on = w->each(w->context, name, all.at + w->head, all.size - w->head);
    text_free(&all);
    return go_on;
}

static transport_answer each_key(void *t, const char *under, transport_each *each, void *context, char *why) {
    key_walk w = {.under = under, .each = each, .context = context, .head = sizeof(uint64_t)};
    (void)why;
    lock_folder(t);
    each_file(t, "key", walk_one, &w);
    unlock_folder(t);
    return TRANSPORT_DONE;
}

/* ---- who is there ---- */

static transport_answer be_alive(void *t, const char *who, const void *p, size_t n, char *why) {
    char path[PATH_ROOM];
    place(t, "alive", who, path);
    lock_folder(t);
    transport_answer a = write_file(t, path, "\n", 1, p, n) ? TRANSPORT_DONE : said(why, path);
    unlock_folder(t);
    return a;
}

static transport_answer each_alive(void *t, transport_each *each, void *context, char *why) {
    key_walk w = {.under = "", .each = each, .context = context, .head = 1, .not_before = wall_clock() - ALIVE_SECONDS};
    (void)why;
    lock_folder(t);
    each_file(t, "alive", walk_one, &w);
    unlock_folder(t);
    return TRANSPORT_DONE;
}

const transport_type transport_file = {.struct_size = sizeof(transport_type),
                                       .name = "file",
                                       .open = folder_open,
                                       .close = folder_close,
                                       .release = folder_release,
                                       .put_unit = put_unit,
                                       .take_unit = take_unit,
                                       .acknowledge = acknowledge,
                                       .extend = extend,
                                       .give_back = give_back,
                                       .waiting = waiting,
                                       .append = append,
                                       .follow = follow,
                                       .next = next,
                                       .unfollow = unfollow,
                                       .forget = forget,
                                       .get = get,
                                       .put = put,
                                       .remove = remove_key,
                                       .each_key = each_key,
                                       .be_alive = be_alive,
                                       .each_alive = each_alive};
