#include "generate/choose.h"

#include "base/words.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <string.h>

enum { RECENT = 64, DRY_BURST = 4, SEGMENTS = 4 };

static const habit habits[] = {
    {"pqueue-max", ARGUMENTS_SCATTERED, false, false, NULL},
    {"pqueue-min", ARGUMENTS_SCATTERED, false, false, NULL},
    {"pqueue-max-fifo", ARGUMENTS_SCATTERED, false, false, NULL},
    {"pqueue-min-fifo", ARGUMENTS_SCATTERED, false, false, NULL},
    {"counter", ARGUMENTS_SMALL, false, false, NULL},
    {"fetch-add", ARGUMENTS_SMALL, false, false, NULL},
    {"max-register", ARGUMENTS_RISING, false, false, NULL},
    {"swmr-register", ARGUMENTS_DISTINCT, true, false, NULL},
    {"lock", ARGUMENTS_DISTINCT, false, false, "lock trylock"},
    {"rwlock", ARGUMENTS_DISTINCT, false, false, "rlock wlock tryrlock trywlock"},
    {"semaphore", ARGUMENTS_DISTINCT, false, false, "acquire tryacquire"},
    {.object = "whole-kv", .arguments = ARGUMENTS_OF_FEW_KEYS},
    {.object = "whole-set", .arguments = ARGUMENTS_OF_FEW_KEYS},
    {.object = "bank", .arguments = ARGUMENTS_OF_TRANSFERS},
    {.object = "multi-register", .arguments = ARGUMENTS_OF_TRANSACTIONS},
    {.object = "write-snapshot", .own_segment = true},
    {.object = "immediate-snapshot", .own_segment = true},
};

bool chooser_has_word(const char *words, const char *name) { return words_find(words, name, strlen(name)) >= 0; }

static bool has_role(const object_type *t, unsigned role) {
    for (unsigned m = 0; m < t->method_count; m++)
        if (t->methods[m].role & role) return true;
    return false;
}

void chooser_init(chooser *c, const object *o, const generate_options *options, values *v, random_source *r) {
    const object_type *t = o->type;
    *c = (chooser){.o = o, .options = options, .values = v, .r = r};
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (!strcmp(habits[i].object, t->name)) c->habit = habits[i];
    for (unsigned m = 0; m < t->method_count; m++)
        c->acquires[m] = chooser_has_word(c->habit.acquires, t->methods[m].name);
    c->container = has_role(t, ROLE_ADDS) && has_role(t, ROLE_REMOVES) && !t->keyed && !t->parts_by_arg;
}

bool chooser_acquires(const chooser *c, const operation *op) { return c->acquires[op->method]; }

/* ---- the method ---- */

/* Any method with this role; 0: any with none of the roles. */
static uint8_t method_with(chooser *c, unsigned role) {
    const object_type *t = c->o->type;
    uint8_t found = 0;
    uint32_t count = 0;
    for (unsigned m = 0; m < t->method_count; m++) {
        bool fits = role ? t->methods[m].role & role : !t->methods[m].role;
        if (fits && random_below(c->r, ++count) == 0) found = (uint8_t)m;
    }
    assert(count == 0 || !role || t->methods[found].role & role);
    return found;
}

/* The size swings around the one that was asked for; a dry spell aims for nothing, until enough removes met an empty
 * one. */
static bool wants_add(chooser *c, const site *s) {
    const generate_options *g = c->options;
    if (g->empties >= 0) {
        double owed = g->empties * (double)c->calls - (double)c->empties;
        if (owed >= DRY_BURST) c->dry = true;
        if (owed <= 0) c->dry = false;
        if (!c->dry && s->size <= s->removing) return true; /* a remove could meet an empty container */
    }
    double target = c->dry ? 0 : g->occupancy, size = (double)s->size + s->adding - s->removing;
    double p = 0.5 + (target - size) / (2 * (target + 1));
    return random_chance(c->r, p < 0.03 ? 0.03 : p > 0.97 ? 0.97 : p);
}

static uint8_t container_method(chooser *c, const site *s) {
    const object_type *t = c->o->type;
    if (has_role(t, ROLE_OBSERVES) && random_chance(c->r, 0.1)) return method_with(c, ROLE_OBSERVES);
    if (t->words && random_chance(c->r, 0.01)) return method_with(c, 0); /* takes out everything */
    return method_with(c, wants_add(c, s) ? ROLE_ADDS : ROLE_REMOVES);
}

/* Who holds nothing takes; who holds something mostly gives back. */
static uint8_t lock_method(chooser *c, uint32_t holding) {
    bool takes = !holding || (holding < CHOOSER_MAX_HOLDS && random_chance(c->r, 0.2));
    uint8_t m;
    do m = (uint8_t)random_below(c->r, c->o->type->method_count);
    while (c->acquires[m] != takes);
    return m;
}

static uint8_t choose_method(chooser *c, const site *s, uint32_t client, uint32_t holding) {
    const object_type *t = c->o->type;
    if (c->container) return container_method(c, s);
    if (c->habit.acquires) return lock_method(c, holding);
    if (c->habit.one_writer && client != 0) return method_with(c, ROLE_OBSERVES);
    if (c->habit.one_writer) return (uint8_t)random_below(c->r, t->method_count);
    if (has_role(t, ROLE_OBSERVES) && random_chance(c->r, 0.4)) return method_with(c, ROLE_OBSERVES);
    return (uint8_t)random_below(c->r, t->method_count);
}

/* ---- the arguments ---- */

/* A permutation of the 30-bit numbers: different inputs, different outputs, no visible order. */
static int64_t scatter(int64_t i) {
    uint32_t x = (uint32_t)i & 0x3fffffff;
    x = (x * 0x2545f491u) & 0x3fffffff;
    x ^= x >> 15;
    return (int64_t)((x * 0x1b873593u) & 0x3fffffff);
}

static value fresh_or_recent(chooser *c) {
    int64_t i;
    if (c->last && random_chance(c->r, c->options->duplicates)) {
        int64_t recent = c->last < RECENT ? c->last : RECENT;
        i = c->last - (int64_t)random_below(c->r, (uint32_t)recent);
    } else {
        i = ++c->last;
    }
    assert(i > 0 && i <= c->last);
    if (c->habit.arguments == ARGUMENTS_SCATTERED) i = scatter(i);
    if (c->habit.arguments == ARGUMENTS_RISING) i += random_below(c->r, 8);
    return value_int(c->values, i);
}

/* What the state holds just now: a compare-and-set that expects it has a chance. */
static value expected(chooser *c, const site *s) {
    if (s->now.n && random_chance(c->r, 0.75)) {
        value v = s->now.w[random_below(c->r, s->now.n)];
        if (v == VALUE_NONE || value_is_small_int(v)) return v;
    }
    int64_t recent = c->last < 8 ? c->last : 8;
    return value_int(c->values, c->last - (int64_t)random_below(c->r, (uint32_t)recent + 1));
}

/* Up to three reads and writes of a few registers. */
static value transaction(chooser *c) {
    enum { MOST = 3, REGISTERS = 5 };
    value part[MOST];
    uint32_t n = 1 + random_below(c->r, MOST);
    for (uint32_t i = 0; i < n; i++) {
        bool reads = random_chance(c->r, 0.5);
        value key = value_int(c->values, random_below(c->r, REGISTERS));
        value one[3] = {value_bytes(c->values, reads ? "r" : "w", 1), key, reads ? VALUE_NONE : fresh_or_recent(c)};
        part[i] = value_tuple(c->values, one, 3);
    }
    return value_tuple(c->values, part, n);
}

static void choose_transfer(chooser *c, operation *op) {
    uint32_t accounts = (uint32_t)c->o->parameter[0];
    op->arg[0] = value_int(c->values, random_below(c->r, accounts));
    op->arg[1] = value_int(c->values, random_below(c->r, accounts));
    op->arg[2] = value_int(c->values, 1 + random_below(c->r, 9));
}

/* A theory's methods say nothing of what their arguments are for. Where some have two or more, the first one of all is
 * taken for a key, so that operations meet. */
static bool first_is_key(const object *o) {
    for (unsigned m = 0; m < o->type->method_count && theory_of_object(o); m++)
        if (o->type->methods[m].max_args > 1) return true;
    return false;
}

static void choose_arguments(chooser *c, const site *s, uint32_t instance, uint32_t client, const method *m,
                             operation *op) {
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) op->arg[a] = VALUE_NONE;
    if (c->habit.arguments == ARGUMENTS_OF_TRANSFERS && op->nargs == 3) {
        choose_transfer(c, op);
        return;
    }
    if (c->habit.arguments == ARGUMENTS_OF_TRANSACTIONS && op->nargs == 1 && !(m->role & ROLE_OBSERVES)) {
        op->arg[0] = transaction(c);
        return;
    }
    for (unsigned a = 0; a < op->nargs; a++) {
        if (a == 0 && (c->habit.arguments == ARGUMENTS_OF_FEW_KEYS || first_is_key(c->o)))
            op->arg[a] = value_int(c->values, random_below(c->r, SEGMENTS));
        else if (a == 0 && c->habit.own_segment) op->arg[a] = value_int(c->values, client);
        else if (a == 0 && m->arg == ARG_INT_FIRST) op->arg[a] = value_int(c->values, random_below(c->r, SEGMENTS));
        else if (a == 0 && c->o->type->parts_by_arg) op->arg[a] = value_int(c->values, (int64_t)instance + 1);
        else if (a == 0 && (op->nargs == 2 || m->role & ROLE_OBSERVES) && m->arg == ARG_VALUE)
            op->arg[a] = expected(c, s);
        else if (c->habit.arguments == ARGUMENTS_SMALL) op->arg[a] = value_int(c->values, 1 + random_below(c->r, 9));
        else op->arg[a] = fresh_or_recent(c);
    }
}

void chooser_next(chooser *c, const site *s, uint32_t instance, uint32_t client, uint32_t holding, operation *op) {
    const object_type *t = c->o->type;
    op->method = choose_method(c, s, client, holding);
    const method *m = &t->methods[op->method];
    op->nargs = m->role & ROLE_REMOVES ? m->min_args
                                       : (uint8_t)(m->min_args + random_below(c->r, m->max_args - m->min_args + 1u));
    op->key = VALUE_NONE;
    if (t->keyed || (c->options->keys > 1 && !t->parts_by_arg && !t->key_inside))
        op->key = value_int(c->values, (int64_t)instance + 1);
    op->ret = RANK_NEVER;
    op->res = VALUE_UNKNOWN;
    choose_arguments(c, s, instance, client, m, op);
    assert(op->method < t->method_count && op->nargs >= m->min_args && op->nargs <= m->max_args);
    assert(!t->keyed || op->key != VALUE_NONE);
}
