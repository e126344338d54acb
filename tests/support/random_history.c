#include "support/random_history.h"

#include "history/builder.h"

#include <stdio.h>

enum { MAX_PARTS = 64, MAX_CHOICES = 16, PROPOSALS = 4, BIND_ATTEMPTS = 200 };

typedef struct draft { /* an operation in the making */
    operation op;      /* res: VALUE_UNKNOWN until it took effect */
    int64_t call, ret;
    bool happened;
} draft;

typedef struct part { /* an independent object: a key, or an element of a set */
    value key;
    state now;
} part;

typedef struct simulation {
    random_source *r;
    const random_shape *shape;
    object *o;
    values *values;
    draft draft[RANDOM_MAX_OPERATIONS];
    uint32_t n;
    draft *open[RANDOM_MAX_CLIENTS]; /* by client slot */
    uint32_t name[RANDOM_MAX_CLIENTS], names;
    part part[MAX_PARTS];
    uint32_t parts;
    int64_t now;
    int64_t fresh; /* for values that are all different */
} simulation;

random_shape random_shape_any(random_source *r) {
    random_shape s = {.operations = 3 + random_below(r, 8), .clients = 1 + random_below(r, RANDOM_MAX_CLIENTS)};
    static const uint32_t ranges[] = {0, 0, 1, 2, 2, 3};
    s.values = ranges[random_below(r, 6)];
    s.keys = 1 + random_below(r, 2);
    s.pending = random_chance(r, 0.5) ? 0 : 0.2;
    s.ties = random_chance(r, 0.6) ? 0 : 0.4;
    s.spoil = 0.85;
    return s;
}

/* ---- what to call ---- */

static value part_key(const simulation *s, const operation *op) {
    if (s->o->type->keyed) return op->key;
    return s->o->type->parts_by_arg ? op->arg[0] : VALUE_NONE;
}

static state *part_state(simulation *s, const operation *op) {
    value key = part_key(s, op);
    for (uint32_t p = 0; p < s->parts; p++)
        if (s->part[p].key == key) return &s->part[p].now;
    if (s->parts == MAX_PARTS) abort();
    s->part[s->parts].key = key;
    s->o->type->init(s->o, &s->part[s->parts].now);
    return &s->part[s->parts++].now;
}

static value random_argument(simulation *s) {
    uint32_t range = s->shape->values;
    return value_int(s->values, range ? 1 + random_below(s->r, range) : ++s->fresh);
}

/* Elements of equal priority that can be told apart. */
static value random_element(simulation *s) {
    value item[2] = {value_int(s->values, 1 + random_below(s->r, 2)), random_argument(s)};
    return value_tuple(s->values, item, 2);
}

/* Something that is in the state now, so that a compare-and-set has a chance; or none. */
static value present_value(simulation *s, const operation *op) {
    const state *now = part_state(s, op);
    value v = now->n ? now->w[random_below(s->r, now->n)] : VALUE_NONE;
    return value_is_small_int(v) ? v : VALUE_NONE;
}

static value random_transaction(simulation *s) {
    value piece[2];
    uint32_t n = 1 + random_below(s->r, 2);
    for (uint32_t i = 0; i < n; i++) {
        bool reads = random_chance(s->r, 0.5);
        value one[3] = {value_bytes(s->values, reads ? "r" : "w", 1), value_int(s->values, random_below(s->r, 2)),
                        reads ? VALUE_NONE : random_argument(s)};
        piece[i] = value_tuple(s->values, one, 3);
    }
    return value_tuple(s->values, piece, n);
}

/* Arguments that are more than any values. */
static void shape_arguments(simulation *s, operation *op) {
    if (!strcmp(s->o->type->name, "multi-register")) op->arg[0] = random_transaction(s);
    if (strcmp(s->o->type->name, "bank") || op->nargs != 3) return;
    for (unsigned a = 0; a < 3; a++) op->arg[a] = value_int(s->values, random_below(s->r, a < 2 ? 3 : 12));
}

static void propose(simulation *s, operation *op) {
    const object_type *t = s->o->type;
    *op = (operation){.method = (uint8_t)random_below(s->r, t->method_count),
                      .key = VALUE_NONE,
                      .res = VALUE_UNKNOWN,
                      .ret = RANK_NEVER};
    const method *m = &t->methods[op->method];
    op->nargs = (uint8_t)(m->min_args + random_below(s->r, m->max_args - m->min_args + 1u));
    value element = value_int(s->values, 1 + random_below(s->r, s->shape->keys));
    if (t->keyed) op->key = element;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) op->arg[a] = a < op->nargs ? random_argument(s) : VALUE_NONE;
    if (!strncmp(t->name, "pqueue", 6) && op->nargs && random_chance(s->r, 0.5)) op->arg[0] = random_element(s);
    if (m->arg == ARG_INT_FIRST) op->arg[0] = value_int(s->values, random_below(s->r, 3));
    else if (t->parts_by_arg && op->nargs) op->arg[0] = element;
    else if (op->nargs == 2 && m->arg == ARG_VALUE && random_chance(s->r, 0.6)) op->arg[0] = present_value(s, op);
    shape_arguments(s, op);
}

/* One of the possible outcomes, each with the same chance. The state changes only when there is one. */
static bool take_effect(simulation *s, operation *op) {
    state *now = part_state(s, op), next = {0}, chosen = {0};
    value result = VALUE_UNKNOWN;
    uint32_t legal = 0;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && choice < MAX_CHOICES; choice++) {
        value res;
        state_copy(&next, now);
        r = s->o->type->step(s->o, &next, op, choice, &res);
        if (r == STEP_ILLEGAL || random_below(s->r, ++legal)) continue;
        state_copy(&chosen, &next);
        result = res;
    }
    if (legal) {
        state_copy(now, &chosen);
        op->res = result;
    }
    state_free(&next);
    state_free(&chosen);
    return legal;
}

static bool possible_now(simulation *s, const operation *op) {
    state next = {0};
    value res;
    state_copy(&next, part_state(s, op));
    step_result r = s->o->type->step(s->o, &next, op, 0, &res);
    state_free(&next);
    return r != STEP_ILLEGAL;
}

/* ---- the run ---- */

static void call_something(simulation *s, uint32_t c) {
    draft *d = &s->draft[s->n++];
    bool one_writer = !strcmp(s->o->type->name, "swmr-register");
    for (unsigned tries = 0; tries < PROPOSALS; tries++) {
        do propose(s, &d->op);
        while (one_writer && c && !(s->o->type->methods[d->op.method].role & ROLE_OBSERVES));
        d->op.client = s->name[c];
        if (possible_now(s, &d->op)) break;
    }
    d->call = s->now;
    d->ret = STAMP_NEVER;
    d->happened = false;
    s->open[c] = d;
}

/* Stays pending; the client starts afresh. Where the object looks at clients it has to be another one for the run
 * too. */
static void give_up(simulation *s, uint32_t c) {
    s->open[c] = NULL;
    if (s->o->type->sees_clients) s->name[c] = s->names++;
}

/* A recording may have dropped a result that its method can do without. */
static void come_back(simulation *s, uint32_t c) {
    draft *d = s->open[c];
    result_kind kind = s->o->type->methods[d->op.method].result;
    bool may_lack = kind == RESULT_MAYBE_INT || kind == RESULT_MAYBE_BOOL;
    if (may_lack && s->shape->kept != KEPT_ALL && (s->shape->kept == KEPT_NONE || random_chance(s->r, 0.4)))
        d->op.res = VALUE_NONE;
    d->ret = s->now;
    s->open[c] = NULL;
}

/* Half of an exchange has no result until the other half is there; an exchange may also meet no partner. */
static void happen(simulation *s, draft *d) {
    bool meets = s->o->type->may_end != NULL;
    if (meets && random_chance(s->r, 0.2)) d->op.res = VALUE_EMPTY;
    d->happened = take_effect(s, &d->op);
    if (!d->happened) d->op.res = VALUE_UNKNOWN;
    if (!meets || !d->happened || d->op.res == VALUE_EMPTY || !object_may_end(s->o, part_state(s, &d->op))) return;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->draft[i].happened && s->draft[i].op.res == VALUE_UNKNOWN) s->draft[i].op.res = d->op.arg[0];
}

static void progress(simulation *s, uint32_t c) {
    draft *d = s->open[c];
    if (random_chance(s->r, s->shape->pending / 2)) {
        give_up(s, c);
    } else if (!d->happened) {
        happen(s, d);
    } else if (d->op.res != VALUE_UNKNOWN) {
        come_back(s, c);
    }
}

static void run(simulation *s) {
    for (uint32_t c = 0; c < s->shape->clients; c++) s->name[c] = s->names++;
    for (uint32_t round = 0; round < 12 * s->shape->operations; round++) {
        uint32_t c = random_below(s->r, s->shape->clients);
        if (s->open[c]) progress(s, c);
        else if (s->n < s->shape->operations) call_something(s, c);
        if (!random_chance(s->r, s->shape->ties)) s->now++;
    }
}

/* ---- spoiling ---- */

typedef struct moment { /* an event: whose, and where its stamp is kept */
    uint32_t op;
    int64_t *stamp;
} moment;

static void exchange_stamps(int64_t *a, int64_t *b) {
    int64_t stamp = *a;
    *a = *b;
    *b = stamp;
}

/* Two neighbouring events of different clients change places. */
static void swap_events(simulation *s) {
    moment all[2 * RANDOM_MAX_OPERATIONS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        all[n++] = (moment){i, &s->draft[i].call};
        if (s->draft[i].ret != STAMP_NEVER) all[n++] = (moment){i, &s->draft[i].ret};
    }
    const moment *one = &all[random_below(s->r, n)], *next = NULL;
    for (uint32_t k = 0; k < n; k++)
        if (*all[k].stamp > *one->stamp && (!next || *all[k].stamp < *next->stamp)) next = &all[k];
    if (!next || s->draft[one->op].op.client == s->draft[next->op].op.client) return;
    exchange_stamps(one->stamp, next->stamp);
    const draft *a = &s->draft[one->op], *b = &s->draft[next->op];
    if (a->call > a->ret || b->call > b->ret) exchange_stamps(one->stamp, next->stamp); /* ties allow no swap */
}

static draft *random_completed(simulation *s) {
    for (unsigned attempt = 0; attempt < 8; attempt++) {
        draft *d = &s->draft[random_below(s->r, s->n)];
        if (d->ret != STAMP_NEVER && s->o->type->methods[d->op.method].result != RESULT_VOID) return d;
    }
    return NULL;
}

static void exchange_results(simulation *s) {
    draft *a = random_completed(s), *b = random_completed(s);
    if (!a || !b || a->op.method != b->op.method) return;
    value res = a->op.res;
    a->op.res = b->op.res;
    b->op.res = res;
}

static value near_int(simulation *s, value v) {
    int64_t i = value_kind_of(s->values, v) == KIND_INT ? value_as_int(s->values, v) : 0;
    return value_int(s->values, i + (int64_t)random_below(s->r, 3) - 1);
}

static value other_value(simulation *s, value v) {
    if (value_kind_of(s->values, v) == KIND_TUPLE) {
        size_t n;
        const value *item = value_as_tuple(s->values, v, &n);
        value copy[16];
        if (n == 0 || n > 16) return v;
        memcpy(copy, item, n * sizeof *copy);
        uint32_t at = random_below(s->r, (uint32_t)n);
        copy[at] = other_value(s, copy[at]);
        return value_tuple(s->values, copy, n);
    }
    const draft *d = &s->draft[random_below(s->r, s->n)];
    if (random_chance(s->r, 0.2)) return VALUE_NONE;
    return d->op.nargs ? d->op.arg[random_below(s->r, d->op.nargs)] : random_argument(s);
}

static value other_result(simulation *s, result_kind kind, value res) {
    switch (kind) {
    case RESULT_VOID: return res;
    case RESULT_BOOL:
    case RESULT_MAYBE_BOOL:
        return s->shape->kept == KEPT_NONE && kind == RESULT_MAYBE_BOOL ? res : value_bool(res != VALUE_TRUE);
    case RESULT_INT:
    case RESULT_MAYBE_INT: return near_int(s, res);
    case RESULT_REMOVED: return random_chance(s->r, 0.3) ? VALUE_EMPTY : other_value(s, res);
    case RESULT_ANY:
    case RESULT_VALUE: return other_value(s, res);
    }
    return res;
}

static void change_result(simulation *s) {
    draft *d = random_completed(s);
    if (!d) return;
    value before = d->op.res;
    for (unsigned attempt = 0; attempt < 4 && d->op.res == before; attempt++)
        d->op.res = other_result(s, s->o->type->methods[d->op.method].result, before);
}

static void spoil(simulation *s) {
    for (uint32_t change = 1 + random_below(s->r, 4); change && s->n; change--) {
        switch (random_below(s->r, 5)) {
        case 0:
        case 1: change_result(s); break;
        case 2: exchange_results(s); break;
        default: swap_events(s); break;
        }
    }
}

/* ---- the history ---- */

static void record(builder *b, const simulation *s, const draft *d, uint32_t line) {
    const operation *op = &d->op;
    const char *name = s->o->type->methods[op->method].name;
    value arg[HISTORY_MAX_ARGS + 1];
    unsigned nargs = 0;
    if (s->o->type->keyed) arg[nargs++] = op->key;
    for (unsigned a = 0; a < op->nargs; a++) arg[nargs++] = op->arg[a];
    call_record call = {.client = value_int(s->values, op->client),
                        .method = builder_method(b, name, strlen(name), line),
                        .key = VALUE_NONE,
                        .arg = arg,
                        .nargs = nargs,
                        .line = line};
    if (!builder_operation(b, &call, d->call, d->ret, op->res)) abort();
}

/* An object may demand more of a history than a random one has (one writer only): the caller tries again then. */
static bool attempt(random_source *r, const char *object_name, const random_shape *shape, bound *out, error *e) {
    builder *b = builder_new("random", e);
    simulation s = {.r = r, .shape = shape, .o = object_open(object_name, NULL, e), .values = builder_values(b)};
    if (!s.o || shape->operations > RANDOM_MAX_OPERATIONS || shape->clients > RANDOM_MAX_CLIENTS) return false;
    object_use_values(s.o, s.values);
    run(&s);
    if (random_chance(r, shape->spoil)) spoil(&s);
    for (uint32_t i = 0; i < s.n; i++) record(b, &s, &s.draft[i], i + 1);
    for (uint32_t p = 0; p < s.parts; p++) state_free(&s.part[p].now);
    *out = (bound){.o = s.o, .h = builder_finish(b)};
    builder_free(b);
    if (out->h && object_bind(out->o, out->h, "random", e)) return true;
    free_bound(out);
    return false;
}

bound random_history(random_source *r, const char *object_name, const random_shape *shape) {
    bound b;
    error e = {0};
    for (unsigned tries = 0; tries < BIND_ATTEMPTS; tries++, e.code = 0)
        if (attempt(r, object_name, shape, &b, &e)) return b;
    fprintf(stderr, "random_history: no history of %s: %s\n", object_name, e.what);
    abort();
}

static void operation_text(const bound *b, uint32_t i, text *out) {
    const history *h = b->h;
    operation op;
    history_operation(h, i, &op);
    text_printf(out, "%u %s(", op.client, object_method(b->o, &op)->name);
    if (b->o->type->keyed) value_print(h->values, op.key, out);
    for (unsigned a = 0; a < op.nargs; a++) {
        if (a || b->o->type->keyed) text_char(out, ' ');
        value_print(h->values, op.arg[a], out);
    }
    text_char(out, ')');
    if (!history_pending(h, i)) {
        text_add(out, " -> ");
        value_print(h->values, op.res, out);
        text_printf(out, " [%lld,%lld]", (long long)history_call_time(h, i), (long long)history_ret_time(h, i));
    } else {
        text_printf(out, " [%lld,-]", (long long)history_call_time(h, i));
    }
}

void history_text(const bound *b, text *out) {
    for (uint32_t i = 0; i < b->h->n; i++) {
        operation_text(b, i, out);
        text_char(out, '\n');
    }
}
