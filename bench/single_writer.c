/* Three ways: SOAR; CLMT as the engine has it, where the order is a number for each read; and CLMT as it is printed,
 * every relation among the operations tried until one is right. */
#include "bench/single_writer.h"

#include "base/budget.h"
#include "base/mem.h"
#include "engine/portfolio.h"
#include "generate/generate.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_NAIVE = 5, MOST = 9 };

/* ---- definition 1, word by word ---- */

typedef struct execution { /* operation 0 is the write of the initial value */
    unsigned n;
    uint64_t call[MOST_NAIVE + 1], ret[MOST_NAIVE + 1];
    value v[MOST_NAIVE + 1];
    bool writes[MOST_NAIVE + 1];
} execution;

typedef bool relation[MOST_NAIVE + 1][MOST_NAIVE + 1];

static bool precedes(const execution *x, unsigned a, unsigned b) { return x->ret[a] < x->call[b]; }

static bool is_order(const execution *x, relation r) {
    for (unsigned a = 0; a < x->n; a++)
        for (unsigned b = 0; b < x->n; b++)
            for (unsigned c = 0; c < x->n; c++)
                if ((r[a][b] && r[b][a]) || (r[a][b] && r[b][c] && !r[a][c])) return false;
    return true;
}

static bool is_last_write_before(const execution *x, relation r, unsigned w, unsigned p) {
    if (!x->writes[w] || !r[w][p]) return false;
    for (unsigned o = 0; o < x->n; o++)
        if (x->writes[o] && r[w][o] && r[o][p]) return false;
    return true;
}

static bool pair_is_right(const execution *x, relation r, unsigned p, unsigned q) {
    bool before = precedes(x, p, q);
    if (before && r[q][p]) return false;                                              /* 1 */
    if (p != q && x->writes[p] && x->writes[q] && !r[p][q] && !r[q][p]) return false; /* 2 */
    if (before && x->writes[p] && !x->writes[q] && !r[p][q]) return false;            /* 3 */
    for (unsigned w = 0; w < x->n && before && !x->writes[p] && !x->writes[q]; w++)
        if (is_last_write_before(x, r, w, p) && !r[w][q]) return false; /* 4 */
    return true;
}

static bool is_right(const execution *x, relation r) {
    for (unsigned p = 0; p < x->n; p++)
        for (unsigned q = 0; q < x->n; q++)
            if (!pair_is_right(x, r, p, q)) return false;
    for (unsigned p = 1; p < x->n; p++) { /* 5 */
        bool found = x->writes[p];
        for (unsigned w = 0; w < x->n && !found; w++) found = is_last_write_before(x, r, w, p) && x->v[w] == x->v[p];
        if (!found) return false;
    }
    return is_order(x, r);
}

/* The initial write is put first, as the paper does; of all others every relation is tried. */
static bool clmt_as_printed(const execution *x) {
    unsigned pairs = (x->n - 1) * (x->n - 2);
    for (uint64_t bits = 0; bits < UINT64_C(1) << pairs; bits++) {
        relation r = {{0}};
        unsigned bit = 0;
        for (unsigned a = 1; a < x->n; a++) {
            r[0][a] = true;
            for (unsigned b = 1; b < x->n; b++)
                if (a != b) r[a][b] = bits >> bit++ & 1;
        }
        if (is_right(x, r)) return true;
    }
    return false;
}

/* ---- measuring ---- */

static double cpu(void) { return (double)clock() / CLOCKS_PER_SEC; }

static execution execution_of(const history *h, const object *o) {
    execution x = {.n = h->n + 1, .writes = {true}, .v = {o->init}};
    for (uint32_t i = 0; i < h->n; i++) {
        x.call[i + 1] = h->call[i] + 1;
        x.ret[i + 1] = h->ret[i] + 1;
        x.writes[i + 1] = h->method[i] == 0;
        x.v[i + 1] = x.writes[i + 1] ? h->arg[0][i] : h->res[i];
    }
    return x;
}

/* Seconds for one decision, on average over enough of them. */
static double time_engine(const engine *g, const history *h, const object *o, verdict *v) {
    unsigned runs = 0;
    double started = cpu(), passed;
    do {
        budget b;
        decision d;
        budget_init(&b, 0, 0);
        decide(h, o, &(decide_options){.engine = g}, &b, NULL, &d);
        *v = d.verdict;
        decision_free(&d);
        runs++;
        passed = cpu() - started;
    } while (passed < 0.002);
    return passed / runs;
}

/* The last read observes what was there in the beginning. False: that may be right. */
static bool spoil(history *h, const object *o) {
    uint32_t last = h->n, writes = 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->method[i] == 0) writes++;
        else last = i;
    if (last == h->n || !writes) return false;
    h->res[last] = o->init;
    verdict v;
    time_engine(engine_find("soar"), h, o, &v);
    return v == VERDICT_VIOLATION;
}

typedef struct sums {
    double soar, clmt, printed;
    unsigned n, printed_n;
} sums;

static bool measure_one(uint32_t operations, uint64_t seed, bool spoilt, sums *out) {
    error e = {0};
    verdict soar, clmt;
    object *o = object_open("swmr-register", NULL, &e);
    generate_options options;
    generate_standard(o, &options);
    options.operations = operations;
    options.clients = 3;
    options.overlap = 1;
    options.seed = seed;
    history *h = generate(o, &options, &e);
    bool good = h && object_bind(o, h, "generated", &e) && (!spoilt || spoil(h, o));
    if (good) {
        out->soar += time_engine(engine_find("soar"), h, o, &soar);
        out->clmt += time_engine(engine_find("clmt"), h, o, &clmt);
        out->n++;
        good = soar == clmt;
    }
    if (good && operations <= MOST_NAIVE) {
        execution x = execution_of(h, o);
        double started = cpu();
        good = clmt_as_printed(&x) == (soar == VERDICT_LINEARIZABLE);
        out->printed += cpu() - started;
        out->printed_n++;
    }
    history_free(h);
    object_close(o);
    return good;
}

bool single_writer_table(FILE *results) {
    FILE *to[] = {stdout, results};
    for (unsigned i = 0; i < 2 && to[i]; i++)
        fprintf(to[i], "figure 7, on histories: CPU seconds for one, single writer and two readers; printed: every "
                       "relation tried, as defined\n"
                       "(the paper, inside a model checker: the 5 operations of its figure 2 refuted by SOAR in 0.015 "
                       "s, by CLMT in more than 70 s)\n");
    for (uint32_t n = 3; n <= MOST; n++) {
        for (unsigned spoilt = 0; spoilt < 2; spoilt++) {
            sums s = {0};
            for (uint64_t seed = 1; seed <= 12; seed++)
                if (!measure_one(n, seed, spoilt, &s) && !spoilt) return false;
            for (unsigned i = 0; i < 2 && to[i] && s.n; i++) {
                fprintf(to[i], "%u operations, %-16s soar %.2e  clmt %.2e", n, spoilt ? "stale read" : "atomic",
                        s.soar / s.n, s.clmt / s.n);
                if (s.printed_n) fprintf(to[i], "  printed %.2e", s.printed / s.printed_n);
                fputc('\n', to[i]);
            }
        }
    }
    return true;
}
