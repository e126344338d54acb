/* A register whose written values are all different (Gibbons and Korach, "Testing shared memories", 1997).
 *
 * The cluster of a value is its write and the reads that returned it; in a linearization it is one block. Let f be the
 * first return and s the last call in a cluster. Some operation of X precedes some operation of Y iff f(X) < s(Y); so
 * blocks X and Y cannot be ordered iff f(X) < s(Y) and f(Y) < s(X). If no two clusters are in that position, the order
 * of min(f, s) is a linearization: docs/proofs/others.md has the proof. */
#include "engine/engine.h"
#include "engine/pattern.h"
#include "engine/rank_order.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

#include <stdio.h>

enum { WRITE, READ };

typedef struct value_cluster {
    uint32_t write;       /* position in p->op; NO_NUMBER: the initial value's */
    uint32_t first, last; /* f and s */
    uint32_t size;        /* operations in the witness */
} value_cluster;

typedef struct clusters {
    const problem *p;
    value_cluster *at; /* at[0] is the initial value's: before everything */
    uint32_t n;
    uint32_t *of;  /* by position; NO_NUMBER: not in the witness */
    ranked *order; /* of the clusters but the first, by min(f, s) */
} clusters;

static uint32_t call_of(const clusters *c, uint32_t i) { return c->p->h->call[c->p->op[i]]; }
static uint32_t return_of(const clusters *c, uint32_t i) { return c->p->h->ret[c->p->op[i]]; }

/* ---- violations ---- */

typedef struct cluster_pattern {
    uint32_t op[6], n; /* positions */
} cluster_pattern;

static void pattern_add(cluster_pattern *q, uint32_t position) {
    uint32_t i = q->n;
    for (uint32_t k = 0; k < q->n; k++)
        if (q->op[k] == position) return;
    for (; i && q->op[i - 1] > position; i--) q->op[i] = q->op[i - 1];
    assert(q->n < sizeof q->op / sizeof *q->op);
    q->op[i] = position;
    q->n++;
}

static void violation(const clusters *c, const cluster_pattern *q, outcome *out) {
    out->verdict = VERDICT_VIOLATION;
    out->pattern = MEM_ARRAY(uint32_t, q->n);
    out->pattern_n = q->n;
    out->cut = 0;
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t op = c->p->op[q->op[i]], ret = c->p->h->ret[op];
        out->pattern[i] = op;
        if (ret != RANK_NEVER && ret > out->cut) out->cut = ret;
    }
}

/* The operations that make f and s of two clusters, and the writes. */
static void violation_by_two(const clusters *c, uint32_t x, uint32_t y, outcome *out) {
    cluster_pattern q = {0};
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t k = c->of[i];
        if (k != x && k != y) continue;
        const value_cluster *of = &c->at[k];
        bool ends_first = return_of(c, i) == of->first, begins_last = call_of(c, i) == of->last;
        if (i == of->write || begins_last || ends_first) pattern_add(&q, i);
    }
    assert(q.n >= 2 && x != y);
    violation(c, &q, out);
}

/* ---- clusters ---- */

static bool refuse(const problem *p, value v, outcome *out) {
    text shown = {0};
    value_print(p->h->values, v, &shown);
    const char *what = v == p->o->init ? "written, and is the initial value" : "written twice";
    snprintf(out->why, sizeof out->why, "value %.60s is %s", text_str(&shown), what);
    text_free(&shown);
    return false;
}

static void widen(value_cluster *of, uint32_t call, uint32_t ret) {
    assert(call < ret);
    if (ret < of->first) of->first = ret;
    if (call > of->last) of->last = call;
    of->size++;
}

/* False: the value was never written, or only after the read. */
static bool add_read(clusters *c, uint32_t i, uint32_t k, outcome *out) {
    uint32_t ret = return_of(c, i);
    if (k == NO_NUMBER || (k && ret < call_of(c, c->at[k].write))) {
        cluster_pattern q = {.op = {i}, .n = 1};
        if (k != NO_NUMBER) pattern_add(&q, c->at[k].write);
        violation(c, &q, out);
        out->cut = ret;
        return false;
    }
    c->of[i] = k;
    widen(&c->at[k], call_of(c, i), ret);
    return true;
}

/* Clusters of the writes and of the reads whose writes were called before them; the other reads are `late`. */
static bool gather_in_order(clusters *c, value_index *x, uint32_t *late, uint32_t *lates, outcome *out) {
    const problem *p = c->p;
    const history h = *p->h; /* columns in local variables: the compiler need not expect them to change */
    const uint32_t *restrict part = p->op;
    value init = p->o->init;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = part[i];
        if (problem_stopped(p, i)) return false;
        bool write = h.method[op] == WRITE;
        value v = write ? h.arg[0][op] : h.res[op];
        uint32_t *number = v == init || v == VALUE_UNKNOWN ? NULL : value_index_at(x, v);
        if (write) {
            if (!number || *number != NO_NUMBER) return refuse(p, v, out);
            c->at[c->n] = (value_cluster){i, h.ret[op], h.call[op], 1};
            c->of[i] = *number = c->n++;
        } else if (v == init && h.ret[op] != RANK_NEVER) {
            c->of[i] = 0;
            widen(&c->at[0], h.call[op], h.ret[op]);
        } else if (number && *number != NO_NUMBER) { /* called after its write */
            c->of[i] = *number;
            widen(&c->at[*number], h.call[op], h.ret[op]);
        } else {
            c->of[i] = NO_NUMBER;
            if (v != VALUE_UNKNOWN) late[(*lates)++] = i;
        }
    }
    return true;
}

static bool gather_late(clusters *c, const value_index *x, const uint32_t *late, uint32_t lates, outcome *out) {
    for (uint32_t k = 0; k < lates; k++)
        if (!add_read(c, late[k], value_index_find(x, c->p->h->res[c->p->op[late[k]]]), out)) return false;
    return true;
}

SELF_CHECK static bool sizes_agree(const clusters *c) {
    uint32_t *members = mem_zero(c->n, sizeof *members);
    bool good = true;
    for (uint32_t i = 0; i < c->p->n; i++)
        if (c->of[i] != NO_NUMBER) members[c->of[i]]++;
    for (uint32_t k = 0; k < c->n && good; k++)
        good = members[k] == c->at[k].size && (k == 0 || c->of[c->at[k].write] == k);
    free(members);
    return good;
}

static bool gather(clusters *c, outcome *out) {
    const problem *p = c->p;
    value_range range = {0};
    for (uint32_t i = 0; i < p->n; i++)
        if (p->h->method[p->op[i]] == WRITE) value_range_add(&range, p->h->arg[0][p->op[i]]);
    c->at = MEM_ARRAY(value_cluster, range.n + 1);
    c->at[0] = (value_cluster){.write = NO_NUMBER}; /* its f is before all ranks: see find_pair */
    c->n = 1;
    value_index x;
    value_index_init(&x, &range);
    uint32_t *late = MEM_ARRAY(uint32_t, p->n), lates = 0;
    bool good = gather_in_order(c, &x, late, &lates, out) && gather_late(c, &x, late, lates, out);
    value_index_free(&x);
    assert_costly(!good || sizes_agree(c));
    free(late);
    return good;
}

/* A pending write that was never read did not happen. */
static bool is_absent(const value_cluster *k) { return k->first == RANK_NEVER; }

static void sort_clusters(clusters *c) {
    c->order = MEM_ARRAY(ranked, c->n);
    ranked *other = MEM_ARRAY(ranked, c->n);
    uint32_t n = 0;
    for (uint32_t k = 1; k < c->n; k++) {
        const value_cluster *of = &c->at[k];
        if (is_absent(of)) c->of[of->write] = NO_NUMBER;
        else c->order[n++] = (ranked){of->first < of->last ? of->first : of->last, k};
    }
    c->n = n + 1;
    ranked *sorted = rank_order(c->order, other, n);
    free(sorted == other ? c->order : other);
    c->order = sorted;
    for (uint32_t i = 1; i < n; i++) assert(sorted[i - 1].rank <= sorted[i].rank);
}

/* Two clusters that cannot be ordered: in the order of min(f, s), Y and the one before it with the largest s. (If that
 * s is the cluster's min(f, s), it is before f(Y).) */
static bool find_pair(const clusters *c, uint32_t *x, uint32_t *y) {
    uint32_t reach = c->at[0].last; /* 0 when the initial value was never read: no return has rank 0 */
    *x = 0;
    for (uint32_t i = 0; i + 1 < c->n; i++) {
        const value_cluster *of = &c->at[c->order[i].item];
        *y = c->order[i].item;
        if (of->first < reach) return true;
        if (of->last > reach) {
            reach = of->last;
            *x = *y;
        }
    }
    return false;
}

/* ---- the witness: the clusters in order, in each the write first, then the reads by their calls ---- */

static void write_witness(clusters *c, outcome *out) {
    const problem *p = c->p;
    uint32_t n = c->at[0].size;
    c->at[0].first = 0;
    /* f and s have served: they become the places of the reads and the write */
    for (uint32_t i = 0; i + 1 < c->n; i++) {
        value_cluster *of = &c->at[c->order[i].item];
        of->last = n;
        of->first = n + 1;
        n += of->size;
    }
    witness *w = &out->witness;
    const history h = *p->h;
    *w = (witness){.op = MEM_ARRAY(uint32_t, n), .res = h.pending ? MEM_ARRAY(value, n) : NULL, .n = n};
    for (uint32_t i = 0; i < p->n; i++) {
        if (c->of[i] == NO_NUMBER) continue;
        value_cluster *of = &c->at[c->of[i]];
        bool is_write = i == of->write;
        uint32_t at = is_write ? of->last : of->first++, op = p->op[i];
        assert(at < n);
        w->op[at] = op;
        if (w->res) w->res[at] = is_write ? VALUE_NONE : h.res[op];
    }
}

static void decide_clusters(clusters *c, outcome *out) {
    uint32_t x, y;
    bool good = gather(c, out);
    if (out->verdict == VERDICT_VIOLATION) return;
    if (budget_check_clock(c->p->budget)) {
        outcome_stopped(c->p, out);
        return;
    }
    if (!good) return;
    sort_clusters(c);
    if (find_pair(c, &x, &y)) {
        violation_by_two(c, x, y, out);
        return;
    }
    out->verdict = VERDICT_LINEARIZABLE;
    write_witness(c, out);
}

static void decide_register(const problem *p, outcome *out) {
    clusters c = {.p = p, .of = MEM_ARRAY(uint32_t, p->n)};
    decide_clusters(&c, out);
    free(c.at);
    free(c.of);
    free(c.order);
}

ENGINE_RECORD(engine_register_linear, "register-linear",
              "registers with different written values: the blocks of two values cannot be ordered", .growth = "n",
              .objects = "register swmr-register", .needs = NEEDS_DISTINCT,
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
              .cost = COST_NEAR_LINEAR, .decide = decide_register);
