#include "monitor/checkpoint.h"

#include "base/user_state.h"
#include "base/whole_file.h"
#include "monitor/store.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
    char magic[16];
    uint64_t shape; /* of the structures: another version has another one */
    uint64_t size;  /* of what follows */
    uint64_t check; /* a hash of it */
    uint64_t seal;  /* base/user_state.h; 0: there was no key */
} header;

static const char magic[16] = "plumb-monitor/7";

/* The state is taken as it is: one that was made up could make the monitor do anything. */
static uint64_t seal_body(const char *p, size_t n) {
    seal_key key;
    return user_seal_key(&key) ? seal_of(&key, p, n) : 0;
}

static uint64_t shape_of(const monitor *m) {
    uint64_t h = hash_bytes(PLUMB_VERSION, sizeof PLUMB_VERSION);
    h = hash_pair(h, hash_pair(sizeof(monitored), sizeof(open_operation)));
    const char *name = monitor_object(m)->name, *which = monitor_name(m);
    return hash_pair(hash_pair(h, hash_bytes(name, strlen(name))), hash_bytes(which, strlen(which)));
}

/* ---- values: all of them, in the order they came, so that each gets the handle it had ---- */

static void store_value(store *s, values *t, value v) {
    value_kind kind = s->loading ? KIND_NONE : value_kind_of(t, v);
    STORE(s, kind);
    int64_t integer = !s->loading && kind == KIND_INT ? value_as_int(t, v) : 0;
    size_t n = 0;
    const void *data = s->loading            ? NULL
                       : kind == KIND_BYTES  ? (const void *)value_as_bytes(t, v, &n)
                       : kind == KIND_NUMBER ? (const void *)value_as_number(t, v, &n)
                                             : value_list(t, v, &n);
    STORE(s, integer);
    STORE(s, n);
    bool items = kind == KIND_TUPLE || kind == KIND_SET || kind == KIND_MAP;
    size_t bytes = items ? n * sizeof(value) : n;
    if (!s->loading) {
        text_bytes(&s->out, data, bytes);
        return;
    }
    if (s->bad || bytes > s->left || n > UINT32_MAX) {
        s->bad = true;
        return;
    }
    value *copy = mem_alloc(bytes + 1);
    store_raw(s, copy, bytes);
    value got = VALUE_NONE;
    for (size_t i = 0; i < n && items; i++) s->bad |= copy[i] >= VALUE_INTERNED + values_count(t);
    if (s->bad) {
    } else if (kind == KIND_INT) got = value_big_int(t, integer);
    else if (kind == KIND_BYTES) got = value_bytes(t, copy, n);
    else if (kind == KIND_NUMBER) value_number(t, (const char *)copy, n, &got);
    else if (items) got = value_list_of(t, kind, copy, n);
    s->bad |= got != v;
    free(copy);
}

static void store_values(store *s, values *t) {
    uint32_t n = values_count(t);
    STORE(s, n);
    for (uint32_t i = 0; i < n && !s->bad; i++) store_value(s, t, VALUE_INTERNED + i);
}

/* ---- files ---- */

static bool cannot(const char *path, const char *what, error *e) {
    return error_set(e, EXIT_CANNOT_OPEN, "%s: cannot %s the checkpoint: %s", path, what, strerror(errno));
}

/* Readers find the old file or the new one, never a part. */
static bool write_file(const char *path, const header *h, const text *body, error *e) {
    whole_file f;
    if (!whole_file_open(&f, path, e)) return false;
    if (write_all_bytes(f.fd, h, sizeof *h) && write_all_bytes(f.fd, body->at, body->size))
        return whole_file_commit(&f, e);
    cannot(path, "write", e);
    whole_file_abandon(&f);
    return false;
}

static bool read_file(const char *path, text *out, bool *found, error *e);

/* The file is what was to be written, and whole. */
#ifdef PLUMB_SELF_CHECKS
static void check_written(const char *path, const header *h, const text *body) {
    text file = {0};
    bool found;
    error e = {0};
    const bool read = read_file(path, &file, &found, &e);
    assert(read && found && file.size == sizeof *h + body->size);
    assert(!memcmp(file.at, h, sizeof *h) && !memcmp(file.at + sizeof *h, body->at, body->size));
    text_free(&file);
}
#else
static void check_written(const char *path, const header *h, const text *body) { (void)path, (void)h, (void)body; }
#endif

void monitor_freeze(monitor *m, text *out) {
    store s = {.m = m, .out = *out};
    store_values(&s, monitor_object(m)->values);
    monitor_store(m, &s);
    *out = s.out;
}

static bool thaw(monitor *m, store *s) {
    monitor_status seen;
    monitor_look(m, &seen);
    assert(!seen.events && !seen.parts); /* a new monitor */
    store_values(s, monitor_object(m)->values);
    if (!s->bad) monitor_store(m, s);
    return !s->bad && !s->left;
}

bool monitor_thaw(monitor *m, const text *from) {
    store s = {.loading = true, .in = from->at, .left = from->size, .m = m};
    return thaw(m, &s);
}

bool monitor_copy(monitor *from, monitor *to) {
    store out = {.m = from};
    assert(values_count(monitor_object(from)->values) <= values_count(monitor_object(to)->values));
    monitor_store(from, &out);
    store in = {.loading = true, .in = out.out.at, .left = out.out.size, .m = to};
    monitor_store(to, &in);
    text_free(&out.out);
    return !in.bad && !in.left;
}

bool monitor_save(monitor *m, const char *path, const void *notes, size_t size, error *e) {
    if (!monitor_can_be_kept(m))
        return error_set(e, EXIT_USAGE, "monitor %s cannot be kept in a checkpoint", monitor_name(m));
    text body = {0};
    text_bytes(&body, &size, sizeof size);
    text_bytes(&body, notes, size);
    monitor_freeze(m, &body);
    header h = {.shape = shape_of(m), .size = body.size, .check = hash_bytes(body.at, body.size)};
    h.seal = seal_body(body.at, body.size);
    memcpy(h.magic, magic, sizeof magic);
    bool good = write_file(path, &h, &body, e);
    if (good) check_written(path, &h, &body);
    text_free(&body);
    return good;
}

static bool read_file(const char *path, text *out, bool *found, error *e) {
    char block[1 << 16];
    FILE *f = fopen(path, "rb");
    *found = f != NULL;
    if (!f) return errno == ENOENT || cannot(path, "read", e);
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) text_bytes(out, block, n);
    bool good = !ferror(f);
    fclose(f);
    return good || cannot(path, "read", e);
}

static bool check_header(const monitor *m, const text *file, const char *path, header *h, error *e) {
    if (file->size >= sizeof *h) memcpy(h, file->at, sizeof *h);
    if (file->size < sizeof *h || memcmp(h->magic, magic, sizeof magic))
        return error_set(e, EXIT_BAD_INPUT, "%s: no checkpoint of a monitor; expected one, or no file", path);
    if (h->shape != shape_of(m))
        return error_set(e, EXIT_BAD_INPUT,
                         "%s: the checkpoint is of another object, monitor or version; expected %s by %s", path,
                         monitor_object(m)->name, monitor_name(m));
    if (h->size != file->size - sizeof *h || h->check != hash_bytes(file->at + sizeof *h, h->size))
        return error_set(e, EXIT_BAD_INPUT, "%s: the checkpoint is damaged", path);
    return true;
}

static bool is_own(const text *file, const header *h, const char *path, error *e) {
    uint64_t own = seal_body(file->at + sizeof *h, h->size);
    return (own && own == h->seal) ||
           error_set(e, EXIT_BAD_INPUT,
                     "%s: the checkpoint was not written by you, or there is no place for a key "
                     "($XDG_STATE_HOME/plumb); it would be taken as it is: --trust does it",
                     path);
}

bool monitor_load(monitor *m, const char *path, bool trusted, text *notes, bool *found, error *e) {
    text file = {0};
    header h;
    bool good = read_file(path, &file, found, e) && (!*found || check_header(m, &file, path, &h, e));
    if (good && *found && !trusted) good = is_own(&file, &h, path, e);
    if (good && *found) {
        store s = {.loading = true, .in = file.at + sizeof h, .left = h.size, .m = m};
        size_t size = 0;
        STORE(&s, size);
        if (size > s.left) s.bad = true;
        else {
            text_bytes(notes, s.in, size);
            s.in += size;
            s.left -= size;
        }
        if (s.bad || !thaw(m, &s))
            good = error_set(e, EXIT_BAD_INPUT, "%s: the checkpoint does not fit this input", path);
    }
    text_free(&file);
    return good;
}
