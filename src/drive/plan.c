#include "drive/plan.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { DRAWS = 200, LAST_REMOVES = 100000, DELETES_KEPT = 4 };

/* Values of different clients are different: each has a range of its own. */
static int64_t first_value(const plan_settings *s, uint32_t client) {
    return client * ((VALUE_INT_LIMIT - 1) / s->clients);
}

static void make_reach(client_plan *p) {
    uint32_t n = p->settings->keys;
    double sum = 0;
    p->reach = MEM_ARRAY(double, n);
    for (uint32_t i = 0; i < n; i++) p->reach[i] = sum += pow(i + 1.0, -p->settings->skew);
    for (uint32_t i = 0; i < n; i++) p->reach[i] /= sum;
}

static void make_sites(client_plan *p) {
    p->site = mem_zero(p->settings->keys, sizeof *p->site);
    p->held = mem_zero(p->settings->keys, sizeof *p->held);
    for (uint32_t i = 0; i < p->settings->keys; i++) state_reserve(&p->site[i].now, 1);
}

void plan_open(client_plan *p, const object *o, const plan_settings *s, values *v, uint32_t client) {
    *p = (client_plan){
        .o = o, .settings = s, .client = client, .reads = s->reads, .random = {.s = s->seed * 1000003 + client + 1}};
    assert(s->clients && client < s->clients && s->keys);
    generate_standard(o, &p->options);
    p->options.keys = s->keys;
    p->options.occupancy = (s->occupancy + s->clients - 1) / s->clients;
    chooser_init(&p->chooser, o, &p->options, v, &p->random);
    p->chooser.last = first_value(s, client);
    make_reach(p);
    make_sites(p);
}

void plan_close(client_plan *p) {
    for (uint32_t i = 0; i < p->settings->keys; i++) state_free(&p->site[i].now);
    FREE_ALL(p->site, p->held, p->reach);
}

double plan_chance(client_plan *p) { return (double)(random_next(&p->random) >> 11) * 0x1p-53; }

static uint32_t choose_instance(client_plan *p) {
    double at = plan_chance(p);
    uint32_t low = 0, high = p->settings->keys - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (p->reach[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* New keys: what is known of the old ones is of no use. */
static void rotate(client_plan *p) {
    if (!p->settings->rotate || p->calls % p->settings->rotate || !p->calls) return;
    p->epoch++;
    for (uint32_t i = 0; i < p->settings->keys; i++) {
        state_set(&p->site[i].now, NULL, 0);
        p->site[i].size = 0;
        p->held[i] = 0;
    }
}

static bool observes(const client_plan *p, const operation *op) {
    return object_method(p->o, op)->role & ROLE_OBSERVES;
}

/* A key that holds nothing, or whose removal is pending, hides that its value was lost: removals are rare. */
static bool is_left_out(client_plan *p, const operation *op) {
    const method *m = object_method(p->o, op);
    const bool removes_key = p->o->type->keyed && !m->max_args && m->result == RESULT_VOID;
    return removes_key && random_below(&p->random, DELETES_KEPT);
}

/* Draws until it is an operation that the service has and that is wanted, if such a one comes. */
static bool draw(client_plan *p, unsigned role, bool none_of_it, operation *op) {
    uint64_t instance = p->epoch * p->settings->keys + p->instance;
    for (unsigned i = 0; i < DRAWS; i++) {
        chooser_next(&p->chooser, &p->site[p->instance], (uint32_t)instance, p->client, p->held[p->instance], op);
        bool has = object_method(p->o, op)->role & role;
        const bool wanted = p->settings->can[op->method] && (!role || has != none_of_it);
        if (wanted && !is_left_out(p, op)) return true;
    }
    return false;
}

void plan_next(client_plan *p, operation *op) {
    rotate(p);
    p->calls++;
    p->chooser.calls++;
    p->instance = choose_instance(p);
    bool found = false;
    if (p->reads >= 0) found = draw(p, ROLE_OBSERVES, plan_chance(p) >= p->reads, op);
    while (!found) found = draw(p, 0, false, op); /* the service has a method that the generator comes to */
}

bool plan_last(client_plan *p, operation *op) {
    uint32_t keys = p->settings->keys;
    bool container = p->chooser.container;
    if (p->chooser.habit.acquires) return false;
    if (container && p->final < LAST_REMOVES) {
        p->final++;
        p->instance = p->final % keys;
        return draw(p, ROLE_REMOVES, false, op);
    }
    if (container || p->final >= keys) return false;
    p->instance = p->final++;
    return draw(p, ROLE_OBSERVES, false, op);
}

static void learn_container(client_plan *p, const operation *op, site *s) {
    unsigned role = object_method(p->o, op)->role;
    if (role & ROLE_ADDS) s->size++;
    if (!(role & ROLE_REMOVES)) return;
    if (op->res != VALUE_EMPTY && op->res != VALUE_NONE) s->size -= s->size > 0;
    else if (p->final) p->final = LAST_REMOVES; /* it is empty: enough */
    else {
        s->size = 0;
        p->chooser.empties++;
    }
}

/* What the client has seen of a register or of a key. */
static void learn_value(client_plan *p, const operation *op, site *s) {
    value seen = observes(p, op) ? op->res : op->nargs ? op->arg[op->nargs - 1] : VALUE_NONE;
    if (!observes(p, op) && op->res == VALUE_FALSE) return;
    state_set(&s->now, &seen, 1);
}

static void learn_hold(client_plan *p, const operation *op) {
    uint32_t *held = &p->held[p->instance];
    bool takes = chooser_acquires(&p->chooser, op);
    if (takes && op->res != VALUE_FALSE) ++*held;
    else if (!takes && *held) --*held;
}

void plan_learn(client_plan *p, const operation *op, bool happened) {
    site *s = &p->site[p->instance];
    if (!happened && p->chooser.habit.acquires) p->held[p->instance] = 0; /* a new client holds nothing */
    if (!happened) return;
    if (p->chooser.container) learn_container(p, op, s);
    else if (p->chooser.habit.acquires) learn_hold(p, op);
    else learn_value(p, op, s);
}
