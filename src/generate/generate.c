/* The simulation: clients call, operations take effect, clients return; who is next is up to the seed. */
#include "generate/generate.h"

#include "base/mem.h"
#include "generate/choose.h"
#include "history/builder.h"
#include "object/set_spec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PROPOSALS = 16, MAX_CHOICES = 64, MAX_KEYS = 1 << 24, GATHERINGS = 4 };

typedef struct simulated_client {
    operation op;
    uint32_t name; /* grows by the number of clients when an operation stays pending */
    uint32_t instance;
    bool open, happened;
    bool begun;         /* of operations that last: has begun to take effect */
    bool never_returns; /* this operation will never return ... */
    bool no_effect;     /* ... nor take effect */
    uint32_t holding;   /* locks: how many it holds, all of one instance */
    uint32_t held;      /* that instance */
} simulated_client;

typedef struct simulation {
    const object *o;
    const generate_options *options;
    random_source r;
    chooser chooser;
    builder *b;
    unsigned method[OBJECT_METHODS]; /* the builder's numbers */
    simulated_client *client;
    uint32_t *idle, idles; /* clients without an open call, in any order */
    uint32_t *open, opens;
    site *site; /* by instance */
    uint32_t calls;
    state next, chosen; /* scratch */
    bool filling;       /* nothing waits any more: the calls that are left */
} simulation;

void generate_standard(const object *o, generate_options *out) {
    bool many = o->type->keyed || o->type->parts_by_arg;
    *out = (generate_options){.operations = 1000,
                              .clients = 4,
                              .overlap = 0.5,
                              .occupancy = 32,
                              .empties = -1,
                              .keys = many ? 64 : 1,
                              .seed = 1,
                              .at = 0.9};
}

/* ---- one event ---- */

/* One of the possible outcomes, each with the same chance; none: the operation has to wait. The state is left as it was
 * unless there is an outcome. */
static bool take_effect(simulation *s, site *at, operation *op) {
    uint32_t legal = 0;
    step_result r = STEP_LEGAL_MORE;
    value chosen = op->res;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && choice < MAX_CHOICES; choice++) {
        value res = VALUE_UNKNOWN;
        state_copy(&s->next, &at->now);
        r = s->o->type->step(s->o, &s->next, op, choice, &res);
        if (r == STEP_ILLEGAL || (++legal > 1 && random_below(&s->r, legal))) continue;
        state swap = s->chosen;
        s->chosen = s->next;
        s->next = swap;
        chosen = res;
    }
    if (!legal) return false;
    assert(operation_fits(op, chosen));
    op->res = chosen; /* not before: it would decide the other choices */
    state swap = at->now;
    at->now = s->chosen;
    s->chosen = swap;
    return true;
}

static bool possible_now(simulation *s, const site *at, const operation *op) {
    value res;
    if (criterion_is_together(&s->o->criterion)) return true; /* with others, or it waits for them */
    state_copy(&s->next, &at->now);
    return s->o->type->step(s->o, &s->next, op, 0, &res) != STEP_ILLEGAL;
}

static void count_open(simulation *s, const simulated_client *c, uint32_t by) {
    unsigned role = s->o->type->methods[c->op.method].role;
    site *at = &s->site[c->instance];
    if (role & ROLE_ADDS) at->adding += by;
    if (role & ROLE_REMOVES) at->removing += by;
    assert(at->adding <= s->options->clients && at->removing <= s->options->clients); /* neither went below 0 */
}

static void count_effect(simulation *s, const simulated_client *c) {
    unsigned role = s->o->type->methods[c->op.method].role;
    site *at = &s->site[c->instance];
    if (role & ROLE_ADDS && c->op.res != VALUE_FULL) at->size++;
    if (role & ROLE_REMOVES && c->op.res == VALUE_EMPTY) s->chooser.empties++;
    else if (role & ROLE_REMOVES && at->size) at->size--;
    else if (!role && s->o->type->words) at->size = 0; /* drain, clear */
}

static void count_holding(simulation *s, simulated_client *c) {
    if (!s->chooser.habit.acquires || c->op.res == VALUE_FALSE) return;
    if (chooser_acquires(&s->chooser, &c->op)) c->holding++;
    else c->holding--;
    assert(c->holding <= CHOOSER_MAX_HOLDS); /* what is given back was held */
    c->held = c->instance;
}

static void record_call(simulation *s, const simulated_client *c) {
    value arg[HISTORY_MAX_ARGS + 1];
    size_t nargs = 0;
    bool key_in_front = s->o->type->keyed;
    if (key_in_front) arg[nargs++] = c->op.key;
    for (unsigned a = 0; a < c->op.nargs; a++) arg[nargs++] = c->op.arg[a];
    call_record call = {.client = value_int(s->chooser.values, c->name),
                        .method = s->method[c->op.method],
                        .key = key_in_front ? VALUE_NONE : c->op.key,
                        .arg = arg,
                        .nargs = nargs,
                        .line = s->calls};
    builder_call(s->b, &call);
}

/* Something that can take effect now. A lock may also be waited for, by a client that holds nothing: its holder is idle
 * or open and will give it back; the last calls are kept for that. False: nothing was found. */
static bool propose(simulation *s, uint32_t which) {
    simulated_client *c = &s->client[which];
    c->instance = c->holding ? c->held : random_below(&s->r, s->o->type->key_inside ? 1 : s->options->keys);
    site *at = &s->site[c->instance];
    bool closing = s->chooser.habit.acquires && !s->filling &&
                   s->calls + CHOOSER_MAX_HOLDS * s->options->clients >= s->options->operations;
    if (closing && !c->holding) return false;
    for (unsigned attempt = 0; attempt < PROPOSALS; attempt++) {
        chooser_next(&s->chooser, at, c->instance, which, c->holding, &c->op);
        c->op.client = c->name;
        if (closing && chooser_acquires(&s->chooser, &c->op)) continue;
        if (possible_now(s, at, &c->op)) return true;
        if (s->filling) continue; /* nothing may wait any more */
        if (!c->holding && chooser_acquires(&s->chooser, &c->op) && random_chance(&s->r, 0.5)) return true;
    }
    return false;
}

/* A lock that no client can give back would end the run: a pending acquire has no effect, a pending release has one
 * and gives back the last thing the client holds. */
static void doom(simulation *s, simulated_client *c) {
    bool takes = chooser_acquires(&s->chooser, &c->op);
    c->never_returns = random_chance(&s->r, s->options->pending);
    if (s->chooser.habit.acquires) {
        if (c->holding > !takes) c->never_returns = false;
        c->no_effect = c->never_returns && takes;
    } else {
        c->no_effect = c->never_returns && random_chance(&s->r, 0.5);
    }
}

static bool call_something(simulation *s, uint32_t which) {
    simulated_client *c = &s->client[which];
    assert(!c->open && s->calls < s->options->operations);
    if (!propose(s, which)) return false;
    c->open = true;
    c->happened = c->begun = false;
    doom(s, c);
    s->calls++;
    s->chooser.calls++;
    count_open(s, c, 1);
    record_call(s, c);
    return true;
}

static void close_call(simulation *s, simulated_client *c) {
    assert(c->open && c->happened && (c->never_returns || c->op.res != VALUE_UNKNOWN));
    value name = value_int(s->chooser.values, c->name);
    if (c->never_returns) {
        builder_info(s->b, name, s->calls);
        if (!s->chooser.habit.one_writer) c->name += s->options->clients;
    } else {
        builder_return(s->b, name, c->op.res, s->calls);
    }
    c->open = false;
}

/* Objects with half-way states (exchanger): the second half happens at the same moment, by another client that waits,
 * or the operation stays alone. What the first one gets is what the second one brings. */
static bool meet(simulation *s, simulated_client *c) {
    site *at = &s->site[c->instance];
    for (uint32_t k = 0; k < s->opens; k++) {
        simulated_client *other = &s->client[s->open[(k + s->calls) % s->opens]];
        if (other == c || !other->open || other->happened || other->no_effect || other->instance != c->instance)
            continue;
        if (!take_effect(s, at, &other->op)) continue;
        other->happened = true;
        assert(object_may_end(s->o, &at->now) && other->op.res == c->op.arg[0]); /* each has the other's value */
        c->op.res = other->op.arg[0];
        return true;
    }
    return false;
}

/* ---- taking effect together ---- */

typedef struct step_in_the_making {
    together t;
    simulated_client *who[TOGETHER_MAX];
} step_in_the_making;

static void join(step_in_the_making *g, simulated_client *c, bool ends) {
    g->who[g->t.n] = c;
    together_add(&g->t, &c->op, !c->begun, ends);
}

static bool could_join(const simulated_client *other, const simulated_client *c) {
    return other->open && !other->happened && !other->no_effect && other->instance == c->instance;
}

/* c ends, those that have begun go on or end, and some of the others begin. In every step an operation has to begin, so
 * one that is to end later needs another that begins later: the last one ends all. */
static bool gather(simulation *s, simulated_client *c, step_in_the_making *g) {
    bool lasting = object_has_intervals(s->o);
    uint32_t most = s->o->type->together->most ? s->o->type->together->most : TOGETHER_MAX, later = 0;
    *g = (step_in_the_making){.t = {.n = 0}};
    join(g, c, true);
    for (uint32_t k = 0; k < s->opens; k++) {
        simulated_client *other = &s->client[s->open[k]];
        if (other == c || !could_join(other, c)) continue;
        bool first = c->begun && !other->begun && !(g->t.begins);
        if (g->t.n < most && (other->begun || first || random_chance(&s->r, 0.5))) join(g, other, true);
        else later += !other->begun;
    }
    for (uint32_t i = 1; i < g->t.n && lasting && later; i++)
        if (random_chance(&s->r, 0.5)) g->t.ends &= ~(UINT64_C(1) << i);
    return g->t.begins != 0;
}

/* One of the possible outcomes, as take_effect. */
static bool step_together(simulation *s, site *at, step_in_the_making *g) {
    uint32_t legal = 0;
    step_result r = STEP_LEGAL_MORE;
    value res[TOGETHER_MAX], chosen[TOGETHER_MAX];
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && choice < MAX_CHOICES; choice++) {
        state_copy(&s->next, &at->now);
        r = s->o->type->together->step(s->o, &s->next, &g->t, choice, res);
        if (r == STEP_ILLEGAL || (++legal > 1 && random_below(&s->r, legal))) continue;
        state_copy(&s->chosen, &s->next);
        memcpy(chosen, res, sizeof res);
    }
    if (!legal) return false;
    assert(g->t.begins && g->t.ends); /* a step in which an operation begins and one ends */
    state_copy(&at->now, &s->chosen);
    for (uint32_t i = 0; i < g->t.n; i++) {
        g->who[i]->begun = true;
        g->who[i]->happened = together_ends(&g->t, i);
        if (g->who[i]->happened) g->who[i]->op.res = chosen[i];
    }
    return true;
}

static bool happen_together(simulation *s, simulated_client *c) {
    step_in_the_making g;
    for (unsigned k = 0; k < GATHERINGS; k++)
        if (gather(s, c, &g) && step_together(s, &s->site[c->instance], &g)) return true;
    if (c->begun) return false;
    for (uint32_t k = 0; k < s->opens; k++) /* they would have to take part */
        if (s->client[s->open[k]].begun && could_join(&s->client[s->open[k]], c)) return false;
    g = (step_in_the_making){.t = {.n = 0}};
    join(&g, c, true);
    return step_together(s, &s->site[c->instance], &g);
}

static bool happen(simulation *s, simulated_client *c) {
    if (criterion_is_together(&s->o->criterion)) return happen_together(s, c);
    site *at = &s->site[c->instance];
    if (!take_effect(s, at, &c->op)) return false;
    if (object_may_end(s->o, &at->now) || meet(s, c)) return true;
    s->o->type->init(s->o, &at->now); /* as before: none waited then either */
    assert(object_may_end(s->o, &at->now));
    c->op.res = VALUE_EMPTY;
    return true;
}

/* False: it has to wait. */
static bool advance(simulation *s, simulated_client *c) {
    if (!c->happened) {
        if (!c->no_effect) {
            if (!happen(s, c)) return false;
            count_effect(s, c);
            count_holding(s, c);
        }
        count_open(s, c, UINT32_MAX); /* minus one */
        c->happened = true;
        return true;
    }
    close_call(s, c);
    return true;
}

/* ---- the schedule ---- */

/* Some client, starting with a random one; false: none has anything to call. */
static bool call_by_anyone(simulation *s) {
    for (uint32_t k = 0, from = random_below(&s->r, s->idles); k < s->idles; k++) {
        uint32_t at = (from + k) % s->idles, which = s->idle[at];
        if (!call_something(s, which)) continue;
        s->idle[at] = s->idle[--s->idles];
        s->open[s->opens++] = which;
        return true;
    }
    return false;
}

static bool advance_one(simulation *s, uint32_t at) {
    uint32_t which = s->open[at];
    if (!advance(s, &s->client[which])) return false;
    if (!s->client[which].open) {
        s->open[at] = s->open[--s->opens];
        s->idle[s->idles++] = which;
    }
    return true;
}

/* Someone, starting with a random one; false: all wait. */
static bool advance_anyone(simulation *s) {
    if (s->opens == 0) return false;
    uint32_t from = random_below(&s->r, s->opens);
    for (uint32_t k = 0; k < s->opens; k++)
        if (advance_one(s, (from + k) % s->opens)) return true;
    return false;
}

static bool wants_call(simulation *s) {
    if (s->idles == 0 || s->calls == s->options->operations) return false;
    double aim = 1 + s->options->overlap * (s->options->clients - 1.0);
    return s->opens + 1 <= aim || random_chance(&s->r, aim - s->opens);
}

static void run(simulation *s) {
    for (;;) {
        assert(s->idles + s->opens == s->options->clients && s->calls <= s->options->operations);
        if (wants_call(s) && call_by_anyone(s)) continue;
        if (advance_anyone(s)) continue;
        /* done, or all wait for ever */
        if (s->idles == 0 || s->calls == s->options->operations || !call_by_anyone(s)) return;
    }
}

/* The calls that were kept so that locks are given back, when nothing waits any more: one after the other. */
static void fill(simulation *s) {
    s->filling = true;
    while (s->opens == 0 && s->calls < s->options->operations && call_by_anyone(s))
        while (s->opens && advance_anyone(s)) {}
}

/* ---- set up and take down ---- */

static bool options_fit(const object *o, const generate_options *g, error *e) {
    if (g->clients == 0 || g->clients > GENERATE_MAX_CLIENTS)
        return error_set(e, EXIT_USAGE, "%u threads; expected 1 to %d", g->clients, GENERATE_MAX_CLIENTS);
    if (g->keys == 0 || g->keys > MAX_KEYS)
        return error_set(e, EXIT_USAGE, "%u keys; expected 1 to %d", g->keys, MAX_KEYS);
    const struct {
        const char *name;
        double share;
    } share[] = {{"overlap", g->overlap},
                 {"pending", g->pending},
                 {"empties", g->empties < 0 ? 0 : g->empties},
                 {"duplicates", g->duplicates},
                 {"at", g->at}};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++)
        if (!(share[i].share >= 0 && share[i].share <= 1))
            return error_set(e, EXIT_USAGE, "%s is %g; expected a share between 0 and 1", share[i].name,
                             share[i].share);
    if (g->mutation && !mutation_applies(g->mutation, o->type))
        return error_set(e, EXIT_USAGE, "mutation %s does not apply to object %s; it applies to: %s", g->mutation->name,
                         o->type->name, g->mutation->objects);
    return true;
}

static void simulation_init(simulation *s, object *o, const generate_options *g, builder *b) {
    *s = (simulation){.o = o, .options = g, .r = {.s = g->seed}, .b = b};
    object_use_values(o, builder_values(b));
    chooser_init(&s->chooser, o, g, builder_values(b), &s->r);
    for (unsigned m = 0; m < o->type->method_count; m++) {
        const char *name = o->type->methods[m].name;
        s->method[m] = builder_method(b, name, strlen(name), 1);
    }
    s->client = mem_zero(g->clients, sizeof *s->client);
    s->idle = MEM_ARRAY(uint32_t, g->clients);
    s->open = MEM_ARRAY(uint32_t, g->clients);
    for (uint32_t c = 0; c < g->clients; c++) {
        s->client[c].name = c;
        s->idle[s->idles++] = c;
    }
    s->site = mem_zero(g->keys, sizeof *s->site);
    for (uint32_t k = 0; k < g->keys; k++) o->type->init(o, &s->site[k].now);
}

static void simulation_free(simulation *s) {
    for (uint32_t k = 0; k < s->options->keys; k++) state_free(&s->site[k].now);
    FREE_ALL(s->site, s->client, s->idle, s->open);
    state_free(&s->next);
    state_free(&s->chosen);
}

history *generate(object *o, const generate_options *options, error *e) {
    if (!options_fit(o, options, e)) return NULL;
    builder *b = builder_new("generated", e);
    builder_object(b, o->type->name);
    simulation s;
    simulation_init(&s, o, options, b);
    run(&s);
    if (s.chooser.habit.acquires) fill(&s);
    simulation_free(&s);
    history *h = builder_finish(b);
    builder_free(b);
    if (h && object_bind(o, h, "generated", e) &&
        (!options->mutation || mutation_plant(options->mutation, o, h, options->at, e)))
        return h;
    history_free(h);
    return NULL;
}
