#include "evidence/measure.h"

#include "engine/quasi/overtakings.h"
#include "object/relax.h"

#include <string.h>

enum { FEW_CONFIGURATIONS = 8 }; /* for the upper bound: time near linear */

/* ---- counting on a witness ---- */

static void tally_add(number_counts *t, uint32_t number) {
    if (number >= t->n) {
        t->times = MEM_GROW(t->times, uint32_t, number + 1);
        memset(t->times + t->n, 0, (number + 1 - t->n) * sizeof *t->times);
        t->n = number + 1;
    }
    t->times[number]++;
}

static object with_limit(const object *o, uint32_t k) {
    object other = *o;
    other.criterion.limit[0] = other.criterion.limit[1] = k;
    return other;
}

static bool count_part(const history *h, const object *o, const witness *w, const uint32_t *place, uint32_t n,
                       relaxation *r) {
    state s = {0};
    o->type->init(o, &s);
    bool good = true;
    for (uint32_t k = 0; k < n && good; k++) {
        operation op;
        value res;
        uint32_t ahead, overtaken;
        history_operation(h, w->op[place[k]], &op);
        if (op.res == VALUE_UNKNOWN && w->res) op.res = w->res[place[k]];
        if (overtaking_look(o, &s, &op, &ahead, &overtaken)) {
            tally_add(&r->ahead, ahead);
            tally_add(&r->overtaken, overtaken);
        }
        good = o->type->step(o, &s, &op, 0, &res) != STEP_ILLEGAL;
    }
    for (uint32_t i = 0, overtaken; overtaking_inside(&s, i, &overtaken); i++) tally_add(&r->overtaken, overtaken);
    state_free(&s);
    return good;
}

/* Part by part, in the order of the witness. */
static void count_witness(const history *h, const object *o, const witness *w, relaxation *r) {
    object unlimited = with_limit(o, CRITERION_MAX_LIMIT);
    partition *parts = object_partition(o, h);
    uint32_t *part_of = MEM_ARRAY(uint32_t, h->n), *place = MEM_ARRAY(uint32_t, w->n);
    for (uint32_t p = 0; p < parts->count; p++)
        for (uint32_t i = parts->start[p]; i < parts->start[p + 1]; i++) part_of[parts->op[i]] = p;
    uint32_t *next = mem_zero((size_t)parts->count + 1, sizeof *next);
    for (uint32_t k = 0; k < w->n; k++) next[part_of[w->op[k]] + 1]++;
    for (uint32_t p = 0; p < parts->count; p++) next[p + 1] += next[p];
    for (uint32_t k = 0; k < w->n; k++) place[next[part_of[w->op[k]]]++] = k;
    for (uint32_t p = 0, from = 0; p < parts->count; from = next[p++])
        count_part(h, &unlimited, w, place + from, next[p] - from, r);
    free(next);
    free(place);
    free(part_of);
    partition_free(parts);
}

static uint32_t most(const number_counts *t) { return t->n ? t->n - 1 : 0; }

static void forget_counts(relaxation *r) {
    free(r->ahead.times);
    free(r->overtaken.times);
    r->ahead = r->overtaken = (number_counts){0};
}

/* ---- bounds ---- */

static uint32_t lower_bound(const history *h, const object *o, budget *b) {
    partition *parts = object_partition(o, h);
    uint32_t low = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        uint32_t n, ahead, overtaken;
        const uint32_t *op = partition_ops(parts, p, &n);
        problem part = {.h = h, .o = o, .op = op, .n = n, .budget = b};
        if (!overtakings_bound(&part, &ahead, &overtaken)) continue;
        if (ahead > low) low = ahead;
        if (overtaken > low) low = overtaken;
    }
    partition_free(parts);
    return low;
}

/* The engine for this object that can be told to keep few configurations; NULL: none. */
static const engine *quick_engine(const object *o, int64_t setting[ENGINE_SETTINGS]) {
    const engine *g;
    error unused = {0};
    text name = {0};
    for (unsigned i = 0; (g = engine_at(i)); i++) {
        bool knows = g->objects && strstr(g->objects, o->type->name) && g->settings[0].name &&
                     !strcmp(g->settings[0].name, "keep");
        if (!knows) continue;
        text_printf(&name, "%s(keep=%d)", g->name, FEW_CONFIGURATIONS);
        bool good = engine_parse(text_str(&name), &g, setting, &unused);
        text_free(&name);
        return good ? g : NULL;
    }
    return NULL;
}

typedef struct measurement {
    const history *h;
    object *o;
    const judge_options *options;
    budget *budget;
    _Atomic uint32_t *furthest;
    relaxation *r;
    error *e;
} measurement;

/* Judges quasi(k). A right one becomes the upper bound: the k of its witness, which may be less. */
static bool try_k(measurement *s, uint32_t k, const judge_options *options, judgement *j) {
    object at_k = with_limit(s->o, k);
    if (!judge(s->h, &at_k, options, s->budget, s->furthest, j, s->e)) return false;
    relaxation *r = s->r;
    if (j->verdict != VERDICT_LINEARIZABLE) return true;
    judgement_free(&r->above);
    r->above = *j;
    *j = (judgement){.verdict = VERDICT_LINEARIZABLE};
    forget_counts(r);
    r->bounded = true;
    r->high = k;
    if (!r->above.witness_checked) return true;
    count_witness(s->h, s->o, &r->above.decision.witness, r);
    uint32_t ahead = most(&r->ahead), overtaken = most(&r->overtaken);
    r->high = ahead > overtaken ? ahead : overtaken;
    return r->high >= r->low ||
           error_set(s->e, EXIT_INTERNAL, "internal error: an order is quasi(%u), and the lower bound is %u", r->high,
                     r->low);
}

/* Quickly, for k = low, low + 1, low + 2, low + 4, ...: an order that need not be the best. */
static bool find_upper_bound(measurement *s) {
    int64_t setting[ENGINE_SETTINGS];
    judge_options quick = *s->options;
    quick.quick = true;
    quick.decide.engine = quick_engine(s->o, setting);
    quick.decide.setting = setting;
    if (!quick.decide.engine) return true;
    for (uint64_t more = 0; !s->r->bounded && s->r->low + more <= s->h->n; more = more ? 2 * more : 1) {
        judgement j = {0};
        bool good = try_k(s, s->r->low + (uint32_t)more, &quick, &j);
        judgement_free(&j);
        if (!good) return false;
        if (budget_spent(s->budget)) return true;
    }
    return true;
}

/* Is there any k at all? With no limit on overtakings only what no order can mend is left. */
static bool find_any(measurement *s) {
    judgement j = {0};
    bool good = try_k(s, s->h->n, s->options, &j);
    if (good && !s->r->bounded) {
        s->r->above = j;
        j = (judgement){0};
    }
    judgement_free(&j);
    return good;
}

/* Exactly, from below: every k that is refused raises the lower bound, and the last refusal is what forces it. */
static bool close_gap(measurement *s) {
    relaxation *r = s->r;
    judge_options quick = *s->options;
    quick.quick = true;
    while (r->bounded && r->low < r->high) {
        judgement j = {0};
        uint32_t k = r->low;
        bool good = try_k(s, k, &quick, &j);
        verdict v = j.verdict;
        judgement_free(&j);
        if (!good) return false;
        if (v == VERDICT_UNDECIDED) return true;
        if (v == VERDICT_VIOLATION) r->low = k + 1;
    }
    return true;
}

bool measure_relaxation(const history *h, object *o, const judge_options *options, budget *b,
                        _Atomic uint32_t *furthest, relaxation *out, error *e) {
    double start = clock_seconds();
    *out = (relaxation){0};
    measurement s = {.h = h, .o = o, .options = options, .budget = b, .furthest = furthest, .r = out, .e = e};
    out->low = lower_bound(h, o, b);
    bool good = find_upper_bound(&s) && (out->bounded || find_any(&s)) && close_gap(&s);
    uint32_t limit = out->bounded ? out->high : h->n;
    if (good && out->bounded && out->low > 0) {
        object less = with_limit(o, out->low - 1);
        good = judge(h, &less, options, b, furthest, &out->below, e);
    }
    o->criterion.limit[0] = o->criterion.limit[1] = limit;
    out->seconds = clock_seconds() - start;
    return good;
}

void relaxation_free(relaxation *r) {
    judgement_free(&r->above);
    judgement_free(&r->below);
    forget_counts(r);
}
