/* A*, section 7, over the registers of section 9: announce with the rank of a snapshot taken before, apply, publish
 * with the rank of one taken after. i is before j iff the rank of i's return is at most that of j's call, as with the
 * clock SNAPSHOT. */
#include "remote/publish.h"
#include "remote/registers.h"

#include "base/mem.h"
#include "base/pool.h"
#include "base/sized.h"
#include "object/object.h"
#include "runtime/record/recorder.h"

#include <plumbline/remote.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct plumb_remote {
    registers r;
    stored_log log;   /* its own */
    publisher stream; /* instead of registers, where there is a cluster */
    const object_type *type;
    bool open;           /* a call is announced */
    bool given_up;       /* the last call was not announced to a majority: the object was not called */
    error error, broken; /* broken: for good */
    error misuse;        /* the first one stays */
    mem_pool pool;       /* of registers and log: dropped when memory runs out */
};

/* What is handed out when there is no memory for anything. It is never written to. */
static const plumb_remote no_remote = {.broken = {.code = EXIT_INTERNAL, .what = "out of memory in plumb_remote_open"}};

enum { STANDARD_TIMEOUT = 2000 };
static const plumb_value nothing = {.kind = PLUMB_NONE};

static bool fail(plumb_remote *r, const error *why) {
    r->error = *why;
    return false;
}

/* Entries that a majority does not have yet go with the next ones: nothing is lost, and nothing comes twice. */
static void append(plumb_remote *r, const text *entry) {
    const bool kept = stored_append(&r->log, (wire_reader){.p = (const unsigned char *)entry->at, .left = entry->size});
    assert(kept && !r->log.base); /* its own log is whole */
    (void)kept;
}

static bool write_entry(plumb_remote *r, const text *entry) {
    error e = {0};
    append(r, entry);
    return registers_write(&r->r, &r->log, &e) || fail(r, &e);
}

static bool start(plumb_remote *r, const plumb_remote_options *o) {
    error *e = &r->broken;
    double seconds = (o->timeout ? o->timeout : STANDARD_TIMEOUT) / 1000.0;
    object *known = o->object ? object_open(o->object, o->init, e) : NULL;
    r->type = known ? object_type_find(known->type->name, strlen(known->type->name)) : NULL;
    object_close(known);
    if (!r->type)
        return e->code ? false : error_set(e, EXIT_USAGE, "no object; expected the name of one that is built in");
    if (strlen(o->object) >= 512 || (o->init && strlen(o->init) >= 255))
        return error_set(e, EXIT_USAGE, "the object's name is too long");
    if (o->cluster && o->replicas) return error_set(e, EXIT_USAGE, "replicas and a cluster; expected one of them");
    r->stream = (publisher){.client = o->client, .keyed = r->type->keyed};
    if (o->cluster) return publisher_open(&r->stream, o->cluster, o->subject, e);
    if (!o->replicas) return error_set(e, EXIT_USAGE, "no replicas; expected their addresses");
    return registers_open(&r->r, o->replicas, o->key, seconds, e);
}

/* A number that was used before belongs to another process, dead or alive. */
static bool is_fresh(plumb_remote *r) {
    error e = {0};
    if (!registers_read(&r->r, &e)) return fail(r, &e);
    for (uint32_t i = 0; i < r->r.n; i++)
        if (r->r.now[i].client == r->log.client && r->r.now[i].length)
            return error_set(&r->broken, EXIT_USAGE,
                             "client %u has been here before; expected a number that no other process has",
                             r->log.client);
    return true;
}

/* The connections are closed, and nothing can be announced any more: how much the others know is unknown. */
static bool run(plumb_remote *r, const char *call, void (*body)(void *argument), void *argument) {
    if (pool_run(&r->pool, body, argument)) return true;
    quorum_disconnect(&r->r.q);
    r->r = (registers){0};
    r->log = (stored_log){.client = r->log.client};
    return error_set(&r->broken, EXIT_INTERNAL, "out of memory in %s", call);
}

typedef struct remote_step {
    plumb_remote *r;
    const plumb_remote_options *options;
    const char *method;
    const plumb_value *arg;
    size_t args;
    unsigned outcome;
    const plumb_value *result;
    bool good;
} remote_step;

static void open_remote(void *argument) {
    const remote_step *s = argument;
    plumb_remote *r = s->r;
    text hello = {0};
    if (start(r, s->options) && !s->options->cluster) {
        wire_hello(&hello, s->options->object, s->options->init);
        if (is_fresh(r)) write_entry(r, &hello);
        if (r->error.code) r->broken = r->error;
    }
    text_free(&hello);
}

plumb_remote *plumb_remote_open(const plumb_remote_options *given) {
    plumb_remote *r = mem_shell(sizeof *r);
    if (!r) return (plumb_remote *)(uintptr_t)&no_remote;
    plumb_remote_options o = {.struct_size = sizeof o};
    pool_init(&r->pool);
    bool sized = options_have_size(given, "plumb_remote_open", &r->broken);
    take_sized(&o, given, sizeof o);
    r->log.client = o.client;
    if (sized) run(r, "plumb_remote_open", open_remote, &(remote_step){.r = r, .options = &o});
    return r;
}

/* False: misuse. */
static bool is_remote(const plumb_remote *r, const char *call) {
    return r || call_misuse(NULL, "%s: the remote is NULL; expected what plumb_remote_open returned", call);
}

const char *plumb_remote_error(const plumb_remote *r) {
    if (!is_remote(r, "plumb_remote_error")) return "plumb_remote_error: the remote is NULL";
    const error *told = r->broken.code ? &r->broken : r->misuse.code ? &r->misuse : &r->error;
    return told->code ? told->what : NULL;
}

static void publish_return(remote_step *s) {
    static const char *const event[] = {[LOG_RETURNED] = "return", [LOG_FAILED] = "fail", [LOG_UNKNOWN] = "info"};
    plumb_remote *r = s->r;
    error e = {0};
    r->error = e;
    r->open = false;
    s->good =
        publisher_end(&r->stream, event[s->outcome], s->outcome == LOG_RETURNED ? s->result : NULL, &e) || fail(r, &e);
}

static void announce_return(void *argument) {
    remote_step *s = argument;
    plumb_remote *r = s->r;
    if (r->stream.t) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        publish_return(s);
        return;
    }
    error e = {0};
    uint64_t rank;
    text entry = {0};
    r->error = e;
    r->open = false;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* what the object stored is visible before the snapshot is taken */
    s->good = registers_rank(&r->r, &rank, &e) || fail(r, &e);
    if (s->good && !wire_return(&entry, rank, s->outcome, s->result)) {
        text_clear(&entry);
        wire_return(&entry, rank, LOG_UNKNOWN, &nothing); /* the result is opaque to the checker */
    }
    s->good = s->good && write_entry(r, &entry);
    text_free(&entry);
}

static bool publish(plumb_remote *r, const char *call, unsigned outcome, const plumb_value *res) {
    remote_step s = {.r = r, .outcome = outcome, .result = res};
    if (!is_remote(r, call) || r->broken.code) return false;
    if (!r->open) return call_misuse(&r->misuse, "%s: no call is announced; each call returns once", call);
    return run(r, call, announce_return, &s) && s.good;
}

/* A call that some may know of, but was given up, had no effect. */
static void take_back(plumb_remote *r, uint64_t rank) {
    text entry = {0};
    if (r->given_up && wire_return(&entry, rank, LOG_FAILED, &nothing)) append(r, &entry);
    r->given_up = false;
    text_free(&entry);
}

static void announce_call(void *argument) {
    remote_step *s = argument;
    plumb_remote *r = s->r;
    error e = {0};
    uint64_t rank;
    text entry = {0};
    r->error = e;
    if (r->stream.t) {
        r->open = s->good = publisher_call(&r->stream, s->method, s->arg, s->args, &e) || fail(r, &e);
        return;
    }
    if (registers_rank(&r->r, &rank, &e) && !wire_call(&entry, rank, s->method, s->arg, s->args))
        error_set(&e, EXIT_USAGE, "the arguments are too large, or too many");
    if (!e.code) take_back(r, rank);
    s->good = e.code ? fail(r, &e) : write_entry(r, &entry);
    if (!e.code) r->given_up = !s->good;
    r->open = s->good;
    assert(!(r->open && r->given_up));
    text_free(&entry);
}

bool plumb_remote_call(plumb_remote *r, const char *name, const plumb_value *arg, size_t args) {
    static const char call[] = "plumb_remote_call";
    remote_step s = {.r = r, .arg = arg, .args = args};
    if (!is_remote(r, call) || r->broken.code) return false;
    if (!name) return call_misuse(&r->misuse, "%s: the method is NULL; expected its name", call);
    if (args && !arg) return call_misuse(&r->misuse, "%s: %zu arguments at NULL; expected where they are", call, args);
    if (r->open) return call_misuse(&r->misuse, "%s: the call before has not returned; expected its return", call);
    int which = object_type_method(r->type, name);
    if (which < 0) return call_misuse(&r->misuse, "%s: object %s has no method %.60s", call, r->type->name, name);
    s.method = r->type->methods[which].name;
    return run(r, call, announce_call, &s) && s.good;
}

bool plumb_remote_ret(plumb_remote *r, plumb_value result) {
    return publish(r, "plumb_remote_ret", LOG_RETURNED, &result);
}
bool plumb_remote_ret_fail(plumb_remote *r) { return publish(r, "plumb_remote_ret_fail", LOG_FAILED, &nothing); }
bool plumb_remote_ret_unknown(plumb_remote *r) { return publish(r, "plumb_remote_ret_unknown", LOG_UNKNOWN, &nothing); }

static void close_remote(void *argument) {
    plumb_remote *r = argument;
    text leave = {0};
    if (r->stream.t) return;
    wire_add(&leave, ENTRY_LEAVE, 1);
    if (!r->broken.code) write_entry(r, &leave);
    text_free(&leave);
}

static void free_parts(void *argument) {
    plumb_remote *r = argument;
    publisher_close(&r->stream);
    registers_close(&r->r);
    stored_free(&r->log);
}

void plumb_remote_close(plumb_remote *r) {
    if (!r || r == &no_remote) return;
    run(r, "plumb_remote_close", close_remote, r);
    pool_run(&r->pool, free_parts, r);
    assert(r->pool.lost || pool_is_empty(&r->pool));
    pool_drop(&r->pool);
    mem_foreign_free(r);
}
