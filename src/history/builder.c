#include "history/builder_inside.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

builder *builder_new(const char *file, error *e) {
    builder *b = MEM_NEW(builder);
    b->file = file;
    b->e = e;
    b->h = MEM_NEW(history);
    b->h->values = values_new();
    b->low = INT64_MAX;
    b->high = INT64_MIN;
    b->last_call = INT64_MIN;
    return b;
}

void builder_free(builder *b) {
    if (!b) return;
    history_free(b->h);
    FREE_ALL(b->call_time, b->ret_time, b->client, b->by_name.slot, b->dropped, b->told, b);
}

values *builder_values(builder *b) { return b->h->values; }

bool builder_error(builder *b, uint32_t line, const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (line) return error_set(b->e, EXIT_BAD_INPUT, "%s:%u: %s", b->file, line, what);
    return error_set(b->e, EXIT_BAD_INPUT, "%s: %s", b->file, what);
}

static method_tag tag_of(const char *name, size_t length) {
    method_tag t = {.length = length};
    for (size_t i = 0; i < length && i < sizeof t.start; i++) t.start |= (uint64_t)(unsigned char)name[i] << 8 * i;
    return t;
}

unsigned builder_method(builder *b, const char *name, size_t length, uint32_t line) {
    history *h = b->h;
    method_tag t = tag_of(name, length);
    for (unsigned m = 0; m < h->methods; m++)
        if (b->tag[m].start == t.start && b->tag[m].length == length &&
            (length <= sizeof t.start || memcmp(h->method_name[m], name, length) == 0))
            return m;
    if (length == 0 || memchr(name, 0, length)) {
        builder_error(b, line,
                      length ? "method name with a NUL byte; expected a word" : "empty method name; expected a word");
        return 0;
    }
    if (h->methods == MAX_METHODS) {
        builder_error(b, line, "more than %d different method names; expected operations of one object", MAX_METHODS);
        return 0;
    }
    h->method_name = MEM_GROW(h->method_name, char *, h->methods + 1);
    h->method_line = MEM_GROW(h->method_line, uint32_t, h->methods + 1);
    h->method_name[h->methods] = mem_alloc(length + 1);
    memcpy(h->method_name[h->methods], name, length);
    h->method_name[h->methods][length] = 0;
    h->method_line[h->methods] = line;
    b->tag[h->methods] = t;
    assert(h->methods < MAX_METHODS && strlen(h->method_name[h->methods]) == length);
    return h->methods++;
}

void builder_expect(builder *b, uint64_t operations) {
    b->expected = operations < MAX_OPERATIONS ? (uint32_t)operations : 0;
}

void builder_tick(builder *b, int64_t nanoseconds) { b->h->tick = nanoseconds; }

void builder_object(builder *b, const char *name) {
    free(b->h->object_hint);
    b->h->object_hint = mem_string(name);
}

void builder_init(builder *b, const char *initial) {
    free(b->h->init_hint);
    b->h->init_hint = mem_string(initial);
}

void builder_sample(builder *b, uint64_t one_of) { b->h->sample = one_of > UINT32_MAX ? UINT32_MAX : (uint32_t)one_of; }

void builder_lacks(builder *b, const char *what) {
    free(b->h->lacks);
    b->h->lacks = mem_string(what);
}

void builder_redirect(builder *b, const event_sink *sink) {
    assert(!sink || (b->clock == 0 && b->h->n == 0)); /* what came before would be lost */
    b->sink = sink;
}
const char *builder_method_name(const builder *b, unsigned method) { return b->h->method_name[method]; }
const char *builder_object_hint(const builder *b) { return b->h->object_hint; }
const char *builder_file(const builder *b) { return b->file; }
const char *builder_lacking(const builder *b) { return b->h->lacks; }
const char *builder_initial(const builder *b, const char *object, const char *given) {
    return history_init(b->h, object, given);
}
bool builder_has_operations(const builder *b) { return b->by_operations; }

void builder_time(builder *b, int64_t time) {
    if (b->sink && b->sink->time) b->sink->time(b->sink->context, time);
    b->has_time = true;
    b->time = time;
}

/* The event that was just numbered has this time. */
static void note_time(builder *b) {
    bool complete = b->told_n + 1 == b->clock; /* all events before it have one */
    if (b->has_time && complete && (!b->told_n || b->told[b->told_n - 1] <= b->time)) {
        if (b->told_n == b->told_room) b->told = MEM_GROW(b->told, int64_t, b->told_room = b->told_room * 2 + 64);
        b->told[b->told_n++] = b->time;
    }
    b->has_time = false;
}

void builder_annotation(builder *b, value what) { builder_note(b, &(annotation){.text = what}); }

void builder_note(builder *b, const annotation *note) {
    history *h = b->h;
    if (b->sink) return;
    if (h->annotations == b->annotation_room) {
        b->annotation_room = b->annotation_room ? b->annotation_room * 2 : 16;
        h->annotation = MEM_GROW(h->annotation, annotation, b->annotation_room);
    }
    assert(!h->annotations || h->annotation[h->annotations - 1].before <= b->clock);
    h->annotation[h->annotations] = *note;
    h->annotation[h->annotations++].before = b->clock;
}

uint32_t builder_notes(const builder *b) { return b->h->annotations; }

void builder_note_until(builder *b, uint32_t number, int64_t until) {
    if (b->sink) return; /* which keeps no notes */
    assert(number < b->h->annotations);
    annotation *note = &b->h->annotation[number];
    if (!note->timed || until < note->time) return;
    note->lasts = true;
    note->until = until;
}

/* ---- clients ---------------------------------------------------------------------------------------------------- */

static uint32_t find_client(const builder *b, value name) { return value_map_find(&b->by_name, name); }

uint32_t builder_new_client(builder *b, value name) {
    history *h = b->h;
    if (h->clients == b->name_room) {
        b->name_room = b->name_room ? b->name_room * 2 : 16;
        h->client_name = MEM_GROW(h->client_name, value, b->name_room);
    }
    h->client_name[h->clients] = name;
    return h->clients++;
}

static client_state *client_of(builder *b, value name) {
    uint32_t c = find_client(b, name);
    if (c != NO_OPERATION) return &b->client[c];
    if (b->clients == b->client_room) {
        b->client_room = b->client_room ? b->client_room * 2 : 16;
        b->client = MEM_GROW(b->client, client_state, b->client_room);
    }
    c = b->clients++;
    b->client[c] =
        (client_state){.name = name, .open = NO_OPERATION, .index = builder_new_client(b, name), .returned = INT64_MIN};
    value_map_add(&b->by_name, name, c);
    assert(find_client(b, name) == c && b->h->client_name[b->client[c].index] == name);
    return &b->client[c];
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* Twice as many, until there are enough to believe the reader: what is reserved too much is never touched. */
static uint32_t next_room(const builder *b) {
    enum { FIRST_ROOM = 1024, BELIEVABLE = 1 << 16 };
    if (!b->room) return FIRST_ROOM;
    uint64_t expected = (uint64_t)b->expected + b->expected / 32, twice = (uint64_t)b->room * 2;
    uint64_t room = b->room >= BELIEVABLE && expected > twice ? expected : twice;
    assert(room > b->room);
    return room < MAX_OPERATIONS ? (uint32_t)room : MAX_OPERATIONS;
}

/* Growing by far: fresh columns lie side by side and share large pages, those that grow in place do not. */
static void *grow_column(void *column, size_t width, uint32_t from, uint32_t to) {
    if (!column || to / 2 <= from) return mem_resize(column, to, width);
    void *fresh = mem_resize(NULL, to, width);
    memcpy(fresh, column, from * width);
    free(column);
    return fresh;
}

static void grow(builder *b) {
    history *h = b->h;
    uint32_t from = b->room, room = next_room(b);
    b->room = room;
    b->call_time = grow_column(b->call_time, sizeof *b->call_time, from, room);
    b->ret_time = grow_column(b->ret_time, sizeof *b->ret_time, from, room);
    if (!b->own_clients) h->client = grow_column(h->client, sizeof *h->client, from, room);
    h->method = grow_column(h->method, sizeof *h->method, from, room);
    h->nargs = grow_column(h->nargs, sizeof *h->nargs, from, room);
    for (unsigned a = 0; a < b->arg_columns; a++) h->arg[a] = grow_column(h->arg[a], sizeof(value), from, room);
    if (h->key) h->key = grow_column(h->key, sizeof(value), from, room);
    h->res = grow_column(h->res, sizeof(value), from, room);
    h->line = grow_column(h->line, sizeof *h->line, from, room);
}

/* Columns appear when first used; what came before had no value there. */
static value *new_column(const builder *b) {
    value *c = MEM_ARRAY(value, b->room);
    for (uint32_t i = 0; i < b->h->n; i++) c[i] = VALUE_NONE;
    return c;
}

static inline void store_args(builder *b, uint32_t i, const value *arg, size_t nargs) {
    static const value none = VALUE_NONE;
    history *h = b->h;
    value packed;
    if (nargs > HISTORY_MAX_ARGS) {
        packed = value_tuple(h->values, arg, nargs);
        arg = &packed;
        nargs = 1;
    }
    assert(nargs <= HISTORY_MAX_ARGS && i <= h->n);
    while (b->arg_columns < nargs) h->arg[b->arg_columns++] = new_column(b);
    assert(b->arg_columns <= HISTORY_MAX_ARGS);
    for (unsigned a = 0; a < b->arg_columns; a++)
        h->arg[a][i] = *(a < nargs ? &arg[a] : &none); /* no branch: with alternating methods it is mispredicted */
    h->nargs[i] = (uint8_t)nargs;
}

static inline uint32_t append(builder *b, const call_record *call, int64_t call_time, int64_t ret_time, value res) {
    history *h = b->h;
    if (h->n == b->room) grow(b);
    uint32_t i = h->n;
    assert(i < b->room && call->method < h->methods);
    assert(call_time <= ret_time);
    b->call_time[i] = call_time;
    b->ret_time[i] = ret_time;
    h->res[i] = res;
    h->line[i] = call->line;
    if (call->key != VALUE_NONE && !h->key) h->key = new_column(b);
    if (h->key) h->key[i] = call->key;
    store_args(b, i, call->arg, call->nargs);
    h->method[i] = (uint8_t)call->method;
    h->n++;
    return i;
}

/* Arguments that become a tuple (store_args) are one level deeper than they were. */
static bool can_pack(builder *b, const call_record *call) {
    for (size_t i = 0; i < call->nargs; i++)
        if (value_depth(b->h->values, call->arg[i]) >= VALUE_MOST_DEEP)
            return builder_error(b, call->line, "one of %zu arguments is nested %d deep; expected less", call->nargs,
                                 VALUE_MOST_DEEP);
    return true;
}

static bool has_room(builder *b, const call_record *call) {
    if (b->h->n >= MAX_OPERATIONS)
        return builder_error(b, call->line, "more than %d operations; expected at most that many in one history",
                             MAX_OPERATIONS);
    return call->nargs <= HISTORY_MAX_ARGS || can_pack(b, call);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

const char *builder_client_text(const builder *b, value client, text *t) {
    value_print(b->h->values, client, t);
    return text_str(t);
}

bool builder_call(builder *b, const call_record *call) {
    if (b->e->code || !has_room(b, call)) return false;
    if (b->sink) return b->sink->call(b->sink->context, call);
    b->by_events = true;
    client_state *c = client_of(b, call->client);
    if (c->open != NO_OPERATION) {
        text t = {0};
        builder_error(b, call->line,
                      "client %s calls again while its call of line %u is open; expected its return first",
                      builder_client_text(b, call->client, &t), b->h->line[c->open]);
        text_free(&t);
        return false;
    }
    if (c->index == NO_OPERATION) { /* its last operation is pending for ever */
        c->index = builder_new_client(b, c->name);
        b->h->reused++;
    }
    uint32_t i = append(b, call, b->clock++, STAMP_NEVER, VALUE_UNKNOWN);
    note_time(b);
    assert(c->index < b->h->clients && b->h->client_name[c->index] == call->client);
    b->h->client[i] = c->index;
    c->open = i;
    return true;
}

static client_state *open_client(builder *b, value client, uint32_t line, const char *what) {
    uint32_t c = find_client(b, client);
    if (c != NO_OPERATION && b->client[c].open != NO_OPERATION) {
        uint32_t open = b->client[c].open;
        assert(b->client[c].name == client && open < b->h->n);
        assert(b->ret_time[open] == STAMP_NEVER && b->h->res[open] == VALUE_UNKNOWN); /* it has not returned */
        assert(b->h->client[open] == b->client[c].index);
        (void)open;
        return &b->client[c];
    }
    text t = {0};
    builder_error(b, line, "%s of client %s matches no open call; expected a call by this client first", what,
                  builder_client_text(b, client, &t));
    text_free(&t);
    return NULL;
}

bool builder_return(builder *b, value client, value res, uint32_t line) {
    if (b->sink) return !b->e->code && b->sink->ret(b->sink->context, client, res, line);
    client_state *c = open_client(b, client, line, "return");
    if (!c) return false;
    assert(b->call_time[c->open] < b->clock);
    b->ret_time[c->open] = b->clock++;
    note_time(b);
    b->h->res[c->open] = res;
    c->open = NO_OPERATION;
    return true;
}

bool builder_fail(builder *b, value client, uint32_t line) {
    if (b->sink) return !b->e->code && b->sink->fail(b->sink->context, client, line);
    b->has_time = false;
    client_state *c = open_client(b, client, line, "failure");
    if (!c) return false;
    if (c->open >= b->dropped_room) {
        uint32_t room = b->room;
        b->dropped = MEM_GROW(b->dropped, bool, room);
        memset(b->dropped + b->dropped_room, 0, room - b->dropped_room);
        b->dropped_room = room;
    }
    assert(c->open < b->dropped_room && !b->dropped[c->open]);
    b->dropped[c->open] = true;
    b->h->failed++;
    c->open = NO_OPERATION;
    return true;
}

bool builder_info(builder *b, value client, uint32_t line) {
    if (b->sink) return !b->e->code && b->sink->info(b->sink->context, client, line);
    b->has_time = false;
    client_state *c = open_client(b, client, line, "completion");
    if (!c) return false;
    c->open = NO_OPERATION;
    c->index = NO_OPERATION; /* a fresh one if it ever calls again */
    return true;
}

bool builder_is_streamed(const builder *b) { return b->sink != NULL; }

bool builder_open_call(const builder *b, value client, open_call *out) {
    if (b->sink) return b->sink->open_call(b->sink->context, client, out);
    uint32_t c = find_client(b, client), i = c == NO_OPERATION ? NO_OPERATION : b->client[c].open;
    if (i == NO_OPERATION) return false;
    const history *h = b->h;
    *out = (open_call){.method = h->method[i],
                       .nargs = h->nargs[i],
                       .first = h->arg[0] ? h->arg[0][i] : VALUE_NONE,
                       .key = h->key ? h->key[i] : VALUE_NONE,
                       .line = h->line[i]};
    return true;
}

void builder_open_args(builder *b, value client, const value *arg, size_t nargs) {
    if (b->sink) {
        b->sink->open_args(b->sink->context, client, arg, nargs);
        return;
    }
    uint32_t c = find_client(b, client);
    assert(c != NO_OPERATION && b->client[c].open != NO_OPERATION);
    store_args(b, b->client[c].open, arg, nargs);
}

/* ---- operations ---- */

static client_state *recent_client(builder *b, value name) {
    uint32_t *recent = &b->recent[name % RECENT_CLIENTS];
    if (*recent >= b->clients || b->client[*recent].name != name) *recent = (uint32_t)(client_of(b, name) - b->client);
    assert(*recent < b->clients && b->client[*recent].name == name);
    return &b->client[*recent];
}

static void note_client(builder *b, uint32_t i, value name, int64_t call_time, int64_t ret_time) {
    client_state *c = recent_client(b, name);
    b->h->client[i] = c->index;
    b->overlap |= call_time < c->returned || c->returned == STAMP_NEVER;
    b->touching |= call_time <= c->returned;
    c->returned = ret_time;
}

static void note_stamps(builder *b, int64_t call_time, int64_t ret_time, bool never) {
    int64_t last = never ? call_time : ret_time;
    b->any_never |= never;
    b->low = call_time < b->low ? call_time : b->low;
    b->high = last > b->high ? last : b->high;
    b->out_of_order |= call_time < b->last_call;
    b->last_call = call_time;
}

bool builder_operation(builder *b, const call_record *call, int64_t call_time, int64_t ret_time, value res) {
    return builder_whole_operation(b, call, call_time, ret_time, ret_time != STAMP_NEVER, res);
}

bool builder_whole_operation(builder *b, const call_record *call, int64_t call_time, int64_t ret_time, bool returned,
                             value res) {
    if (!returned) ret_time = STAMP_NEVER;
    if (b->e->code || !has_room(b, call)) return false;
    b->by_operations = true;
    if (ret_time < call_time)
        return builder_error(b, call->line, "the return (%lld) is before the call (%lld); expected call <= return",
                             (long long)ret_time, (long long)call_time);
    if (call->client == CLIENT_OWN) b->own_clients = true;
    else b->named_clients = true;
    if (b->own_clients && b->named_clients)
        return builder_error(b, call->line, "some operations name a client and some do not; expected all or none");
    uint32_t i = append(b, call, call_time, ret_time, returned ? res : VALUE_UNKNOWN);
    if (!b->own_clients) note_client(b, i, call->client, call_time, ret_time);
    note_stamps(b, call_time, ret_time, !returned);
    b->clock += 2;
    return true;
}

void builder_order_only(builder *b) { b->order_only = true; }
void builder_ties_precede(builder *b) { b->ties_precede = true; }
