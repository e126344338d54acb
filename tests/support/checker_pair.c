#include "support/checker_pair.h"

#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"

static bool distinct(const history *h) {
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t k = 0; k < i && h->nargs[i]; k++)
            if (h->nargs[k] && h->arg[0][k] == h->arg[0][i]) return false;
    return true;
}

bool checker_pair_open(checker_pair *p, random_source *r, const char *object_name, const random_shape *shape) {
    error e = {0};
    *p = (checker_pair){.b = random_history(r, object_name, shape)};
    if (!distinct(p->b.h)) {
        free_bound(&p->b);
        return false;
    }
    feed_init(&p->f, p->b.h);
    p->slow = monitor_checker_new(p->b.o, PAIR_CLIENTS, &(checker_options){.check_after = 1}, &e);
    return true;
}

void checker_pair_close(checker_pair *p) {
    checker_free(p->fast);
    checker_free(p->slow);
    feed_free(&p->f);
    free_bound(&p->b);
}

static uint64_t word_of(const values *t, value v) {
    return value_kind_of(t, v) == KIND_INT ? PLUMB_WORD_INT(value_as_int(t, v))
                                           : PLUMB_WORD_CONSTANT(v - VALUE_SPECIAL);
}

static sketched *fill_in(checker_pair *p, uint32_t i, unsigned how) {
    const history *h = p->b.h;
    sketched *op = &p->op[i];
    *op = (sketched){.client = i,
                     .method = h->method[i],
                     .nargs = h->nargs[i],
                     .outcome = (uint8_t)how,
                     .res = word_of(h->values, h->res[i])};
    if (h->nargs[i]) op->arg[0] = word_of(h->values, h->arg[0][i]);
    return op;
}

static void give(checker_pair *p, checker *c, uint32_t event, unsigned how) {
    sketched *op = fill_in(p, event / 2, how);
    if (event & 1) c->type->ret(c, op);
    else c->type->call(c, op);
}

void checker_pair_give(checker_pair *p, uint32_t rank, unsigned how) {
    give(p, p->fast, p->f.event[rank], how);
    give(p, p->slow, p->f.event[rank], how);
    p->slow->type->settle(p->slow);
}

static bool is_whole(const checker_pair *p, uint32_t rank) {
    uint32_t event = p->f.event[rank];
    return rank + 1 < p->b.h->events && !(event & 1) && p->f.event[rank + 1] == event + 1;
}

static void fill_record(checker_pair *p, uint32_t i, uint64_t *record) {
    const sketched *op = fill_in(p, i, LOG_RETURNED);
    record[0] = op->arg[0];
    record[1] = op->res;
    record[2] = op->method | op->nargs * (unsigned)PLUMB_ONE_ARGUMENT;
    record[3] = LOG_RETURNED;
}

uint32_t checker_pair_give_whole(checker_pair *p, uint32_t rank) {
    enum { MOST = 4 };
    uint64_t record[4 * MOST];
    uint32_t n = 0;
    for (; n < MOST && is_whole(p, rank + 2 * n); n++) fill_record(p, p->f.event[rank + 2 * n] / 2, record + 4 * n);
    uint32_t taken = n ? p->fast->type->whole(p->fast, record, n) : 0;
    if (n && !taken) n = 1;
    if (taken) n = taken;
    for (uint32_t k = rank; k < rank + 2 * n; k++) {
        if (!taken) give(p, p->fast, p->f.event[k], LOG_RETURNED);
        give(p, p->slow, p->f.event[k], LOG_RETURNED);
    }
    p->slow->type->settle(p->slow);
    return 2 * n;
}

bool checker_pair_check_evidence(checker *c) {
    object *own;
    history *h = c->type->evidence(c, &own);
    if (!h) return false;
    decision d = {0};
    budget b;
    budget_init(&b, 10, 0);
    if (h->n <= ORACLE_MAX_OPERATIONS) assert_int_equal(oracle_linearizable(own ? own : c->o, h, 0), ORACLE_NO);
    else decide(h, own ? own : c->o, &(decide_options){.threads = 1}, &b, NULL, &d);
    assert_true(h->n <= ORACLE_MAX_OPERATIONS || d.verdict == VERDICT_VIOLATION);
    decision_free(&d);
    history_free(h);
    object_close(own);
    return true;
}
