/* quasi with a limit for each method, against the definition (Definition 4 with the quasi factor of Definition 3 of
 * "Round-Up": sequentializations, permutations of each method's operations within its limit), by enumeration. */
#include "support/cmocka.h"

#include "object/relax.h"
#include "support/criterion_oracle.h"
#include "support/quasi_trial.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_LIMIT = 2, MOST_OPERATIONS = 7 };

static criterion by_method(uint32_t adds, uint32_t removes) {
    criterion c = {.kind = CRITERION_QUASI, .asked = true};
    snprintf(c.answers, sizeof c.answers, "enq=%u,deq=%u", adds, removes);
    return c;
}

/* Its own copy of the type, with or without the hint that its elements have an order. */
static object relaxed_by(const bound *b, object_type *type, const criterion *c) {
    object o = *b->o;
    error e = {0};
    o.relaxed = NULL;
    o.type = type;
    if (!object_relax(&o, c, &e)) fail_msg("%s", e.what);
    return o;
}

static void differs(const bound *b, const object *o, bool expected) {
    text said = {0}, name = {0};
    history_text(b, &said);
    criterion_print(&o->criterion, &name);
    fail_msg("%s: expected %s\n%s", text_str(&name), expected ? "right" : "a violation", text_str(&said));
}

/* ---- results that come early or late: of a queue, the criterion quasi(k) ---- */

static void results_of_a_queue(void **unused) {
    (void)unused;
    random_source r = {2301};
    uint32_t right = 0, wrong = 0, n = trial_histories(20000);
    for (uint32_t i = 0; i < n; i++) {
        bound b = relaxed_history(&r, "queue", TAKE_OLDEST, 2 + random_below(&r, MOST_OPERATIONS - 1));
        object_type type = *b.o->type;
        type.ends = NULL; /* so that nothing is known but its step */
        for (uint32_t k = 0; k <= MOST_LIMIT; k++) {
            object plain = relaxed_object(&b, CRITERION_QUASI, k, k);
            bool expected = criterion_by_enumeration(&plain, b.h) == ORACLE_YES;
            criterion c = by_method(0, k);
            object o = relaxed_by(&b, &type, &c);
            assert_int_equal(o.criterion.kind, CRITERION_BY_METHOD);
            if ((oracle_linearizable(&o, b.h, 0) == ORACLE_YES) != expected) differs(&b, &o, expected);
            right += expected;
            wrong += !expected;
            relax_free(&o);
            free_relaxed(&plain);
        }
        free_bound(&b);
    }
    assert_true(right > n / 2 && wrong > n / 10);
}

/* ---- adds out of order as well ---- */

typedef struct sequentialization {
    const history *h;
    uint32_t order[MOST_OPERATIONS], n;
    uint32_t adds, removes; /* limits */
} sequentialization;

typedef struct line_orders {
    value added[MOST_OPERATIONS], removed[MOST_OPERATIONS];
    uint32_t n, out; /* added; removed by the history itself, the rest by the drain */
    uint32_t adds, removes;
} line_orders;

static bool is_add(const history *h, uint32_t op) { return h->nargs[op] == 1; }

/* A bag run with empties only when it is empty: adds and removals in their orders. */
static bool take_orders(const sequentialization *s, line_orders *q) {
    *q = (line_orders){.adds = s->adds, .removes = s->removes};
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t op = s->order[i];
        bool inside = false;
        if (is_add(s->h, op)) {
            q->added[q->n++] = s->h->arg[0][op];
            continue;
        }
        if (s->h->res[op] == VALUE_EMPTY) {
            if (q->n != q->out) return false;
            continue;
        }
        for (uint32_t k = 0; k < q->n; k++) inside |= q->added[k] == s->h->res[op];
        for (uint32_t k = 0; k < q->out; k++) inside &= q->removed[k] != s->h->res[op];
        if (!inside) return false;
        q->removed[q->out++] = s->h->res[op];
    }
    return true;
}

static uint32_t place(const value *at, uint32_t n, value v) {
    uint32_t i = 0;
    while (i < n && at[i] != v) i++;
    assert_true(i < n);
    return i;
}

static bool near(const value *a, const value *b, uint32_t n, uint32_t limit) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = place(b, n, a[i]);
        if ((i > j ? i - j : j - i) > limit) return false;
    }
    return true;
}

static void swap(value *a, value *b) {
    value v = *a;
    *a = *b;
    *b = v;
}

/* Some order of what is left inside, removed at the end. */
static bool some_drain(line_orders *q, const value *line, uint32_t from) {
    if (from == q->n) return near(q->removed, line, q->n, q->removes);
    for (uint32_t i = from; i < q->n; i++) {
        swap(&q->removed[from], &q->removed[i]);
        bool good = some_drain(q, line, from + 1);
        swap(&q->removed[from], &q->removed[i]);
        if (good) return true;
    }
    return false;
}

/* Some line in which the adds are near theirs and the removals near theirs: a legal run of the same shape. */
static bool some_line(line_orders *q, value *line, uint32_t from) {
    if (from == q->n) return near(q->added, line, q->n, q->adds) && some_drain(q, line, q->out);
    for (uint32_t i = from; i < q->n; i++) {
        swap(&line[from], &line[i]);
        bool good = some_line(q, line, from + 1);
        swap(&line[from], &line[i]);
        if (good) return true;
    }
    return false;
}

static bool is_within(const sequentialization *s) {
    line_orders q;
    value line[MOST_OPERATIONS];
    if (!take_orders(s, &q)) return false;
    uint32_t left = q.out;
    for (uint32_t i = 0; i < q.n; i++) {
        bool gone = false;
        line[i] = q.added[i];
        for (uint32_t k = 0; k < q.out; k++) gone |= q.removed[k] == q.added[i];
        if (!gone) q.removed[left++] = q.added[i];
    }
    assert_int_equal(left, q.n);
    return some_line(&q, line, 0);
}

static bool some_sequentialization(sequentialization *s, uint32_t taken) {
    if (s->n == s->h->n) return is_within(s);
    for (uint32_t i = 0; i < s->h->n; i++) {
        bool first = !(taken >> i & 1);
        for (uint32_t k = 0; k < s->h->n; k++) first &= taken >> k & 1 || s->h->ret[k] > s->h->call[i];
        if (!first) continue;
        s->order[s->n++] = i;
        bool good = some_sequentialization(s, taken | 1u << i);
        s->n--;
        if (good) return true;
    }
    return false;
}

static void adds_and_removes_of_a_queue(void **unused) {
    (void)unused;
    random_source r = {2302};
    uint32_t differ = 0, n = trial_histories(6000);
    for (uint32_t i = 0; i < n; i++) {
        bound b = relaxed_history(&r, "queue", TAKE_OLDEST, 2 + random_below(&r, MOST_OPERATIONS - 1));
        bool plain = false;
        for (uint32_t adds = 0; adds <= MOST_LIMIT && !b.h->pending; adds++)
            for (uint32_t removes = 0; removes <= MOST_LIMIT; removes++) {
                sequentialization s = {.h = b.h, .adds = adds, .removes = removes};
                bool expected = some_sequentialization(&s, 0);
                criterion c = by_method(adds, removes);
                object_type type = *b.o->type;
                object o = relaxed_by(&b, &type, &c);
                assert_int_equal(o.criterion.kind, adds ? CRITERION_BY_METHOD : CRITERION_QUASI);
                if ((oracle_linearizable(&o, b.h, 0) == ORACLE_YES) != expected) differs(&b, &o, expected);
                if (!adds) plain = expected;
                else differ += expected != plain;
                relax_free(&o);
            }
        free_bound(&b);
    }
    assert_true(differ > 0); /* adds out of order allow more */
}

static void refused(const char *object_name, const char *what, const char *says) {
    error e = {0};
    criterion c;
    object *o = object_open(object_name, NULL, &e);
    assert_non_null(o);
    bool good = criterion_parse(what, &c, &e) && object_relax(o, &c, &e);
    assert_false(good);
    assert_int_equal(e.code, EXIT_USAGE);
    if (!strstr(e.what, says)) fail_msg("%s", e.what);
    object_close(o);
}

static void refusals_name_the_reason(void **unused) {
    (void)unused;
    refused("queue", "quasi(foo=1)", "no method 'foo'");
    refused("queue", "quasi(deq=1,deq=2)", "two limits");
    refused("queue", "quasi(deq=1,2)", "expected METHOD=N");
    refused("queue", "quasi(deq=-1)", "expected a number");
    refused("pqueue-max", "quasi(insert=1)", "where its priority says");
    refused("register", "quasi(write=1)", "has arguments");
    refused("register", "quasi(1)", "no order");
    refused("exchanger", "quasi(exchange=1)", "together");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_a_queue),
        cmocka_unit_test(adds_and_removes_of_a_queue),
        cmocka_unit_test(refusals_name_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
