#include "object/queue_order.h"

#include <assert.h>

/* Values leave a queue in the order they entered it, so one order of the values must fit both what is known of their
 * enqueues and what is known of their dequeues. Such an order is found by taking away, again and again, a value whose
 * enqueue begins before any other's ends, and whose dequeue does. An enqueue is then due when its value's dequeue
 * returns, or that of any value behind it. */

typedef struct value_passage { /* of one value through the queue */
    value v;
    uint32_t position; /* of the enqueue in the part */
    uint32_t in_call, in_ret, out_call, out_ret;
} value_passage;

static int by_value_then_call(const void *a, const void *b) {
    const value_passage *x = a, *y = b;
    if (x->v != y->v) return x->v < y->v ? -1 : 1;
    return x->in_call < y->in_call ? -1 : x->in_call > y->in_call;
}

/* The k-th enqueue of a value goes with its k-th dequeue. */
static uint32_t pair(const history *h, const uint32_t *op, uint32_t n, value_passage *in) {
    value_passage *out = MEM_ARRAY(value_passage, n);
    uint32_t ins = 0, outs = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = op[i];
        bool adds = h->nargs[k] > 0;
        value_passage one = {adds ? h->arg[0][k] : h->res[k], i, h->call[k], h->ret[k], RANK_NEVER, RANK_NEVER};
        if (adds) in[ins++] = one;
        else out[outs++] = one;
    }
    qsort(in, ins, sizeof *in, by_value_then_call);
    qsort(out, outs, sizeof *out, by_value_then_call);
    for (uint32_t i = 0, k = 0; i < ins; i++) {
        while (k < outs && out[k].v < in[i].v) k++;
        if (k == outs || out[k].v != in[i].v) continue;
        in[i].out_call = out[k].in_call;
        in[i].out_ret = out[k++].in_ret;
    }
    free(out);
    assert(ins + outs == n);
    return ins;
}

typedef struct order_side { /* one of the two orders, enqueues or dequeues: passages by beginning and by end */
    uint32_t *by_call, *by_ret;
    uint32_t opened, ended; /* how far each has been walked */
} order_side;

static int by_bound(const void *a, const void *b, void *bound) {
    const uint32_t *of = bound;
    uint32_t x = of[*(const uint32_t *)a], y = of[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static uint32_t *sorted(uint32_t *bound, uint32_t n) {
    uint32_t *order = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    qsort_r(order, n, sizeof *order, by_bound, bound);
    return order;
}

typedef struct peeling {
    uint32_t *call[2], *ret[2];
    order_side side[2];
    uint8_t *open; /* by passage: on how many sides it begins before all that remain end; removed: 3 */
    uint32_t *ready;
    uint32_t readies;
    uint32_t n;
} peeling;

enum { REMOVED = 3 };

static void walk_side(peeling *p, unsigned s) {
    order_side *d = &p->side[s];
    while (d->ended < p->n && p->open[d->by_ret[d->ended]] == REMOVED) d->ended++;
    if (d->ended == p->n) return;
    uint32_t end = p->ret[s][d->by_ret[d->ended]];
    for (; d->opened < p->n && p->call[s][d->by_call[d->opened]] <= end; d->opened++) {
        uint32_t i = d->by_call[d->opened];
        assert(p->open[i] < 2); /* once on each side */
        if (++p->open[i] == 2) p->ready[p->readies++] = i;
    }
}

/* The order of the passages, as far as there is one. */
static uint32_t peel(peeling *p, uint32_t *order) {
    uint32_t count = 0;
    walk_side(p, 0);
    walk_side(p, 1);
    while (p->readies) {
        uint32_t i = p->ready[--p->readies];
        assert(p->open[i] == 2 && count < p->n);
        p->open[i] = REMOVED;
        order[count++] = i;
        walk_side(p, 0);
        walk_side(p, 1);
    }
    return count;
}

static void peeling_init(peeling *p, const value_passage *in, uint32_t n) {
    *p = (peeling){.n = n, .open = mem_zero(n, 1), .ready = MEM_ARRAY(uint32_t, n)};
    for (unsigned s = 0; s < 2; s++) {
        p->call[s] = MEM_ARRAY(uint32_t, n);
        p->ret[s] = MEM_ARRAY(uint32_t, n);
        for (uint32_t i = 0; i < n; i++) {
            p->call[s][i] = s ? in[i].out_call : in[i].in_call;
            p->ret[s][i] = s ? in[i].out_ret : in[i].in_ret;
        }
        p->side[s] = (order_side){.by_call = sorted(p->call[s], n), .by_ret = sorted(p->ret[s], n)};
    }
}

static void peeling_free(peeling *p) {
    for (unsigned s = 0; s < 2; s++) {
        free(p->call[s]);
        free(p->ret[s]);
        free(p->side[s].by_call);
        free(p->side[s].by_ret);
    }
    free(p->open);
    free(p->ready);
}

void queue_order(const object *o, const history *h, const uint32_t *op, uint32_t n, uint64_t *key) {
    (void)o;
    value_passage *in = MEM_ARRAY(value_passage, n);
    uint32_t ins = pair(h, op, n, in), *order = MEM_ARRAY(uint32_t, ins);
    for (uint32_t i = 0; i < n; i++) key[i] = (uint64_t)h->ret[op[i]] << 32 | UINT32_MAX; /* behind enqueues due then */
    peeling p;
    peeling_init(&p, in, ins);
    uint32_t due = RANK_NEVER;
    for (uint32_t k = peel(&p, order); k-- > 0;) {
        const value_passage *one = &in[order[k]];
        if (one->out_ret < due) due = one->out_ret;
        key[one->position] = (uint64_t)due << 32 | k;
    }
    peeling_free(&p);
    free(order);
    free(in);
}
