#include "support/feed.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "support/cmocka.h"

void feed_init(feed *f, const history *h) {
    *f = (feed){
        .h = h, .event = MEM_ARRAY(uint32_t, h->events + 1), .open = mem_zero(h->n + 1, sizeof(open_operation *))};
    memset(f->event, 0xff, (h->events + 1) * sizeof *f->event);
    for (uint32_t i = 0; i < h->n; i++) {
        f->event[h->call[i]] = 2 * i;
        if (!history_pending(h, i)) f->event[h->ret[i]] = 2 * i + 1;
    }
}

void feed_free(feed *f) {
    free(f->event);
    free(f->open);
}

bool feed_next(feed *f, monitor *m) {
    if (f->next == f->h->events) return false;
    uint32_t e = f->event[f->next++];
    assert_int_not_equal(e, UINT32_MAX);
    operation op;
    history_operation(f->h, e / 2, &op);
    if (e & 1) {
        monitor_return(m, f->open[e / 2], op.res);
        return true;
    }
    monitor_call_record call = {.client = op.client, .method = op.method, .nargs = op.nargs, .key = op.key};
    memcpy(call.arg, op.arg, sizeof call.arg);
    f->open[e / 2] = monitor_call(m, &call);
    return true;
}

uint32_t feed_with_pending(feed *f, monitor *m, random_source *r, uint32_t *rank_of) {
    uint32_t events = 0;
    while (feed_next(f, m)) {
        rank_of[events++] = f->next - 1;
        for (uint32_t i = 0; i < f->h->n; i++) {
            if (!history_pending(f->h, i) || !f->open[i] || monitor_verdict(m) != VERDICT_LINEARIZABLE ||
                random_chance(r, 0.6))
                continue;
            rank_of[events++] = f->next - 1;
            monitor_info(m, f->open[i]);
            f->open[i] = NULL;
        }
    }
    return events;
}

history *feed_failures(feed *f, monitor *m) {
    uint32_t *op = MEM_ARRAY(uint32_t, f->h->n + 1), n = 0;
    for (uint32_t i = 0; i < f->h->n; i++) {
        if (!history_pending(f->h, i)) op[n++] = i;
        else monitor_fail(m, f->open[i]);
    }
    history *without = history_select(f->h, op, n, RANK_NEVER);
    free(op);
    return without;
}

verdict feed_all(const bound *b, const monitor_options *options, moment *bad) {
    error e = {0};
    monitor *m = monitor_new(b->o, options, &e);
    feed f;
    assert_non_null(m);
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    verdict v = monitor_settle(m);
    *bad = monitor_bad_event(m);
    feed_free(&f);
    monitor_free(m);
    return v;
}

static bool violates(const bound *b, uint32_t cut) {
    uint32_t *op = MEM_ARRAY(uint32_t, b->h->n + 1);
    for (uint32_t i = 0; i < b->h->n; i++) op[i] = i;
    history *h = history_select(b->h, op, b->h->n, cut);
    oracle_answer a = oracle_linearizable(b->o, h, 0);
    history_free(h);
    free(op);
    return a == ORACLE_NO;
}

/* A history cut later is a violation if one cut earlier is. */
uint32_t earliest_violation(const bound *b) {
    if (!b->h->events || !violates(b, b->h->events - 1)) return RANK_NEVER;
    uint32_t low = 0, high = b->h->events - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (violates(b, middle)) high = middle;
        else low = middle + 1;
    }
    return low;
}

verdict verdict_offline(const bound *b, uint32_t cut, double seconds) {
    uint32_t *op = MEM_ARRAY(uint32_t, b->h->n + 1);
    for (uint32_t i = 0; i < b->h->n; i++) op[i] = i;
    history *h = history_select(b->h, op, b->h->n, cut);
    budget spend;
    decision d;
    budget_init(&spend, seconds, 0);
    decide(h, b->o, &(decide_options){.threads = 1}, &spend, NULL, &d);
    verdict v = d.verdict;
    decision_free(&d);
    history_free(h);
    free(op);
    return v;
}
