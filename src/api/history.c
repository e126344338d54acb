/* Histories through the front door. */
#include "api/api.h"

#include "base/budget.h"
#include "base/mem.h"
#include "format/format.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *plumb_version(void) { return PLUMB_VERSION; }

plumb_history *plumb_history_new(void) {
    plumb_history *h = MEM_NEW(plumb_history);
    h->name = mem_string("history");
    h->building = builder_new(h->name, &h->error);
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

plumb_history *plumb_history_read(const char *path, const plumb_read_options *options) {
    plumb_history *h = MEM_NEW(plumb_history);
    read_options how = {0};
    const format *used = NULL;
    double begun = clock_seconds();
    h->name = mem_string(path);
    if (take_options(h, options, &how)) h->h = format_read(path, &how, &used, &h->error);
    assert(!h->h == !!h->error.code); /* a history or an error */
    h->format = used ? used->name : NULL;
    h->read_seconds = clock_seconds() - begun;
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

static bool may_build(plumb_history *h) {
    if (h->error.code) return false;
    if (h->building) return true;
    return error_set(&h->error, EXIT_USAGE, "%s is complete: nothing can be added to it", h->name);
}

static call_record call_of(plumb_history *h, int64_t client, const char *name, const plumb_value *arg, size_t args,
                           value *to) {
    values *t = builder_values(h->building);
    assert(!h->h && !h->o); /* neither complete nor bound */
    for (size_t i = 0; i < args; i++) to[i] = api_value(t, &arg[i]);
    uint32_t line = ++h->event;
    return (call_record){.client = value_int(t, client),
                         .method = builder_method(h->building, name, strlen(name), line),
                         .key = VALUE_NONE,
                         .arg = to,
                         .nargs = args,
                         .line = line};
}

bool plumb_history_call(plumb_history *h, int64_t client, const char *name, const plumb_value *arg, size_t args) {
    if (!may_build(h)) return false;
    value *to = MEM_ARRAY(value, args);
    call_record call = call_of(h, client, name, arg, args, to);
    bool good = builder_call(h->building, &call) && !h->error.code;
    free(to);
    return good;
}

bool plumb_history_operation(plumb_history *h, int64_t client, const char *name, const plumb_value *arg, size_t args,
                             int64_t call, int64_t ret, plumb_value result) {
    if (!may_build(h)) return false;
    value *to = MEM_ARRAY(value, args);
    call_record record = call_of(h, client, name, arg, args, to);
    bool good = builder_operation(h->building, &record, call, ret, api_value(builder_values(h->building), &result)) &&
                !h->error.code;
    free(to);
    return good;
}

static value client_value(plumb_history *h, int64_t client) { return value_int(builder_values(h->building), client); }

bool plumb_history_return(plumb_history *h, int64_t client, plumb_value result) {
    if (!may_build(h)) return false;
    return builder_return(h->building, client_value(h, client), api_value(builder_values(h->building), &result),
                          ++h->event);
}

bool plumb_history_fail(plumb_history *h, int64_t client) {
    return may_build(h) && builder_fail(h->building, client_value(h, client), ++h->event);
}

bool plumb_history_info(plumb_history *h, int64_t client) {
    return may_build(h) && builder_info(h->building, client_value(h, client), ++h->event);
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

const char *plumb_history_error(const plumb_history *h) { return h->error.code ? h->error.what : NULL; }

void plumb_history_free(plumb_history *h) {
    if (!h) return;
    if (h->building) builder_free(h->building);
    history_free(h->h);
    object_close(h->o);
    free(h->name);
    free(h);
}
