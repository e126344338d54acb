/* SOAR, figure 3 of Guerraoui and Vukolic (CONCUR 2008): greedy linearization from the end. With w the last write left,
 *
 *     linRds = the reads left that  l1 return w's value,  l2 do not precede w,  l3 are followed only by reads of that
 *     value
 *
 * come after w. The execution is atomic iff  a1 with the initial write alone left, every read left returns its value;
 * otherwise  a2 no read left outside linRds follows w, and  a3 the same holds without w and linRds.
 *
 * Published at n^3, here n log n: l3 is a bound, for a read is followed by one of another value iff it returns before
 * the last call of such a read. The reads left are a list from the last call down; only those called after w are looked
 * at for the bound, and all of them but the one that is the bound are in linRds, so that each is looked at once. */
#include "engine/pattern.h"
#include "engine/general/single_writer.h"
#include "engine/self_check.h"

#include <stdlib.h>

typedef struct value_read { /* to find the reads of a value that return last */
    value v;
    uint32_t ret, read;
} value_read;

typedef struct soar {
    single_writer s;
    uint32_t *before, *behind; /* by read: its neighbours among the reads left; NO_INDEX: none */
    uint32_t last;             /* the read left that was called last */
    value_read *by_value;      /* sorted by value, then return */
    uint32_t *end;             /* at the place where a value begins: the end of its reads left */
} soar;

#define NO_INDEX UINT32_MAX

static int compare(const void *p, const void *q) {
    const value_read *a = p, *b = q;
    if (a->v != b->v) return a->v < b->v ? -1 : 1;
    return a->ret < b->ret ? -1 : a->ret > b->ret;
}

static void begin(soar *x) {
    uint32_t n = x->s.reads;
    x->before = MEM_ARRAY(uint32_t, n + 1);
    x->behind = MEM_ARRAY(uint32_t, n + 1);
    x->end = MEM_ARRAY(uint32_t, n + 1);
    x->by_value = MEM_ARRAY(value_read, n + 1);
    for (uint32_t r = 0; r < n; r++) {
        x->before[r] = r ? r - 1 : NO_INDEX;
        x->behind[r] = r + 1 < n ? r + 1 : NO_INDEX;
        x->by_value[r] = (value_read){x->s.read[r].v, x->s.read[r].ret, r};
    }
    x->last = n ? n - 1 : NO_INDEX;
    qsort(x->by_value, n, sizeof *x->by_value, compare);
    for (uint32_t i = n, end = n; i-- > 0;) {
        if (i + 1 < n && x->by_value[i].v != x->by_value[i + 1].v) end = i + 1;
        assert(end > i && (i == 0 || compare(&x->by_value[i - 1], &x->by_value[i]) <= 0));
        x->end[i] = end; /* used at the value's first place only */
    }
}

static uint32_t first_of(const soar *x, value v) {
    uint32_t low = 0, high = x->s.reads;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (x->by_value[middle].v < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void leave(soar *x, uint32_t r) {
    assert(x->before[r] == NO_INDEX || x->behind[x->before[r]] == r); /* it is in the list */
    assert(x->behind[r] == NO_INDEX ? x->last == r : x->before[x->behind[r]] == r);
    if (x->before[r] != NO_INDEX) x->behind[x->before[r]] = x->behind[r];
    if (x->behind[r] != NO_INDEX) x->before[x->behind[r]] = x->before[r];
    else x->last = x->before[r];
}

/* l2 and l3: linRds are w's reads that return after this. */
static uint32_t bound_of(const soar *x, const write_op *w) {
    uint32_t r = x->last;
    while (r != NO_INDEX && x->s.read[r].call > w->call && x->s.read[r].v == w->v) r = x->before[r];
    return r != NO_INDEX && x->s.read[r].call > w->call ? x->s.read[r].call : w->call;
}

static void linearize_reads(soar *x, uint32_t write) {
    const write_op *w = &x->s.write[write];
    uint32_t bound = bound_of(x, w), first = first_of(x, w->v);
    if (first == x->s.reads || x->by_value[first].v != w->v) return;
    assert(first == 0 || x->by_value[first - 1].v < w->v);
    while (x->end[first] > first && x->by_value[x->end[first] - 1].ret > bound) {
        uint32_t r = x->by_value[--x->end[first]].read;
        assert(x->s.read[r].v == w->v && x->s.read[r].ret > w->call);
        x->s.read[r].write = write;
        leave(x, r);
    }
}

/* The assertion; the loop is its recursion. */
static bool holds(soar *x, const problem *p) {
    unsigned ticks = 0;
    for (uint32_t w = x->s.writes - 1; w > 0; w--) {
        if (budget_tick(p->budget, &ticks)) return false;
        linearize_reads(x, w);
        if (x->last != NO_INDEX && x->s.read[x->last].call > x->s.write[w].ret) return false; /* a2 */
    }
    for (uint32_t r = x->last; r != NO_INDEX; r = x->before[r]) { /* a1 */
        if (x->s.read[r].v != x->s.write[0].v) return false;
        x->s.read[r].write = 0;
    }
    return true;
}

static void decide_soar(const problem *p, outcome *out) {
    soar x = {0};
    if (single_writer_gather(p, &x.s, out)) {
        begin(&x);
        bool atomic = holds(&x, p);
        if (atomic) {
            out->verdict = VERDICT_LINEARIZABLE;
            single_writer_witness(&x.s, out);
        } else if (budget_spent(p->budget)) {
            outcome_stopped(p, out);
        } else {
            outcome_violation(out, RANK_NEVER);
        }
    }
    single_writer_free(&x.s);
    free(x.before);
    free(x.behind);
    free(x.by_value);
    free(x.end);
}

ENGINE_RECORD(engine_soar, "soar", "single-writer registers: greedy linearization from the end (Guerraoui and Vukolic)",
              .growth = "n log n", .objects = "swmr-register",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .by_name_only = true, .decide = decide_soar);
