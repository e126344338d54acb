/* The conjecture of Emmi, Enea, Hamza (PLDI 2015, section 7): does unit propagation find every violation, when all
 * operations return? On maximally weak violations: no return can be put behind the call that follows it without making
 * the history linearizable. These are the hard ones: every violation contains such a one. docs/SATURATION.md has the
 * long run's table (PLUMB_SOAK=1, or a larger number for so many of each kind). */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "engine/saturate/saturation.h"
#include "support/engine_trial.h"

#include <stdio.h>
#include <string.h>

typedef struct kind {
    const char *label, *object;
    bool distinct;
    bool (*prepare)(random_source *r, bound *b);
    bool missed[REMOVAL_COMPONENT + 1]; /* by rule: known to miss some */
    bool no_rules;                      /* only the theory, grounded */
    bool rare;                          /* so rare that a short run may not meet one */
} kind;

/* Adds and removes of a set say nothing. */
static bool strip_all(random_source *r, bound *b) {
    (void)r;
    for (uint32_t i = 0; i < b->h->n; i++)
        if (b->o->type->methods[b->h->method[i]].result == RESULT_MAYBE_BOOL) b->h->res[i] = VALUE_NONE;
    return true;
}

static bool keep_results(random_source *r, bound *b) {
    (void)r;
    for (uint32_t i = 0; i < b->h->n; i++)
        if (b->h->res[i] == VALUE_NONE) return false;
    return true;
}

enum { I = REMOVAL_IMMEDIATE, D = REMOVAL_DELAYED };
static const kind kinds[] = {
    {.label = "queue", .object = "queue", .distinct = true, .missed = {[I] = true}},
    {.label = "stack", .object = "stack", .distinct = true, .missed = {[I] = true, [D] = true}, .rare = true},
    {.label = "priority queue", .object = "pqueue-max", .distinct = true, .missed = {[I] = true}, .rare = true},
    {.label = "register, distinct values", .object = "register", .distinct = true},
    {.label = "register, repeated values",
     .object = "register",
     .missed = {[0] = true, true, true, true, true},
     .rare = true},
    {.label = "set, void",
     .object = "set",
     .prepare = strip_all,
     .missed = {[0] = true, true, true, true, true},
     .rare = true},
    {.label = "set, with results",
     .object = "set",
     .prepare = keep_results,
     .missed = {[0] = true, true, true, true, true},
     .rare = true},
    {.label = "lock, grounded", .object = "lock", .no_rules = true},
    {.label = "exchanger, grounded", .object = "exchanger", .distinct = true, .no_rules = true},
};

static bool decided_as(const bound *b, const engine *g, const int64_t *setting, verdict v) {
    budget spend;
    decision d;
    budget_init(&spend, 0, 0);
    decide(b->h, b->o, &(decide_options){.engine = g, .setting = setting}, &spend, NULL, &d);
    bool same = d.verdict == v;
    decision_free(&d);
    return same;
}

static bool is_studied(const kind *k, const object *o, removal_rule rule) {
    return k->no_rules ? rule == REMOVAL_NONE : saturation_removes(o, rule);
}

static bool violates(const bound *b) { return decided_as(b, NULL, NULL, VERDICT_VIOLATION); }

/* The operation that has its call, or its return, at this rank; h->n: none. */
static uint32_t at_rank(const history *h, uint32_t rank, bool returns) {
    for (uint32_t i = 0; i < h->n; i++)
        if ((returns ? h->ret[i] : h->call[i]) == rank) return i;
    return h->n;
}

/* Calls keep their order, so that the operations keep theirs. */
static bool weaken_at(bound *b, uint32_t rank) {
    history *h = b->h;
    uint32_t first = at_rank(h, rank, true), second = at_rank(h, rank + 1, false);
    if (first == h->n || second == h->n) return false;
    if (b->o->type->sees_clients && history_client(h, first) == history_client(h, second)) return false;
    h->ret[first] = rank + 1;
    h->call[second] = rank;
    if (violates(b)) return true;
    h->ret[first] = rank;
    h->call[second] = rank + 1;
    return false;
}

/* The order of events is all that counts, and is what is printed then. */
static void drop_stamps(history *h) {
    stamps *both[] = {&h->call_time, &h->ret_time};
    for (unsigned i = 0; i < 2; i++) {
        free(both[i]->narrow);
        free(both[i]->wide);
        *both[i] = (stamps){0};
    }
}

static void weaken(bound *b, random_source *r) {
    uint32_t since = 0, events = b->h->events;
    drop_stamps(b->h);
    if (events < 2) return;
    for (uint32_t rank = random_below(r, events - 1); since < events; rank = (rank + 1) % (events - 1))
        since = weaken_at(b, rank) ? 0 : since + 1;
}

static bool all_return(const history *h) {
    for (uint32_t i = 0; i < h->n; i++)
        if (history_pending(h, i)) return false;
    return true;
}

typedef struct finding {
    bool studied[REMOVAL_COMPONENT + 1];
    uint32_t seen, missed[REMOVAL_COMPONENT + 1], smallest[REMOVAL_COMPONENT + 1];
    text example[REMOVAL_COMPONENT + 1];
} finding;

static void look(const kind *k, const bound *b, finding *f) {
    f->seen++;
    for (removal_rule rule = REMOVAL_NONE; rule <= REMOVAL_COMPONENT; rule++) {
        const int64_t setting[ENGINE_SETTINGS] = {rule, SATURATION_CAP, 1};
        if (!is_studied(k, b->o, rule)) continue;
        f->studied[rule] = true;
        if (decided_as(b, engine_find("saturate"), setting, VERDICT_VIOLATION)) continue;
        f->missed[rule]++;
        if (f->smallest[rule] && f->smallest[rule] <= b->h->n) continue;
        f->smallest[rule] = b->h->n;
        text_clear(&f->example[rule]);
        history_text(b, &f->example[rule]);
    }
}

static uint32_t wanted(void) {
    const char *soak = getenv("PLUMB_SOAK");
    if (soak) return atoi(soak) > 1 ? (uint32_t)atoi(soak) : 20000;
    return getenv("PLUMB_FEWER") ? 20 : 150;
}

static void study(const kind *k, uint64_t seed) {
    static const char *const rule_name[] = {"standard", "none", "immediate", "delayed", "component"};
    random_source r = {seed};
    finding f = {0};
    for (uint32_t tries = 0; f.seen < wanted() && tries < 100 * wanted(); tries++) {
        random_shape shape = k->distinct ? shape_distinct(&r) : shape_small(&r);
        shape.pending = shape.ties = 0;
        shape.keys = 1;
        shape.spoil = 1;
        shape.operations = 3 + random_below(&r, 8);
        bound b = random_history(&r, k->object, &shape);
        if (all_return(b.h) && (!k->prepare || k->prepare(&r, &b)) && violates(&b)) {
            weaken(&b, &r);
            look(k, &b, &f);
        }
        free_bound(&b);
    }
    for (removal_rule rule = REMOVAL_NONE; rule <= REMOVAL_COMPONENT; rule++) {
        if (!f.studied[rule]) continue;
        print_message("%-28s %-10s %u of %u missed\n", k->label, rule_name[rule], f.missed[rule], f.seen);
        if (f.missed[rule]) print_message("%s", text_str(&f.example[rule]));
        /* else docs/SATURATION.md is wrong: there is a counter-example */
        assert_false(f.missed[rule] && !k->missed[rule]);
        if (!k->rare && k->missed[rule] && getenv("PLUMB_SOAK")) assert_true(f.missed[rule]);
        text_free(&f.example[rule]);
    }
    assert_true(f.seen > 0);
}

static void maximally_weak_violations(void **unused) {
    (void)unused;
    const char *only = getenv("PLUMB_KIND"); /* the number of one kind */
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!only || (unsigned)atoi(only) == i) study(&kinds[i], 7 + i);
}

TEST_MAIN(TEST(maximally_weak_violations))
