/* What equal stamps mean (docs/FORMATS.md), on random histories of few stamps: the order of each client's own
 * operations is kept and no other order is made up, whatever the order of the lines; and verdicts are those of an
 * enumeration of all orders that keep it. */
#include "base/random.h"
#include "history/builder.h"
#include "support/cmocka.h"
#include "support/judge_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 3, MOST = 8, ROUNDS = 3000, SOAK_ROUNDS = 400000, ORDERS = 3, VALUES = 3 };

typedef struct drawn {
    uint32_t client, life; /* life: changes after a pending operation of the client */
    int64_t call, ret;     /* STAMP_NEVER: pending */
    bool writes;
    uint32_t number; /* written or read; 0: what a register has at first */
} drawn;

typedef struct drawing {
    drawn op[MOST]; /* each client's in its own order */
    uint32_t n;
} drawing;

static drawing draw(random_source *r) {
    drawing d = {.n = 1 + random_below(r, MOST)};
    int64_t now[CLIENTS] = {0};
    uint32_t life[CLIENTS] = {0};
    for (uint32_t i = 0; i < d.n; i++) {
        uint32_t c = random_below(r, CLIENTS);
        drawn *o = &d.op[i];
        *o = (drawn){.client = c, .life = life[c], .writes = random_chance(r, 0.5)};
        o->call = now[c] + (random_chance(r, 0.6) ? 0 : 1);
        o->ret = now[c] = o->call + (random_chance(r, 0.5) ? 0 : 1);
        o->number = random_below(r, VALUES) + o->writes;
        if (!random_chance(r, 0.1)) continue;
        now[c] = o->call;
        o->ret = STAMP_NEVER;
        life[c]++;
    }
    return d;
}

static bool precedes(const drawing *d, uint32_t a, uint32_t b) {
    const drawn *x = &d->op[a], *y = &d->op[b];
    if (x->ret == STAMP_NEVER) return false;
    return x->ret < y->call || (x->client == y->client && x->life == y->life && a < b);
}

/* ---- lines in another order ---- */

/* Which of these of one client came first is told by the order of their lines and by nothing else. */
static bool told_by_lines(const drawing *d, uint32_t a, uint32_t b) {
    const drawn *x = &d->op[a], *y = &d->op[b];
    bool lasts = (x->ret != STAMP_NEVER && x->ret > x->call) || (y->ret != STAMP_NEVER && y->ret > y->call);
    return x->client == y->client && x->call == y->call && !lasts;
}

static void any_order(const drawing *d, random_source *r, uint32_t order[MOST]) {
    for (uint32_t i = 0; i < d->n; i++) order[i] = i;
    for (uint32_t i = d->n; i > 1; i--) {
        uint32_t k = random_below(r, i), moved = order[k];
        order[k] = order[i - 1];
        order[i - 1] = moved;
    }
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t k = i + 1; k < d->n; k++)
            if (order[i] > order[k] && told_by_lines(d, order[i], order[k])) {
                uint32_t moved = order[k];
                order[k] = order[i];
                order[i] = moved;
            }
}

/* Lines are the numbers of the drawing, from 1. */
static history *build(const drawing *d, const uint32_t order[MOST]) {
    error e = {0};
    builder *b = builder_new("drawn", &e);
    for (uint32_t k = 0; k < d->n; k++) {
        const drawn *o = &d->op[order[k]];
        value v = o->number ? value_int(builder_values(b), o->number) : VALUE_NONE;
        const char *name = o->writes ? "write" : "read";
        call_record call = {.client = value_int(builder_values(b), o->client),
                            .method = builder_method(b, name, strlen(name), 1),
                            .arg = &v,
                            .nargs = o->writes,
                            .line = order[k] + 1};
        assert_true(builder_operation(b, &call, o->call, o->ret, o->writes ? VALUE_NONE : v));
    }
    history *h = builder_finish(b);
    if (!h) fail_msg("%s", e.what);
    builder_free(b);
    return h;
}

/* ---- the order that a history says ---- */

typedef struct relation {
    bool before[MOST][MOST]; /* by numbers of the drawing */
} relation;

static relation told(const history *h) {
    relation t = {0};
    for (uint32_t a = 0; a < h->n; a++)
        for (uint32_t b = 0; b < h->n; b++)
            t.before[h->line[a] - 1][h->line[b] - 1] = h->ret[a] != RANK_NEVER && h->ret[a] < h->call[b];
    for (uint32_t i = 0; i < h->ties; i++) t.before[h->line[h->tied[i][0]] - 1][h->line[h->tied[i][1]] - 1] = true;
    for (uint32_t via = 0; via < h->n; via++)
        for (uint32_t a = 0; a < h->n; a++)
            for (uint32_t b = 0; b < h->n; b++) t.before[a][b] |= t.before[a][via] && t.before[via][b];
    return t;
}

static void show(const drawing *d, const uint32_t order[MOST], text *out) {
    for (uint32_t k = 0; k < d->n; k++) {
        const drawn *o = &d->op[order[k]];
        text_printf(out, "#%u client %u %s %u [%lld,%lld]\n", order[k], o->client, o->writes ? "write" : "read",
                    o->number, (long long)o->call, o->ret == STAMP_NEVER ? -1 : (long long)o->ret);
    }
}

static void expect_order(const drawing *d, const history *h, const uint32_t order[MOST], uint64_t seed) {
    relation is = told(h);
    for (uint32_t a = 0; a < d->n; a++)
        for (uint32_t b = 0; b < d->n; b++)
            if (a != b && is.before[a][b] != precedes(d, a, b)) {
                text t = {0};
                show(d, order, &t);
                fail_msg("seed %llu: #%u %s before #%u\n%s", (unsigned long long)seed, a,
                         is.before[a][b] ? "is said to be" : "is not said to be", b, text_str(&t));
            }
}

/* ---- all orders ---- */

static bool some_order(const drawing *d, uint32_t done, uint32_t now) {
    bool all = true;
    for (uint32_t i = 0; i < d->n; i++) {
        const drawn *o = &d->op[i];
        if (done >> i & 1) continue;
        all &= o->ret == STAMP_NEVER;
        bool waits = false;
        for (uint32_t k = 0; k < d->n; k++) waits |= !(done >> k & 1) && precedes(d, k, i);
        bool wrong = !o->writes && o->ret != STAMP_NEVER && o->number != now;
        if (!waits && !wrong && some_order(d, done | 1u << i, o->writes ? o->number : now)) return true;
    }
    return all;
}

static void expect_verdict(const drawing *d, history *h, const uint32_t order[MOST], uint64_t seed) {
    static unsigned decided, open;
    verdict right = some_order(d, 0, 0) ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION;
    bool ties = h->ties > 0;
    verdict v = judge_history(h, "register");
    if (v == VERDICT_UNDECIDED ? !ties : v != right) {
        text t = {0};
        show(d, order, &t);
        fail_msg("seed %llu: is %s, was said to be %s\n%s", (unsigned long long)seed, verdict_text(right),
                 verdict_text(v), text_str(&t));
    }
    if (v == VERDICT_UNDECIDED) open++;
    else decided++;
    assert_true(decided + open < 100 || open < decided / 4);
}

static void the_order_of_lines_means_nothing_else(void **unused) {
    (void)unused;
    const uint64_t rounds = getenv("PLUMB_SOAK") ? SOAK_ROUNDS : ROUNDS;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        random_source r = {seed};
        drawing d = draw(&r);
        for (unsigned k = 0; k < ORDERS; k++) {
            uint32_t order[MOST];
            any_order(&d, &r, order);
            history *h = build(&d, order);
            expect_order(&d, h, order, seed);
            expect_verdict(&d, h, order, seed);
            history_free(h);
        }
    }
    print_message("%llu histories, each in %d orders\n", (unsigned long long)rounds, ORDERS);
}

TEST_MAIN(TEST(the_order_of_lines_means_nothing_else))
