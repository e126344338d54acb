/* Saturation online (engine/saturate/saturation.h): sound, and not always complete; `doubt` says where. Only when asked
 * for by name. */
#include "monitor/part.h"

#include "engine/saturate/saturation.h"

typedef struct saturated_part {
    monitor_part *part;
    saturation *s;
    monitored *by_handle; /* what has the handle, or had it last */
    uint32_t room;
    uint64_t calls;
} saturated_part;

static bool accepts(const object *o) { return saturation_understands(o); }

static void *create(monitor_part *p) {
    saturated_part *k = MEM_NEW(saturated_part);
    k->part = p;
    k->s = saturation_new(part_object(p), &part_options(p)->saturation);
    return k;
}

static void destroy(void *self) {
    saturated_part *k = self;
    saturation_free(k->s);
    free(k->by_handle);
    free(k);
}

static operation view_of(const monitored *op) {
    operation view = {.client = op->client,
                      .method = op->method,
                      .nargs = op->nargs,
                      .key = op->key,
                      .res = op->res,
                      .ret = RANK_NEVER};
    memcpy(view.arg, op->arg, sizeof view.arg);
    return view;
}

/* ---- evidence ---- */

typedef struct event_of {
    moment at;
    uint32_t op;
} event_of;

static int by_moment(const void *a, const void *b) {
    const event_of *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Are these a violation by themselves? Saturated once more, with nothing removed. */
static bool alone_violates(const saturated_part *k, const monitored *op, uint32_t n) {
    const saturation_settings all = {.removal = REMOVAL_NONE};
    event_of *event = MEM_ARRAY(event_of, 2 * (size_t)n + 1);
    uint32_t events = 0, *handle = MEM_ARRAY(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        event[events++] = (event_of){op[i].call, i};
        if (op[i].ret != MOMENT_NEVER) event[events++] = (event_of){op[i].ret, i};
    }
    qsort(event, events, sizeof *event, by_moment);
    for (uint32_t e = 1; e < events; e++) assert(event[e - 1].at < event[e].at);
    saturation *s = saturation_new(part_object(k->part), &all);
    for (uint32_t e = 0; e < events; e++) {
        uint32_t i = event[e].op;
        operation view = view_of(&op[i]);
        if (event[e].at == op[i].call) handle[i] = saturation_call(s, &view, i);
        else saturation_return(s, handle[i], op[i].res);
    }
    bool violates = saturation_now(s) == SATURATION_VIOLATION;
    saturation_free(s);
    free(event);
    free(handle);
    return violates;
}

/* What is remembered is most often enough. Of a cell whose beginning was removed it is not: what was there then is
 * missing. */
static void show_live(saturated_part *k) {
    uint32_t n, found = 0;
    uint64_t *number = saturation_numbers(k->s, &n);
    monitored *op = MEM_ARRAY(monitored, (size_t)n + 1);
    for (uint32_t h = 0; h < k->room && found < n; h++)
        for (uint32_t i = 0; i < n; i++)
            if (number[i] == k->by_handle[h].number) op[found++] = k->by_handle[h];
    assert(found <= n);
    bool may_be_left_out = saturation_leaves_whole(part_object(k->part), part_options(k->part)->saturation.removal);
    if ((may_be_left_out || k->calls == n) && alone_violates(k, op, found))
        for (uint32_t i = 0; i < found; i++) part_pattern(k->part, &op[i]);
    free(number);
    free(op);
}

static void look(saturated_part *k) {
    if (saturation_now(k->s) == SATURATION_GAVE_UP) part_undecided(k->part, "saturation: %s", saturation_why(k->s));
    if (saturation_now(k->s) != SATURATION_VIOLATION) return;
    part_violation(k->part, "%s", saturation_why(k->s));
    show_live(k);
}

/* ---- events ---- */

static void remember(saturated_part *k, uint32_t handle, const monitored *op) {
    if (handle >= k->room) {
        uint32_t room = k->room ? k->room : 8;
        while (room <= handle) room *= 2;
        k->by_handle = MEM_GROW(k->by_handle, monitored, room);
        for (; k->room < room; k->room++) k->by_handle[k->room] = (monitored){.number = UINT64_MAX};
    }
    k->by_handle[handle] = *op;
}

static void call_saturate(void *self, open_operation *op) {
    saturated_part *k = self;
    operation view = view_of(&op->op);
    uint32_t handle = saturation_call(k->s, &view, op->op.number);
    op->mine = handle;
    k->calls++;
    remember(k, handle, &op->op);
    look(k);
}

static void return_saturate(void *self, open_operation *op) {
    saturated_part *k = self;
    assert(op->mine < k->room && k->by_handle[op->mine].number == op->op.number);
    remember(k, (uint32_t)op->mine, &op->op);
    saturation_return(k->s, (uint32_t)op->mine, op->op.res);
    look(k);
}

static void pend_saturate(void *self, open_operation *op) {
    saturated_part *k = self;
    saturation_pend(k->s, (uint32_t)op->mine);
    open_operation_free(k->part, op);
    look(k);
}

static void drop_saturate(void *self, open_operation *op) {
    saturated_part *k = self;
    assert(k->calls && op->mine < k->room && k->by_handle[op->mine].number == op->op.number);
    saturation_drop(k->s, (uint32_t)op->mine);
    k->calls--;
    look(k);
}

/* ---- what is known ---- */

static bool rest(void *self, state *s) {
    saturated_part *k = self;
    if (!saturation_settle(k->s)) return false;
    part_object(k->part)->type->init(part_object(k->part), s);
    return true;
}

static const char *doubt(const void *self) { return saturation_doubt(((const saturated_part *)self)->s); }
static uint64_t live(const void *self) { return saturation_live(((const saturated_part *)self)->s); }

static size_t memory(const void *self) {
    const saturated_part *k = self;
    return sizeof *k + saturation_memory(k->s) + k->room * sizeof *k->by_handle;
}

MONITOR_RECORD(monitor_saturate, "saturate",
               "what follows for the order by unit propagation: finds violations, not always their absence",
               .objects = "queue stack multiset pqueue-max pqueue-min register swmr-register set", .by_name_only = true,
               .accepts = accepts, .create = create, .destroy = destroy, .call = call_saturate, .ret = return_saturate,
               .pend = pend_saturate, .drop = drop_saturate, .rest = rest, .doubt = doubt, .live = live,
               .memory = memory);
