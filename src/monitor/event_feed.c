#include "monitor/event_feed.h"

#include "base/mem.h"
#include "monitor/checkpoint.h"
#include "monitor/store.h"
#include "object/trust.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 256, UNKNOWN_METHOD = 255 };
#define FRESH_CLIENTS 0xf0000000u /* from here on: clients that go on after a pending operation */

typedef struct caller {
    open_operation *op; /* NULL: given up before a checkpoint */
    value client;
    uint32_t line;
    uint8_t number, nargs;
    unsigned method; /* the builder's number */
    value key, first;
} caller;

typedef struct saved_call { /* at a checkpoint: whose call is open */
    value client;
    uint64_t number; /* of the operation */
} saved_call;

enum { TOLD_TIMES = 1 << 16, FRESH_NAMES = 1 << 10 };

typedef struct told_time {
    moment event;
    int64_t time;
    bool known;
} told_time;

struct event_feed {
    builder *b;
    error *e;
    feed_options options;
    event_sink sink;
    told_time *told; /* the times of the latest events, by number; NULL: none was told */
    bool has_time;   /* of the event that comes next */
    int64_t time;
    value fresh_name[FRESH_NAMES]; /* of the latest fresh clients, by number */
    object *o;
    monitor *m;
    value_map callers; /* open calls: client -> caller */
    caller *caller;
    uint32_t callers_n, callers_room;
    uint32_t *unused;
    uint32_t unused_n;
    value_map renamed; /* clients that go on under a fresh number: client -> number - FRESH_CLIENTS */
    uint32_t fresh;
    uint8_t method[METHODS]; /* the builder's number -> the object's */
    unsigned methods;
    uint32_t line;
    moment seen, resumed; /* events so far; those that the checkpoint had seen are not fed again */
    saved_call *held;
    size_t held_n;
    value_map writer; /* of single-writer registers: key -> who writes it */
    bool one_writer;
};

/* ---- object and methods ---- */

static bool make_monitor(event_feed *f) {
    f->m = monitor_new(f->o, &f->options.monitor, f->e);
    if (!f->m || !f->options.checkpoint) return f->m != NULL;
    text notes = {0};
    bool found;
    if (!monitor_load(f->m, f->options.checkpoint, f->options.trust_checkpoint, &notes, &found, f->e)) return false;
    monitor_status s;
    monitor_look(f->m, &s);
    f->resumed = s.events;
    f->held = (saved_call *)(void *)notes.at;
    f->held_n = notes.size / sizeof *f->held;
    assert(f->held_n <= s.open);
    return true;
}

bool event_feed_save(event_feed *f, error *e) {
    text notes = {0};
    for (uint32_t i = 0; i < f->callers.slots; i++) {
        if (f->callers.slot[i].number == VALUE_MAP_ABSENT) continue;
        const caller *c = &f->caller[f->callers.slot[i].number];
        if (!c->op || open_operation_given_up(c->op)) continue;
        saved_call h = {c->client, open_operation_view(c->op)->number};
        text_bytes(&notes, &h, sizeof h);
    }
    bool good = monitor_save(f->m, f->options.checkpoint, notes.at, notes.size, e);
    text_free(&notes);
    return good;
}

static bool open_object(event_feed *f, uint32_t line) {
    const char *name = f->options.object ? f->options.object : builder_object_hint(f->b);
    if (!name) return builder_error(f->b, line, "nothing says what object this is; expected its name");
    const char *init = builder_initial(f->b, f->options.object, f->options.init);
    f->o = specification_of_file(builder_file(f->b), f->options.object, name, init, f->options.init, f->e);
    if (!f->o || !object_relax(f->o, &f->options.criterion, f->e)) return false;
    object_use_values(f->o, builder_values(f->b));
    f->one_writer = !strcmp(f->o->type->name, "swmr-register");
    return make_monitor(f);
}

bool event_feed_open(event_feed *f) { return open_object(f, 0); }

static bool find_method(event_feed *f, unsigned number, uint32_t line, uint8_t *out) {
    while (f->methods <= number) {
        int m = object_type_method(f->o->type, builder_method_name(f->b, f->methods));
        f->method[f->methods++] = m < 0 ? UNKNOWN_METHOD : (uint8_t)m;
    }
    *out = f->method[number];
    if (*out != UNKNOWN_METHOD) return true;
    text wrong = {0};
    object_unknown_method(f->o, builder_method_name(f->b, number), &wrong);
    builder_error(f->b, line, "%s", text_str(&wrong));
    text_free(&wrong);
    return false;
}

/* ---- clients ---- */

static bool client_error(event_feed *f, value client, uint32_t line, const char *before, const char *after) {
    text t = {0};
    value_print(builder_values(f->b), client, &t);
    builder_error(f->b, line, "%s %s %s", before, text_str(&t), after);
    text_free(&t);
    return false;
}

static caller *find_caller(event_feed *f, value client) {
    uint32_t i = value_map_find(&f->callers, client);
    return i == VALUE_MAP_ABSENT ? NULL : &f->caller[i];
}

static caller *new_caller(event_feed *f, value client) {
    if (!f->unused_n && f->callers_n == f->callers_room) {
        f->callers_room = f->callers_room ? 2 * f->callers_room : 16;
        f->caller = MEM_GROW(f->caller, caller, f->callers_room);
        f->unused = MEM_GROW(f->unused, uint32_t, f->callers_room);
    }
    uint32_t i = f->unused_n ? f->unused[--f->unused_n] : f->callers_n++;
    value_map_add(&f->callers, client, i);
    assert(f->callers.n == f->callers_n - f->unused_n && i < f->callers_room);
    return &f->caller[i];
}

static void forget_caller(event_feed *f, value client, const caller *c) {
    f->unused[f->unused_n++] = (uint32_t)(c - f->caller);
    value_map_remove(&f->callers, client);
    assert(c->client == client && f->callers.n == f->callers_n - f->unused_n);
}

static uint32_t client_number(const event_feed *f, value client) {
    uint32_t n = value_map_find(&f->renamed, client);
    return n == VALUE_MAP_ABSENT ? client : FRESH_CLIENTS + n;
}

static bool check_writer(event_feed *f, const operation *op, value client, uint32_t line) {
    if (!f->one_writer || (object_method(f->o, op)->role & ROLE_OBSERVES)) return true;
    uint32_t writer = value_map_find(&f->writer, op->key);
    if (writer == VALUE_MAP_ABSENT) value_map_add(&f->writer, op->key, client);
    else if (writer != client)
        return client_error(f, client, line, "client",
                            "writes, but another client wrote before; expected a single writer");
    return true;
}

/* ---- events ---- */

/* The last event that the checkpoint had seen has come by: whose calls are open now holds what the monitor has open. */
static bool catch_up(event_feed *f) {
    for (uint32_t i = 0; i < f->callers.slots; i++) {
        if (f->callers.slot[i].number == VALUE_MAP_ABSENT) continue;
        caller *c = &f->caller[f->callers.slot[i].number];
        for (size_t k = 0; k < f->held_n && !c->op; k++)
            if (f->held[k].client == c->client) c->op = monitor_find_open(f->m, f->held[k].number);
    }
    return true;
}

/* The event was seen before the checkpoint. */
static bool already_seen(event_feed *f) {
    if (f->seen++ >= f->resumed) return false;
    return f->seen < f->resumed || catch_up(f);
}

/* Of the event that was just judged. */
static void keep_time(event_feed *f) {
    if (f->has_time && !f->told) f->told = mem_zero(TOLD_TIMES, sizeof *f->told);
    moment at = f->seen - 1;
    if (f->has_time) f->told[at % TOLD_TIMES] = (told_time){.event = at, .time = f->time, .known = true};
    f->has_time = false;
}

static bool go_on(event_feed *f) {
    assert(f->seen > f->resumed);
    keep_time(f);
    if (f->options.after_event && !f->options.after_event(f->options.context, f)) return false;
    return monitor_verdict(f->m) == VERDICT_LINEARIZABLE;
}

static bool wrong_event(event_feed *f, uint32_t line, text *wrong) {
    builder_error(f->b, line, "%s", text_str(wrong));
    text_free(wrong);
    return false;
}

static bool take_arguments(event_feed *f, const call_record *call, operation *op) {
    value packed;
    const value *arg = call->arg;
    size_t n = call->nargs;
    if (n > HISTORY_MAX_ARGS) {
        packed = value_tuple(builder_values(f->b), arg, n);
        arg = &packed;
        n = 1;
    }
    op->nargs = (uint8_t)n;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) op->arg[a] = a < n ? arg[a] : VALUE_NONE;
    text wrong = {0};
    return object_bind_call(f->o, op, &wrong) || wrong_event(f, call->line, &wrong);
}

static bool on_call(void *context, const call_record *call) {
    event_feed *f = context;
    operation op = {.key = call->key, .res = VALUE_UNKNOWN, .ret = RANK_NEVER};
    if (!f->m && !open_object(f, call->line)) return false;
    f->line = call->line;
    if (!find_method(f, call->method, call->line, &op.method) || !take_arguments(f, call, &op)) return false;
    if (find_caller(f, call->client))
        return client_error(f, call->client, call->line, "client",
                            "calls again while its call is open; expected its return first");
    if (!check_writer(f, &op, call->client, call->line)) return false;
    monitor_call_record record = {
        .client = client_number(f, call->client), .method = op.method, .nargs = op.nargs, .key = op.key};
    memcpy(record.arg, op.arg, sizeof record.arg);
    caller *c = new_caller(f, call->client);
    *c = (caller){.client = call->client,
                  .line = call->line,
                  .number = op.method,
                  .nargs = op.nargs,
                  .method = call->method,
                  .key = op.key,
                  .first = op.arg[0]};
    if (already_seen(f)) return true;
    c->op = monitor_call(f->m, &record);
    return go_on(f);
}

static caller *must_find(event_feed *f, value client, uint32_t line, const char *what) {
    f->line = line;
    caller *c = find_caller(f, client);
    if (!c) client_error(f, client, line, what, "matches no open call; expected a call by this client first");
    return c;
}

static bool on_return(void *context, value client, value res, uint32_t line) {
    event_feed *f = context;
    caller *c = must_find(f, client, line, "return of client");
    if (!c) return false;
    operation op = {
        .method = c->number, .nargs = c->nargs, .key = c->key, .res = res, .arg = {c->first, VALUE_NONE, VALUE_NONE}};
    if (c->op) memcpy(op.arg, open_operation_view(c->op)->arg, sizeof op.arg);
    open_operation *open = c->op;
    text wrong = {0};
    forget_caller(f, client, c);
    if (already_seen(f)) return true;
    if (!object_bind_return(f->o, &op, &wrong)) return wrong_event(f, line, &wrong);
    if (open) monitor_return(f->m, open, op.res);
    else monitor_late(f->m);
    return go_on(f);
}

static bool on_fail(void *context, value client, uint32_t line) {
    event_feed *f = context;
    caller *c = must_find(f, client, line, "failure of client");
    if (!c) return false;
    open_operation *open = c->op;
    forget_caller(f, client, c);
    if (already_seen(f)) return true;
    if (open) monitor_fail(f->m, open);
    else monitor_late(f->m);
    return go_on(f);
}

static bool on_info(void *context, value client, uint32_t line) {
    event_feed *f = context;
    caller *c = must_find(f, client, line, "completion of client");
    if (!c) return false;
    open_operation *open = c->op;
    forget_caller(f, client, c);
    if (f->o->type->sees_clients) {
        value_map_remove(&f->renamed, client);
        f->fresh_name[f->fresh % FRESH_NAMES] = client;
        value_map_add(&f->renamed, client, f->fresh++);
    }
    if (already_seen(f)) return true;
    if (open) monitor_info(f->m, open);
    else monitor_late(f->m);
    return go_on(f);
}

static bool on_open_call(void *context, value client, open_call *out) {
    event_feed *f = context;
    const caller *c = find_caller(f, client);
    if (!c) return false;
    *out = (open_call){.method = c->method, .nargs = c->nargs, .first = c->first, .key = c->key, .line = c->line};
    return true;
}

static void on_open_args(void *context, value client, const value *arg, size_t nargs) {
    event_feed *f = context;
    (void)arg;
    (void)nargs;
    client_error(f, client, f->line + 1, "the call of client",
                 "has no value; expected it there, since a monitor cannot wait for the completion");
}

static void on_time(void *context, int64_t time) {
    event_feed *f = context;
    f->has_time = true;
    f->time = time;
}

/* ---- making ---- */

event_feed *event_feed_new(builder *b, const feed_options *options, error *e) {
    event_feed *f = MEM_NEW(event_feed);
    f->b = b;
    f->e = e;
    f->options = *options;
    value_map_reserve(&f->renamed, 16);
    f->sink = (event_sink){f, on_call, on_return, on_fail, on_info, on_open_call, on_open_args, on_time};
    builder_redirect(b, &f->sink);
    return f;
}

void event_feed_free(event_feed *f) {
    if (!f) return;
    monitor_free(f->m);
    object_close(f->o);
    FREE_ALL(f->callers.slot, f->renamed.slot, f->writer.slot, f->caller, f->unused, f->held, f->told, f);
}

monitor *event_feed_monitor(event_feed *f) { return f->m; }
uint32_t event_feed_line(const event_feed *f) { return f->line; }

bool event_feed_time(const event_feed *f, moment event, int64_t *out) {
    if (!f->told) return false;
    const told_time *t = &f->told[event % TOLD_TIMES];
    *out = t->time;
    return t->known && t->event == event;
}

void event_feed_name_clients(const event_feed *f, history *h) {
    for (uint32_t c = 0; c < h->clients; c++) {
        if (value_kind_of(h->values, h->client_name[c]) != KIND_INT) continue;
        int64_t number = value_as_int(h->values, h->client_name[c]) - FRESH_CLIENTS;
        if (number >= 0 && number < f->fresh && f->fresh - number <= FRESH_NAMES)
            h->client_name[c] = f->fresh_name[number % FRESH_NAMES];
    }
}

/* ---- whole operations ---- */

/* As for events: a client's number is its name; one that goes on after a pending operation has another. */
static uint32_t *client_numbers(const history *h) {
    uint32_t clients = h->client ? h->clients : h->n; /* each operation has one of its own, or they are numbered */
    uint32_t *number = MEM_ARRAY(uint32_t, (size_t)clients + 1);
    value_map named = {0};
    value_map_reserve(&named, 16);
    for (uint32_t c = 0; c < clients; c++) number[c] = FRESH_CLIENTS + c;
    for (uint32_t i = 0; i < h->n; i++) {
        value name = history_client_name(h, i);
        if (value_map_find(&named, name) != VALUE_MAP_ABSENT) continue;
        value_map_add(&named, name, history_client(h, i));
        number[history_client(h, i)] = name;
    }
    free(named.slot);
    return number;
}

static bool feed_event(event_feed *f, const history *h, const uint32_t *line, const uint32_t *number,
                       open_operation **open, uint32_t event) {
    operation op;
    history_operation(h, event / 2, &op);
    f->line = line ? line[event / 2] : 0;
    if (event & 1) {
        if (already_seen(f)) return true;
        if (open[event / 2]) monitor_return(f->m, open[event / 2], op.res);
        else monitor_late(f->m);
        return go_on(f);
    }
    if (already_seen(f)) {
        open[event / 2] = monitor_find_open(f->m, event / 2);
        return true;
    }
    monitor_call_record call = {.client = number[op.client], .method = op.method, .nargs = op.nargs, .key = op.key};
    memcpy(call.arg, op.arg, sizeof call.arg);
    open[event / 2] = monitor_call(f->m, &call);
    if (op.ret == RANK_NEVER) monitor_never_returns(f->m, open[event / 2]);
    return go_on(f);
}

static void feed_events(event_feed *f, const history *h, const uint32_t *line) {
    uint32_t *event = MEM_ARRAY(uint32_t, h->events + 1);
    uint32_t *number = client_numbers(h);
    open_operation **open = mem_zero(h->n + 1u, sizeof(open_operation *));
    assert(h->events == 2 * h->n - h->pending);
    for (uint32_t i = 0; i < h->n; i++) {
        event[h->call[i]] = 2 * i;
        if (!history_pending(h, i)) event[h->ret[i]] = 2 * i + 1;
    }
    for (uint32_t k = 0; k < h->events && feed_event(f, h, line, number, open, event[k]); k++) {}
    FREE_ALL(number, event, open);
}

bool event_feed_history(event_feed *f, history *h, const char *file) {
    const char *named = f->options.object;
    const object_type *inferred = named || h->object_hint ? NULL : object_infer(h, file, f->e);
    if (!named && !h->object_hint && !inferred) return false;
    if (inferred) named = inferred->name;
    const char *init = history_init(h, f->options.object, f->options.init);
    f->o = specification_of_file(file, named, h->object_hint, init, f->options.init, f->e);
    if (!f->o || !object_relax(f->o, &f->options.criterion, f->e)) return false;
    uint32_t *line = h->line ? mem_copy(h->line, h->n * sizeof *line) : NULL; /* binding forgets them */
    bool good = object_bind(f->o, h, file, f->e) && make_monitor(f);
    if (good) feed_events(f, h, line);
    free(line);
    return good;
}
