/* The fast checker of queue and pool against the monitor of the house: the same verdict after every event, with failed, unknown and
 * excused operations; and its evidence is decided again. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "runtime/checker.h"
#include "support/engine_trial.h"
#include "support/feed.h"
#include "support/record_run.h"

#include <stdlib.h>

enum { CLIENTS = 64 };

typedef struct pair {
    bound b;
    checker *fast, *slow;
    sketched op[CLIENTS];
} pair;

static uint64_t word_of(const values *t, value v) {
    return value_kind_of(t, v) == KIND_INT ? PLUMB_WORD_INT(value_as_int(t, v)) : PLUMB_WORD_CONSTANT(v - VALUE_SPECIAL);
}

static void give_event(pair *p, checker *c, uint32_t event, unsigned how) {
    const history *h = p->b.h;
    uint32_t i = event / 2;
    sketched *op = &p->op[i];
    *op = (sketched){.client = i, .method = h->method[i], .nargs = h->nargs[i], .outcome = (uint8_t)how, .res = word_of(h->values, h->res[i])};
    if (h->nargs[i]) op->arg[0] = word_of(h->values, h->arg[0][i]);
    if (event & 1) c->type->ret(c, op);
    else c->type->call(c, op);
}

static void check_evidence(checker *c) {
    object *own;
    history *h = c->type->evidence(c, &own);
    if (!h) return;
    assert_int_equal(oracle_linearizable(own ? own : c->o, h, 1000000), ORACLE_NO);
    history_free(h);
    object_close(own);
}

static bool distinct(const history *h) {
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t k = 0; k < i && h->nargs[i]; k++)
            if (h->nargs[k] && h->arg[0][k] == h->arg[0][i]) return false;
    return true;
}

static void compare(const char *what, random_source *r, uint64_t max_lag, uint32_t *violations) {
    error e = {0};
    random_shape shape = shape_distinct(r);
    pair p = {.b = random_history(r, what, &shape)};
    checker_options o = {.max_lag = max_lag};
    feed f;
    feed_init(&f, p.b.h);
    if (distinct(p.b.h)) {
        p.fast = queue_checker_new(p.b.o, CLIENTS, &o);
        p.slow = monitor_checker_new(p.b.o, CLIENTS, &(checker_options){0}, &e);
        for (uint32_t k = 0; k < p.b.h->events && p.slow->verdict == VERDICT_LINEARIZABLE; k++) {
            uint32_t event = f.event[k];
            unsigned how = random_below(r, 12) ? LOG_RETURNED : random_below(r, 2) ? LOG_FAILED : LOG_UNKNOWN;
            give_event(&p, p.fast, event, how);
            give_event(&p, p.slow, event, how);
            if (p.fast->verdict == VERDICT_UNDECIDED) break; /* a remove of one value, say: the monitor of the house can */
            if (max_lag && p.fast->verdict == VERDICT_LINEARIZABLE) continue; /* who is excused may have done anything */
            assert_int_equal(p.fast->verdict, p.slow->verdict);
            if (p.fast->verdict != VERDICT_VIOLATION) continue;
            ++*violations;
            check_evidence(p.fast);
        }
        checker_free(p.fast);
        checker_free(p.slow);
    }
    feed_free(&f);
    free_bound(&p.b);
}

static void as_the_monitor_says(void **unused) {
    (void)unused;
    uint32_t n = soaking() ? 2000000 : getenv("PLUMB_SANITIZED") ? 4000 : 40000, violations = 0;
    random_source r = {7};
    for (uint32_t i = 0; i < n; i++) compare(i % 2 ? "multiset" : "queue", &r, 0, &violations);
    assert_true(violations > n / 10);
}

static void excuses_are_sound(void **unused) {
    (void)unused;
    uint32_t n = soaking() ? 1000000 : getenv("PLUMB_SANITIZED") ? 2000 : 20000, violations = 0;
    random_source r = {11};
    for (uint32_t i = 0; i < n; i++) compare(i % 2 ? "multiset" : "queue", &r, 1 + i % 5, &violations);
    assert_true(violations > n / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_monitor_says), cmocka_unit_test(excuses_are_sound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
