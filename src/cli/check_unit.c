/* A history that is judged by a worker: what `plumb check` was told, and the bytes of the file. */
#include "base/mem.h"
#include "base/whole_file.h"
#include "cli/supervise.h"
#include "cli/units.h"
#include "report/report_pack.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct check_unit { /* as it was read */
    check_settings c;
    char *object, *init, *engine, *format, *criterion, *quasi, *on_fail, *name;
    uint64_t columns;
    bool is_inside;
    wire_reader bytes;
} check_unit;

void check_unit_pack(const check_settings *c, const job_settings *s, const char *name, const void *bytes, size_t size,
                     text *out) {
    const char *const words[] = {
        c->object, c->init, c->engine, c->format, c->criterion, c->quasi, text_str(&c->on_fail), name};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) pack_string(out, words[i]);
    wire_add(out, c->measure, 1);
    wire_add(out, c->independent, 1);
    wire_add(out, c->json, 1);
    wire_add(out, c->verbose, 1);
    wire_add(out, (uint64_t)c->removal, 4);
    wire_add(out, (uint64_t)c->evidence, 4);
    pack_real(out, c->timeout);
    wire_add(out, c->memory, 8);
    wire_add(out, s->wishes.columns, 4);
    wire_add(out, bytes != NULL, 1);
    pack_bytes(out, bytes, bytes ? size : 0);
}

static bool unpack(wire_reader r, check_unit *x) {
    char **const words[] = {&x->object,    &x->init,  &x->engine,  &x->format,
                            &x->criterion, &x->quasi, &x->on_fail, &x->name};
    *x = (check_unit){0};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) *words[i] = unpack_string(&r);
    x->c = (check_settings){.object = x->object,
                            .init = x->init,
                            .engine = x->engine,
                            .format = x->format,
                            .criterion = x->criterion,
                            .quasi = x->quasi};
    x->c.measure = wire_number(&r, 1);
    x->c.independent = wire_number(&r, 1);
    x->c.json = wire_number(&r, 1);
    x->c.verbose = wire_number(&r, 1);
    x->c.removal = (int)wire_number(&r, 4);
    x->c.evidence = (int)wire_number(&r, 4);
    x->c.timeout = unpack_real(&r);
    x->c.memory = wire_number(&r, 8);
    x->columns = wire_number(&r, 4);
    x->is_inside = wire_number(&r, 1);
    x->bytes = unpack_bytes(&r);
    if (x->on_fail) text_add(&x->c.on_fail, x->on_fail);
    return wire_is_done(&r) && x->name && x->c.evidence >= 0 && x->c.removal >= 0;
}

static void check_unit_free(check_unit *x) {
    FREE_ALL(x->object, x->init, x->engine, x->format, x->criterion, x->quasi, x->on_fail, x->name);
    text_free(&x->c.on_fail);
    text_free(&x->c.initial);
}

/* ---- the file ---- */

/* Under the last part of its name, which formats may look at; messages name the file as its owner did. */
static bool put_file(const unit *u, const check_unit *x, const char *folder, char path[600], error *e) {
    char contents[300], own[300];
    const char *slash = strrchr(x->name, '/');
    snprintf(own, sizeof own, "%.200s/unit", folder);
    mkdir(own, 0700);
    snprintf(path, 600, "%s/%.250s", own, slash ? slash + 1 : x->name);
    unlink(path);
    if (x->is_inside) return whole_file_write(path, x->bytes.p, x->bytes.left, e);
    if (!u->blobs) return error_set(e, EXIT_BAD_INPUT, "the unit has no history");
    snprintf(contents, sizeof contents, "%.200s/%s", folder, u->blob[0]);
    return !link(contents, path) || !symlink(contents, path) ||
           error_set(e, EXIT_CANNOT_OPEN, "%s: cannot be made", path);
}

static void replace(text *t, const char *from, const char *to) {
    text out = {0};
    const size_t n = strlen(from);
    const char *at = text_str(t), *found;
    if (!strstr(at, from)) return;
    while ((found = strstr(at, from))) {
        text_bytes(&out, at, (size_t)(found - at));
        text_add(&out, to);
        at = found + n;
    }
    text_add(&out, at);
    text_free(t);
    *t = out;
}

static void rename_in_report(report *r, const char *path, const char *name) {
    text what = {0};
    free(r->file);
    r->file = mem_string(name);
    text_add(&what, r->error.what);
    replace(&what, path, name);
    snprintf(r->error.what, sizeof r->error.what, "%s", text_str(&what));
    text_free(&what);
    replace(&r->reason, path, name);
    replace(&r->talk, path, name);
}

/* ---- judging ---- */

typedef struct judged {
    const char *path, *name;
    text *out;
} judged;

static void keep_report(void *context, uint32_t i, const report *r) {
    const judged *k = context;
    (void)i;
    rename_in_report((report *)(uintptr_t)r, k->path, k->name);
    report_pack(r, k->out);
}

static void judge_file(const job_settings *s, const char *path, const char *name, text *out) {
    static bool listens;
    job j;
    judged kept = {path, name, out};
    if (!listens) supervise_signals();
    listens = true;
    job_init(&j, path, false);
    supervision run = {.jobs = &j, .n = 1, .settings = s, .workers = 1, .finished = keep_report, .context = &kept};
    if (supervise(&run).left_behind) return; /* its thread still uses what would be freed */
    job_free(&j);
}

bool check_unit_work(const unit *u, const char *folder, text *out, error *e) {
    check_unit x;
    job_settings s = {.threads = 1};
    text observe = {0};
    char path[600];
    bool good = unpack(u->body, &x) || error_set(e, EXIT_BAD_INPUT, "the unit is not whole");
    if (good && x.object && strpbrk(x.object, "/."))
        good = error_set(e, EXIT_USAGE, "object %s is a file; workers know built-in objects", x.object);
    good = good && check_understand(&x.c, &s, &observe, e) && put_file(u, &x, folder, path, e);
    if (good) {
        s.threads = 1;
        s.wishes.columns = (unsigned)x.columns;
        judge_file(&s, path, x.name, out);
        unlink(path);
    }
    check_unit_free(&x);
    text_free(&observe);
    return good;
}
