/* Histories through the front door. */
#include "api/api.h"

#include "base/budget.h"
#include "base/mem.h"
#include "format/format.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *plumb_version(void) { return PLUMB_VERSION; }

/* What is handed out when there is no memory for anything. It is never written to. */
static const plumb_history exhausted = {.error = {.code = EXIT_INTERNAL, .what = "out of memory: there is no history"}};

static plumb_history *new_history(void) {
    plumb_history *h = mem_shell(sizeof *h);
    if (!h) return (plumb_history *)(uintptr_t)&exhausted;
    pool_init(&h->pool);
    return h;
}

void api_history_forget(plumb_history *h) {
    h->name = NULL;
    h->building = NULL;
    h->h = NULL;
    h->o = NULL;
}

static bool run(plumb_history *h, const char *call, void (*body)(void *argument), void *argument) {
    if (api_run(&h->pool, &h->error, call, body, argument)) return true;
    api_history_forget(h);
    return false;
}

static void begin_building(void *argument) {
    plumb_history *h = argument;
    h->name = mem_string("history");
    h->building = builder_new(h->name, &h->error);
}

plumb_history *plumb_history_new(void) {
    plumb_history *h = new_history();
    if (!h->error.code) run(h, "plumb_history_new", begin_building, h);
    return h;
}

static bool take_options(plumb_history *h, const plumb_read_options *given, read_options *how) {
    if (!options_have_size(given, "plumb_history_read", &h->error)) return false;
    if (!given) return true;
    if (API_GIVEN(given, independent)) how->independent = given->independent;
    if (API_GIVEN(given, observe)) how->observe = given->observe;
    if (!API_GIVEN(given, format) || !given->format) return true;
    how->format = format_find(given->format);
    return how->format || error_set(&h->error, EXIT_USAGE, "unknown format '%s'", given->format);
}

typedef struct reading {
    plumb_history *h;
    const char *path;
    const plumb_read_options *options;
} reading;

static void read_file(void *argument) {
    const reading *r = argument;
    plumb_history *h = r->h;
    read_options how = {0};
    const format *used = NULL;
    double begun = clock_seconds();
    h->name = mem_string(r->path);
    if (take_options(h, r->options, &how)) h->h = format_read(r->path, &how, &used, &h->error);
    assert(!h->h == !!h->error.code); /* a history or an error */
    h->format = used ? used->name : NULL;
    h->read_seconds = clock_seconds() - begun;
}

plumb_history *plumb_history_read(const char *path, const plumb_read_options *options) {
    plumb_history *h = new_history();
    if (h->error.code) return h;
    if (!path) call_misuse(&h->error, "plumb_history_read: the path is NULL; expected that of a file");
    else run(h, "plumb_history_read", read_file, &(reading){h, path, options});
    return h;
}

static value inward_list(values *t, const plumb_value *v, value_kind kind) {
    value *item = MEM_ARRAY(value, v->size);
    for (uint32_t i = 0; i < v->size; i++) item[i] = api_value(t, &v->as.item[i]);
    value made = value_list_of(t, kind, item, v->size);
    free(item);
    return made;
}

value api_value(values *t, const plumb_value *v) {
    value number;
    switch (v->kind) {
    case PLUMB_EMPTY: return VALUE_EMPTY;
    case PLUMB_FULL: return VALUE_FULL;
    case PLUMB_UNKNOWN: return VALUE_UNKNOWN;
    case PLUMB_BOOL: return value_bool(v->as.integer != 0);
    case PLUMB_INT: return value_int(t, v->as.integer);
    case PLUMB_BYTES: return value_bytes(t, v->as.bytes, v->size);
    case PLUMB_TUPLE: return inward_list(t, v, KIND_TUPLE);
    case PLUMB_SET: return inward_list(t, v, KIND_SET);
    case PLUMB_MAP: return inward_list(t, v, KIND_MAP);
    case PLUMB_NUMBER: /* what is no number stays what it is: bytes */
        return value_number(t, v->as.bytes, v->size, &number) ? number : value_bytes(t, v->as.bytes, v->size);
    default: return VALUE_NONE;
    }
}

/* Is there a history, and can something be added to it? */
static bool may_build(plumb_history *h, const char *call) {
    if (!h) return call_misuse(NULL, "%s: the history is NULL", call);
    if (h->error.code) return false;
    if (h->building) return true;
    return call_misuse(&h->error, "%s: %s is complete: nothing can be added to it", call, h->name);
}

typedef struct building_step {
    plumb_history *h;
    int64_t client;
    const char *method;
    const plumb_value *arg;
    size_t args;
    int64_t call, ret;
    const plumb_value *result;
    bool good;
} building_step;

/* Runs one step; what was added before may not allow it. */
static bool add(const char *call, void (*body)(void *argument), building_step *s) {
    return run(s->h, call, body, s) && (s->good || api_refused(call, &s->h->error));
}

static call_record call_of(const building_step *s, value *to) {
    builder *b = s->h->building;
    values *t = builder_values(b);
    assert(!s->h->h && !s->h->o); /* neither complete nor bound */
    for (size_t i = 0; i < s->args; i++) to[i] = api_value(t, &s->arg[i]);
    uint32_t line = ++s->h->event;
    return (call_record){.client = value_int(t, s->client),
                         .method = builder_method(b, s->method, strlen(s->method), line),
                         .key = VALUE_NONE,
                         .arg = to,
                         .nargs = s->args,
                         .line = line};
}

static void add_call(void *argument) {
    building_step *s = argument;
    value few[HISTORY_MAX_ARGS], *to = s->args > HISTORY_MAX_ARGS ? MEM_ARRAY(value, s->args) : few;
    call_record call = call_of(s, to);
    s->good = builder_call(s->h->building, &call) && !s->h->error.code;
    if (to != few) free(to);
}

bool plumb_history_call(plumb_history *h, int64_t client, const char *name, const plumb_value *arg, size_t args) {
    static const char call[] = "plumb_history_call";
    building_step s = {.h = h, .client = client, .method = name, .arg = arg, .args = args};
    return may_build(h, call) && api_call_is_right(call, name, arg, args, &h->error) && add(call, add_call, &s);
}

static void add_operation(void *argument) {
    building_step *s = argument;
    builder *b = s->h->building;
    value few[HISTORY_MAX_ARGS], *to = s->args > HISTORY_MAX_ARGS ? MEM_ARRAY(value, s->args) : few;
    call_record call = call_of(s, to);
    s->good =
        builder_operation(b, &call, s->call, s->ret, api_value(builder_values(b), s->result)) && !s->h->error.code;
    if (to != few) free(to);
}

bool plumb_history_operation(plumb_history *h, int64_t client, const char *name, const plumb_value *arg, size_t args,
                             int64_t call, int64_t ret, plumb_value result) {
    static const char this[] = "plumb_history_operation";
    building_step s = {.h = h, .client = client, .method = name, .arg = arg, .args = args, .result = &result};
    s.call = call;
    s.ret = ret;
    return may_build(h, this) && api_call_is_right(this, name, arg, args, &h->error) &&
           api_value_is_right(this, &result, &h->error) && add(this, add_operation, &s);
}

static value client_value(const building_step *s) { return value_int(builder_values(s->h->building), s->client); }

static void add_return(void *argument) {
    building_step *s = argument;
    builder *b = s->h->building;
    value result = api_value(builder_values(b), s->result);
    s->good = builder_return(b, client_value(s), result, ++s->h->event);
}

static void add_fail(void *argument) {
    building_step *s = argument;
    s->good = builder_fail(s->h->building, client_value(s), ++s->h->event);
}

static void add_info(void *argument) {
    building_step *s = argument;
    s->good = builder_info(s->h->building, client_value(s), ++s->h->event);
}

bool plumb_history_return(plumb_history *h, int64_t client, plumb_value result) {
    static const char call[] = "plumb_history_return";
    building_step s = {.h = h, .client = client, .result = &result};
    return may_build(h, call) && api_value_is_right(call, &result, &h->error) && add(call, add_return, &s);
}

bool plumb_history_fail(plumb_history *h, int64_t client) {
    building_step s = {.h = h, .client = client};
    return may_build(h, "plumb_history_fail") && add("plumb_history_fail", add_fail, &s);
}

bool plumb_history_info(plumb_history *h, int64_t client) {
    building_step s = {.h = h, .client = client};
    return may_build(h, "plumb_history_info") && add("plumb_history_info", add_info, &s);
}

history *api_history_complete(plumb_history *h) {
    if (h->building) {
        if (!h->error.code) h->h = builder_finish(h->building);
        builder_free(h->building);
        h->building = NULL;
    }
    assert(h->error.code || h->h);
    return h->error.code ? NULL : h->h;
}

const char *plumb_history_error(const plumb_history *h) {
    if (!h) {
        call_misuse(NULL, "plumb_history_error: the history is NULL");
        return "plumb_history_error: NULL";
    }
    return h->error.code ? h->error.what : NULL;
}

static void free_parts(void *argument) {
    plumb_history *h = argument;
    if (h->building) builder_free(h->building);
    history_free(h->h);
    object_close(h->o);
    free(h->name);
}

void plumb_history_free(plumb_history *h) {
    if (!h || h == &exhausted) return;
    pool_run(&h->pool, free_parts, h);
    assert(h->pool.lost || pool_is_empty(&h->pool));
    pool_drop(&h->pool);
    mem_foreign_free(h);
}
