/* A max register only grows. Let a value be seen if a completed read returned it. A seen value v needs a write of it
 * before every operation that shows a greater or equal one is over, and a read of v must not be called after such an
 * operation of a greater value returned. These conditions on pairs suffice: with
 *
 *     L(x) = the latest of the first calls of writes of seen values up to x, and of the calls of reads of values below
 *     x
 *
 * every operation on x takes effect at max(its call, L(x)), smaller values first, writes before reads. */
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/rank_order.h"
#include "engine/value_index.h"
#include "engine/self_check.h"
#include "object/register.h"

typedef struct bound {
    uint32_t rank;
    uint32_t by; /* position; NO_NUMBER: none */
} bound;

typedef struct level {    /* a value */
    uint32_t begin, end;  /* in `sorted` */
    bound floor;          /* L */
    bound ceiling;        /* first return of an operation on this value or a greater one */
    uint32_t read;        /* position of a completed read of it; NO_NUMBER: not seen */
    uint32_t first_write; /* position */
} level;

typedef struct max_register {
    const problem *p;
    ranked *sorted; /* by value; rank: its key, item: position */
    ranked *spare;
    uint32_t n;
    level *level;
    uint32_t levels;
} max_register;

static bool is_write(const problem *p, uint32_t i) { return p->h->method[p->op[i]] == REGISTER_WRITE; }
static uint32_t call_of(const problem *p, uint32_t i) { return p->h->call[p->op[i]]; }
static uint32_t return_of(const problem *p, uint32_t i) { return p->h->ret[p->op[i]]; }

static value value_of(const problem *p, uint32_t i) {
    return is_write(p, i) ? p->h->arg[0][p->op[i]] : p->h->res[p->op[i]];
}

/* Small integers are ordered by their handles, behind `none`. */
static uint32_t key_of(value v) { return v == VALUE_NONE ? 0 : v + 1; }

static void gather(max_register *m) {
    for (uint32_t i = 0; i < m->p->n; i++) {
        if (!is_write(m->p, i) && return_of(m->p, i) == RANK_NEVER) continue;
        m->sorted[m->n++] = (ranked){key_of(value_of(m->p, i)), i};
    }
    ranked *sorted = rank_order(m->sorted, m->spare, m->n);
    if (sorted != m->sorted) m->spare = m->sorted;
    m->sorted = sorted;
    assert(m->sorted != m->spare);
    for (uint32_t s = 1; s < m->n; s++) /* by value, and those of one value by call */
        assert(sorted[s - 1].rank < sorted[s].rank ||
               (sorted[s - 1].rank == sorted[s].rank && sorted[s - 1].item < sorted[s].item));
}

static void take_level(max_register *m, uint32_t begin, level *l) {
    *l = (level){begin, begin, {0, NO_NUMBER}, {RANK_NEVER, NO_NUMBER}, NO_NUMBER, NO_NUMBER};
    for (; l->end < m->n && m->sorted[l->end].rank == m->sorted[begin].rank; l->end++) {
        uint32_t i = m->sorted[l->end].item;
        if (return_of(m->p, i) < l->ceiling.rank) l->ceiling = (bound){return_of(m->p, i), i};
        if (!is_write(m->p, i)) l->read = i;
        else if (l->first_write == NO_NUMBER) l->first_write = i; /* sorting was stable */
    }
}

static void find_levels(max_register *m) {
    m->level = MEM_ARRAY(level, m->n);
    for (uint32_t at = 0; at < m->n; at = m->level[m->levels++].end) take_level(m, at, &m->level[m->levels]);
    assert(!m->levels || m->level[m->levels - 1].end == m->n);
    for (uint32_t k = m->levels; k-- > 1;)
        if (m->level[k].ceiling.rank < m->level[k - 1].ceiling.rank) m->level[k - 1].ceiling = m->level[k].ceiling;
}

static void raise(bound *floor, uint32_t rank, uint32_t by) {
    if (floor->by == NO_NUMBER || rank > floor->rank) *floor = (bound){rank, by};
}

/* The level that cannot be, or NULL. */
static const level *find_wrong(max_register *m, uint32_t init) {
    bound floor = {0, NO_NUMBER};
    for (uint32_t k = 0; k < m->levels; k++) {
        level *l = &m->level[k];
        uint32_t key = m->sorted[l->begin].rank;
        bool needs_write = l->read != NO_NUMBER && key != init;
        if (needs_write && (l->first_write == NO_NUMBER || key < init)) return l;
        if (needs_write) raise(&floor, call_of(m->p, l->first_write), l->first_write);
        assert(!k || floor.rank >= m->level[k - 1].floor.rank);
        l->floor = floor;
        if (floor.by != NO_NUMBER && floor.rank > l->ceiling.rank) return l;
        for (uint32_t s = l->begin; s < l->end; s++)
            if (!is_write(m->p, m->sorted[s].item)) raise(&floor, call_of(m->p, m->sorted[s].item), m->sorted[s].item);
    }
    return NULL;
}

static uint32_t seen_by(const max_register *m, uint32_t write) {
    for (uint32_t k = 0; k < m->levels; k++)
        if (m->level[k].first_write == write) return m->level[k].read;
    return NO_NUMBER;
}

static void explain(const max_register *m, const level *l, uint32_t init, outcome *out) {
    const problem *p = m->p;
    uint32_t wrong[3], n = 0, cut = 0;
    if (m->sorted[l->begin].rank < init || l->floor.by == NO_NUMBER || l->floor.rank < l->ceiling.rank) {
        wrong[n++] = l->read; /* of what was never written */
    } else {
        wrong[n++] = l->ceiling.by;
        wrong[n++] = l->floor.by;
        if (is_write(p, l->floor.by)) wrong[n++] = seen_by(m, l->floor.by);
    }
    for (uint32_t k = 0; k < n; k++) assert(wrong[k] < p->n);
    for (uint32_t k = 0; k < n; k++)
        if (return_of(p, wrong[k]) != RANK_NEVER && return_of(p, wrong[k]) > cut) cut = return_of(p, wrong[k]);
    outcome_violation(out, cut);
    pattern_from(p, wrong, n, out);
}

/* Writes of a level before its reads, levels ascending, then stably by the moment. Pending writes that no read
 * returned are absent. */
static void write_witness(max_register *m, witness *w) {
    const problem *p = m->p;
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->levels; k++) {
        const level *l = &m->level[k];
        for (unsigned reads = 0; reads < 2; reads++)
            for (uint32_t s = l->begin; s < l->end; s++) {
                uint32_t i = m->sorted[s].item, call = call_of(p, i);
                bool absent = return_of(p, i) == RANK_NEVER && l->read == NO_NUMBER;
                if (is_write(p, i) == reads || absent) continue;
                m->spare[n++] = (ranked){call > l->floor.rank ? call : l->floor.rank, i};
            }
    }
    assert(n <= m->n);
    ranked *order = rank_order(m->spare, m->sorted, n);
    order_log_init(w, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = order[k].item;
        order_log_add(w, p->op[i], is_write(p, i) ? VALUE_NONE : p->h->res[p->op[i]]);
    }
}

static bool accepts_small_integers(const problem *p, text *why_not) {
    bool good = p->o->init == VALUE_NONE || value_is_small_int(p->o->init);
    for (uint32_t i = 0; i < p->n && good; i++) {
        value v = value_of(p, i);
        good = value_is_small_int(v) || (!is_write(p, i) && (v == VALUE_NONE || v == VALUE_UNKNOWN));
    }
    if (!good) text_add(why_not, "needs integers of at most 30 bits");
    return good;
}

static void decide_max_register(const problem *p, outcome *out) {
    max_register m = {.p = p, .sorted = MEM_ARRAY(ranked, p->n), .spare = MEM_ARRAY(ranked, p->n)};
    gather(&m);
    find_levels(&m);
    const level *wrong = find_wrong(&m, key_of(p->o->init));
    if (budget_check_clock(p->budget)) {
        outcome_stopped(p, out);
    } else if (wrong) {
        explain(&m, wrong, key_of(p->o->init), out);
    } else {
        out->verdict = VERDICT_LINEARIZABLE;
        write_witness(&m, &out->witness);
    }
    free(m.sorted);
    free(m.spare);
    free(m.level);
}

ENGINE_RECORD(engine_max_register_linear, "max-register-linear",
              "max registers of integers: no read falls behind or runs ahead", .growth = "n", .objects = "max-register",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
              .cost = COST_NEAR_LINEAR, .accepts = accepts_small_integers, .decide = decide_max_register);
