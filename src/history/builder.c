#include "history/builder.h"

#include "base/mem.h"
#include "history/history_check.h"
#include "history/rank.h"
#include "history/value_map.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_OPERATION UINT32_MAX
enum { MAX_METHODS = 250, MAX_OPERATIONS = 0x7ffffff0, RECENT_CLIENTS = 64 };

typedef struct method_tag { /* tells most names apart at a glance */
    uint64_t start;         /* the first bytes of the name */
    size_t length;
} method_tag;

typedef struct client_state {
    value name;
    uint32_t open;    /* the operation whose call is open, or NO_OPERATION */
    uint32_t index;   /* of the client under which it calls now: changes after a pending operation */
    int64_t returned; /* whole operations: the last one's return */
} client_state;

struct builder {
    const char *file;
    error *e;
    history *h;
    uint32_t room;
    uint32_t expected;             /* operations, as far as the reader can tell; 0: it cannot */
    unsigned arg_columns;          /* how many of h->arg there are */
    int64_t *call_time, *ret_time; /* event files: file order */
    bool by_events, by_operations;
    bool order_only; /* stamps say the order and nothing else */
    bool ties_precede;
    bool spread; /* for ranking, stamps are three times what they were, and a bit: see spread_ties */
    bool own_clients, named_clients;
    uint32_t clock; /* events so far */
    int64_t *told;  /* by event: what the file says when it was; as long as all events say so and it does not go back */
    uint32_t told_n, told_room;
    bool has_time; /* of the event that comes next */
    int64_t time;
    int64_t low, high; /* all stamps of whole operations lie between them, but for STAMP_NEVER */
    bool any_never;
    bool moved;    /* for ranking, all stamps are one less than they were */
    bool touching; /* some client's operation begins when its last one returned, or earlier */
    int64_t last_call;
    bool out_of_order; /* some call stamp is below the one before it */
    bool overlap;      /* some client's operation begins before its last one returned, if it did */

    client_state *client;
    uint32_t clients, client_room;
    value_map by_name;               /* client name -> client */
    uint32_t recent[RECENT_CLIENTS]; /* of whole operations: the client found last, by the name's low bits */
    uint32_t name_room, annotation_room;
    method_tag tag[MAX_METHODS];
    bool *dropped;          /* by operation; NULL until one is dropped */
    const event_sink *sink; /* takes the events; NULL: they are kept here */
    uint32_t dropped_room;
};

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

static uint32_t new_client_index(builder *b, value name) {
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
        (client_state){.name = name, .open = NO_OPERATION, .index = new_client_index(b, name), .returned = INT64_MIN};
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

static const char *client_text(const builder *b, value client, text *t) {
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
                      client_text(b, call->client, &t), b->h->line[c->open]);
        text_free(&t);
        return false;
    }
    if (c->index == NO_OPERATION) { /* its last operation is pending for ever */
        c->index = new_client_index(b, c->name);
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
                  client_text(b, client, &t));
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

/* ---- finishing ---- */

static void move_operation(builder *b, uint32_t to, uint32_t from) {
    history *h = b->h;
    h->method[to] = h->method[from];
    h->nargs[to] = h->nargs[from];
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        if (h->arg[a]) h->arg[a][to] = h->arg[a][from];
    if (h->key) h->key[to] = h->key[from];
    if (h->client) h->client[to] = h->client[from];
    h->res[to] = h->res[from];
    h->line[to] = h->line[from];
    b->call_time[to] = b->call_time[from];
    b->ret_time[to] = b->ret_time[from];
}

static void forget_dropped(builder *b) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->h->n; i++) {
        if (i < b->dropped_room && b->dropped[i]) continue;
        if (kept != i) move_operation(b, kept, i);
        kept++;
    }
    assert(kept + b->h->failed == b->h->n);
    b->h->n = kept;
}

static void permute(void *column, size_t width, const uint32_t *order, uint32_t n) {
    if (!column) return;
    char *copy = mem_copy(column, n * width);
    for (uint32_t i = 0; i < n; i++) memcpy((char *)column + i * width, copy + order[i] * width, width);
    free(copy);
}

static void permute_operations(builder *b, const uint32_t *order) {
    history *h = b->h;
    uint32_t n = h->n;
    permute(h->method, sizeof *h->method, order, n);
    permute(h->nargs, sizeof *h->nargs, order, n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) permute(h->arg[a], sizeof(value), order, n);
    permute(h->key, sizeof(value), order, n);
    permute(h->client, sizeof *h->client, order, n);
    permute(h->res, sizeof(value), order, n);
    permute(h->line, sizeof *h->line, order, n);
    permute(b->call_time, sizeof *b->call_time, order, n);
    permute(b->ret_time, sizeof *b->ret_time, order, n);
    if (!h->number) h->number = mem_copy(order, n * sizeof *order);
    else permute(h->number, sizeof *h->number, order, n);
}

static void sort_by_call(builder *b) {
    if (!b->out_of_order) return;
    uint32_t *order = rank_sort(b->call_time, b->h->n);
    if (order) permute_operations(b, order);
    free(order);
}

static bool is_open(const builder *b, uint32_t i) { return b->h->res[i] == VALUE_UNKNOWN; }

/* ---- equal stamps of one client ---- */

/* By operation: the client's operation before it, if that returned when this one was called; RANK_NEVER: none. NULL:
 * there is no such pair. */
static uint32_t *find_own_ties(const builder *b) {
    const history *h = b->h;
    uint32_t *last = MEM_ARRAY(uint32_t, h->clients), *after = MEM_ARRAY(uint32_t, h->n);
    bool any = false;
    memset(last, 0xff, h->clients * sizeof *last);
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t before = last[h->client[i]];
        bool tied = before != RANK_NEVER && !is_open(b, before) && b->ret_time[before] == b->call_time[i];
        after[i] = tied ? before : RANK_NEVER;
        any |= tied;
        last[h->client[i]] = i;
    }
    free(last);
    if (any) return after;
    free(after);
    return NULL;
}

static void note_tie(history *h, uint32_t first, uint32_t second) {
    if ((h->ties & (h->ties - 1)) == 0)
        h->tied = mem_resize(h->tied, h->ties ? 2 * (size_t)h->ties : 1, sizeof *h->tied);
    h->tied[h->ties][0] = first;
    h->tied[h->ties++][1] = second;
}

/* A client that goes on after a pending operation is another one: at the same stamp, its calls wait for nothing. */
enum goes_on { GOES_NORMALLY, GOES_PENDING, GOES_ON };

static void find_going_on(const builder *b, uint32_t from, uint32_t to, uint8_t *goes) {
    for (uint32_t i = from; i < to; i++) {
        uint8_t *g = &goes[b->h->client[i]];
        if (*g == GOES_PENDING) *g = GOES_ON;
        else if (is_open(b, i) && *g == GOES_NORMALLY) *g = GOES_PENDING;
    }
}

/* Of the operations [from, to), called at one stamp, those of the last client with a tie keep their order; the ties of
 * the others are noted, and no longer in `after`. The last, so that a file in the order that is made here reads alike.
 * `goes`: by client, GOES_NORMALLY before and after. */
static void choose_client(builder *b, uint32_t *after, uint32_t from, uint32_t to, uint8_t *goes) {
    history *h = b->h;
    uint32_t chosen = RANK_NEVER;
    find_going_on(b, from, to, goes);
    for (uint32_t i = from; i < to; i++)
        if (after[i] != RANK_NEVER && goes[h->client[i]] != GOES_ON) chosen = h->client[i];
    for (uint32_t i = from; i < to; i++) {
        goes[h->client[i]] = GOES_NORMALLY;
        if (after[i] == RANK_NEVER || h->client[i] == chosen) continue;
        note_tie(h, after[i], i);
        after[i] = RANK_NEVER;
    }
}

/* Behind the other calls of their stamp come those that wait for a return of it. */
static uint32_t *order_of_calls(const uint32_t *after, uint32_t from, uint32_t to, uint32_t *order) {
    for (unsigned waits = 0; waits < 2; waits++)
        for (uint32_t i = from; i < to; i++)
            if ((after[i] != RANK_NEVER) == waits) *order++ = i;
    return order;
}

static void move_ties(history *h, uint32_t *after, const uint32_t *order) {
    uint32_t *place = MEM_ARRAY(uint32_t, h->n), *moved = MEM_ARRAY(uint32_t, h->n);
    for (uint32_t i = 0; i < h->n; i++) place[order[i]] = i;
    for (uint32_t i = 0; i < h->n; i++) moved[i] = after[order[i]] == RANK_NEVER ? RANK_NEVER : place[after[order[i]]];
    memcpy(after, moved, h->n * sizeof *after);
    for (uint32_t t = 0; t < h->ties; t++)
        for (unsigned k = 0; k < 2; k++) h->tied[t][k] = place[h->tied[t][k]];
    free(place);
    free(moved);
}

/* What rank_events needs to keep the order of a client's own operations; NULL: it is kept without. */
static uint32_t *keep_own_order(builder *b) {
    history *h = b->h;
    if (!b->by_operations || b->own_clients || !b->touching) return NULL;
    uint32_t *after = find_own_ties(b), *order = MEM_ARRAY(uint32_t, h->n), *next = order;
    uint8_t *goes = mem_zero(h->clients, 1);
    bool changed = false;
    for (uint32_t from = 0, to; after && from < h->n; from = to) {
        for (to = from + 1; to < h->n && b->call_time[to] == b->call_time[from];) to++;
        choose_client(b, after, from, to, goes);
        next = order_of_calls(after, from, to, next);
    }
    for (uint32_t i = 0; after && i < h->n; i++) changed |= order[i] != i;
    if (changed) {
        permute_operations(b, order);
        move_ties(h, after, order);
    }
    free(order);
    free(goes);
    return after;
}

static void move_stamps(builder *b, int64_t by) {
    for (uint32_t i = 0; i < b->h->n; i++) {
        b->call_time[i] += by;
        if (!is_open(b, i)) b->ret_time[i] += by;
    }
    b->low += by;
    b->moved = !b->moved;
}

/* Returns of pending operations sort behind all others: give them the smallest stamp that does, so that the range of
 * stamps, and with it the number of radix passes, stays small. The largest integer may be a time: then all make room.
 * */
static bool bring_never_near(builder *b, int64_t *never) {
    if (b->by_events) b->high = b->clock;
    bool full = b->high == INT64_MAX;
    if (full && b->low == INT64_MIN)
        return builder_error(b, 0, "stamps reach from the smallest integer to the largest; expected less");
    if (!b->by_events && !b->any_never) {
        *never = full ? INT64_MIN : INT64_MAX; /* no return has it */
        return true;
    }
    if (full) move_stamps(b, -1);
    else b->high++;
    *never = b->high;
    for (uint32_t i = 0; i < b->h->n; i++) {
        assert(is_open(b, i) || b->ret_time[i] < b->high);
        if (is_open(b, i)) b->ret_time[i] = b->high;
    }
    return true;
}

static void keep_stamps(const builder *b, stamps *s, int64_t *time, uint32_t n) {
    int64_t low = b->low;
    if (n == 0 || (uint64_t)b->high - (uint64_t)low > UINT32_MAX) {
        s->wide = time;
        return;
    }
    s->base = low;
    uint32_t *narrow = (void *)time; /* in place: entry i is written after entry i was read, and never ahead of it */
    for (uint32_t i = 0; i < n; i++) {
        assert(time[i] >= low && time[i] <= b->high); /* so that the difference fits */
        uint32_t offset = (uint32_t)((uint64_t)time[i] - (uint64_t)low);
        memcpy((char *)narrow + i * sizeof offset, &offset, sizeof offset);
    }
    s->narrow = MEM_GROW(narrow, uint32_t, n);
}

static bool overlap_error(builder *b, uint32_t before, uint32_t i, value client) {
    text t = {0};
    builder_error(
        b, b->h->line[i],
        "client %s calls at %lld while its operation of line %u is open until %lld; expected one open call a client",
        client_text(b, client, &t), (long long)b->call_time[i], b->h->line[before], (long long)b->ret_time[before]);
    text_free(&t);
    return false;
}

/* Whole operations of one client must not overlap. After a pending one the client goes on under a fresh index, as
 * testers do; two operations that both returned and overlap are an error in the recording. */
static bool separate_clients(builder *b) {
    history *h = b->h;
    if (!b->overlap) return true;
    uint32_t names = h->clients, *last = MEM_ARRAY(uint32_t, names), *now = MEM_ARRAY(uint32_t, names);
    memset(last, 0xff, names * sizeof *last);
    for (uint32_t c = 0; c < names; c++) now[c] = c;
    bool good = true;
    for (uint32_t i = 0; i < h->n && good; i++) {
        uint32_t c = h->client[i], before = last[c];
        last[c] = i;
        if (before != NO_OPERATION && h->ret[before] == RANK_NEVER) {
            now[c] = new_client_index(b, h->client_name[c]);
            h->reused++;
        } else if (before != NO_OPERATION && b->ret_time[before] > b->call_time[i]) {
            good = overlap_error(b, before, i, h->client_name[c]);
        }
        h->client[i] = now[c];
    }
    free(last);
    free(now);
    return good;
}

static void shrink(history *h) {
    uint32_t n = h->n;
    h->method = MEM_GROW(h->method, uint8_t, n);
    h->nargs = MEM_GROW(h->nargs, uint8_t, n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        if (h->arg[a]) h->arg[a] = MEM_GROW(h->arg[a], value, n);
    if (h->key) h->key = MEM_GROW(h->key, value, n);
    if (h->client) h->client = MEM_GROW(h->client, uint32_t, n);
    h->res = MEM_GROW(h->res, value, n);
    h->line = MEM_GROW(h->line, uint32_t, n);
}

/* The event of this rank happened at this tick of the builder's clock: it may be the first behind an annotation. */
/* Times that the file gave its events. Where a return comes before a call at one time they do not say the order
 * that the lines say. */
static void keep_told_times(builder *b) {
    history *h = b->h;
    if (!b->by_events || !b->told_n || b->told_n != b->clock) return;
    h->call_time.wide = MEM_ARRAY(int64_t, (size_t)h->n + 1);
    h->ret_time.wide = MEM_ARRAY(int64_t, (size_t)h->n + 1);
    uint8_t *returns = mem_zero(b->clock, 1);
    for (uint32_t i = 0; i < h->n; i++) {
        h->call_time.wide[i] = b->told[b->call_time[i]];
        h->ret_time.wide[i] = history_pending(h, i) ? 0 : b->told[b->ret_time[i]];
        if (!history_pending(h, i)) returns[b->ret_time[i]] = 1;
    }
    bool returned = false; /* something did, at this time */
    for (uint32_t k = 0; k < b->clock; k++) {
        if (k && b->told[k] != b->told[k - 1]) returned = false;
        if (!returns[k] && returned) h->clock = CLOCK_SHOWN;
        returned |= returns[k];
    }
    free(returns);
}

static void note_event(const history *h, uint32_t *first, int64_t tick, uint32_t rank) {
    uint32_t low = 0, high = h->annotations; /* annotations below `low` were made no later than the event */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (h->annotation[middle].before <= tick) low = middle + 1;
        else high = middle;
    }
    assert(!low || h->annotation[low - 1].before <= tick);
    assert(low == h->annotations || h->annotation[low].before > tick);
    if (low && rank < first[low - 1]) first[low - 1] = rank;
}

/* From the builder's clock to ranks: an annotation stands before the first event, of an operation that was not dropped,
 * behind it in the file. With stamps the file has no order of returns: the first call counts. */
static void place_by_lines(builder *b) {
    history *h = b->h;
    uint32_t *first = MEM_ARRAY(uint32_t, h->annotations), next = h->events;
    memset(first, 0xff, h->annotations * sizeof *first);
    for (uint32_t i = 0; i < h->n; i++) {
        note_event(h, first, b->by_events ? b->call_time[i] : 2 * (int64_t)history_number(h, i), h->call[i]);
        if (b->by_events && !history_pending(h, i)) note_event(h, first, b->ret_time[i], h->ret[i]);
    }
    for (uint32_t a = h->annotations; a-- > 0;) {
        if (first[a] < next) next = first[a];
        h->annotation[a].before = next;
    }
    free(first);
}

static int by_time(const void *a, const void *b) {
    const annotation *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : (x->text > y->text) - (x->text < y->text);
}

static void place_event(annotation *note, uint32_t n, int64_t stamp, uint32_t rank) {
    uint32_t low = 0, high = n; /* notes below `low` were made no later than the event */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (note[middle].time <= stamp) low = middle + 1;
        else high = middle;
    }
    if (low && rank < note[low - 1].before) note[low - 1].before = rank;
}

/* Whole operations have no order of lines: a note that says its time stands before the first event that is not
 * earlier. */
static void place_by_times(history *h) {
    uint32_t n = 0;
    annotation *note = MEM_ARRAY(annotation, (size_t)h->annotations + 1);
    for (uint32_t a = 0; a < h->annotations; a++)
        if (h->annotation[a].timed) note[n++] = h->annotation[a];
    qsort(note, n, sizeof *note, by_time);
    for (uint32_t a = 0; a < n; a++) note[a].before = h->events;
    for (uint32_t i = 0; i < h->n && n; i++) {
        place_event(note, n, history_call_time(h, i), h->call[i]);
        if (!history_pending(h, i)) place_event(note, n, history_ret_time(h, i), h->ret[i]);
    }
    for (uint32_t a = n; a-- > 1;)
        if (note[a].before < note[a - 1].before) note[a - 1].before = note[a].before;
    annotation *line = MEM_ARRAY(annotation, (size_t)h->annotations + 1);
    uint32_t lines = 0, at = 0, k = 0;
    for (uint32_t a = 0; a < h->annotations; a++)
        if (!h->annotation[a].timed) line[lines++] = h->annotation[a];
    for (uint32_t a = 0; a < h->annotations; a++) {
        bool next_line = at < lines && (k == n || line[at].before <= note[k].before);
        h->annotation[a] = next_line ? line[at++] : note[k++];
    }
    free(line);
    free(note);
}

static void place_annotations(builder *b) {
    if (!b->h->annotations) return;
    place_by_lines(b);
    if (history_has_stamps(b->h) && b->by_operations) place_by_times(b->h);
}

/* Three places for each stamp: returns, then what begins and ends there, then calls. The history is ranked by
 * these, and the stamps, which do not say that order to other readers, are shown. */
static bool spread_ties(builder *b) {
    history *h = b->h;
    if (!b->by_operations || !b->ties_precede || !rank_touches(b->call_time, b->ret_time, STAMP_NEVER, h->n))
        return true;
    uint64_t range = (uint64_t)b->high - (uint64_t)b->low;
    if (range > INT64_MAX / 4)
        return builder_error(b, 0, "equal stamps in a list whose stamps reach too far; expected less");
    for (uint32_t i = 0; i < h->n; i++) {
        int64_t call = b->call_time[i] - b->low, ret = b->ret_time[i] - b->low;
        bool open = is_open(b, i), point = !open && call == ret;
        b->call_time[i] = 3 * call + (point ? 1 : 2);
        if (!open) b->ret_time[i] = 3 * ret + point;
    }
    b->high = 3 * (int64_t)range + 2;
    b->spread = b->out_of_order = true;
    return true;
}

static void gather_ties(builder *b, int64_t low) {
    for (uint32_t i = 0; i < b->h->n; i++) {
        b->call_time[i] = b->call_time[i] / 3 + low;
        b->ret_time[i] = is_open(b, i) ? low : b->ret_time[i] / 3 + low;
    }
    b->high = b->high / 3 + low;
    b->low = low;
    b->h->clock = CLOCK_SHOWN;
}

history *builder_finish(builder *b) {
    history *h = b->h;
    if (b->e->code) return NULL;
    if (b->by_events && b->by_operations) {
        builder_error(b, 0, "events and whole operations are mixed; expected one kind");
        return NULL;
    }
    if (h->failed) forget_dropped(b);
    sort_by_call(b);
    int64_t low = b->low;
    if (!spread_ties(b)) return NULL;
    if (b->spread) {
        b->low = 0;
        sort_by_call(b);
    }
    for (uint32_t i = 1; i < h->n; i++) assert(b->call_time[i - 1] <= b->call_time[i]);
    shrink(h);
    int64_t never = INT64_MAX;
    if (!bring_never_near(b, &never)) return NULL;
    uint32_t *after = keep_own_order(b);
    h->call = MEM_ARRAY(uint32_t, h->n);
    h->ret = MEM_ARRAY(uint32_t, h->n);
    h->events = rank_events(b->call_time, b->ret_time, never, h->n, after, h->call, h->ret);
    free(after);
    h->pending = 2 * h->n - h->events;
    if (b->own_clients) h->clients = h->n;
    else if (b->by_operations && !separate_clients(b)) return NULL;
    if (b->moved) move_stamps(b, 1);
    if (b->spread) gather_ties(b, low);
    if (b->by_operations && !b->order_only) {
        keep_stamps(b, &h->call_time, b->call_time, h->n);
        keep_stamps(b, &h->ret_time, b->ret_time, h->n);
        b->call_time = b->ret_time = NULL;
    }
    place_annotations(b);
    keep_told_times(b);
    if (!history_has_times(h)) h->tick = 0; /* ranks are no times */
    history_check(h);
    history_check_dense(h);
    b->h = NULL;
    return h;
}
