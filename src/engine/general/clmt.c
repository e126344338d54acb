/* CLMT: property PO of Chockler, Lynch, Mitra and Tauber (DISC 2005), as definition 1 of Guerraoui and Vukolic (CONCUR
 * 2008) has it. An execution is atomic iff there is an irreflexive partial order << on its operations such that
 *
 *   1  if x precedes y then not y << x                        2  writes are ordered by <<
 *   3  if write w precedes read r then w << r                 4  if read q precedes read r then the last write << q is
 *   << r 5  the last write << r wrote what r returned
 *
 * Only pairs (write, anything) are spoken of in 2 to 5, and leaving all other pairs out of << keeps it an order and
 * keeps 1; so these are the only ones looked for. With one writer, 1 and 2 make << on writes their own order, and
 * transitivity makes the writes << r a beginning w0 .. wk of it. So << is a number k for every read:
 *
 *   1  wk is called before r returns      3  k is at least the last write that precedes r
 *   4  k is at least that of every read that precedes r      5  wk wrote what r returned
 *
 * The numbers are looked for one read after another, in the order of calls, turning back where there is none. */
#include "engine/pattern.h"
#include "engine/general/single_writer.h"
#include "engine/self_check.h"

#include <stdlib.h>

/* 3 and 4: the least number that read r may have, given those of the reads before it. */
static uint32_t least(const single_writer *s, uint32_t r, uint32_t preceding_write) {
    uint32_t k = preceding_write;
    for (uint32_t q = 0; q < r; q++)
        if (s->read[q].ret < s->read[r].call && s->read[q].write > k) k = s->read[q].write;
    return k;
}

/* 1 and 5: the first number from k on that read r may have; s->writes: none. */
static uint32_t fitting(const single_writer *s, uint32_t r, uint32_t k) {
    while (k < s->writes && s->write[k].v != s->read[r].v) k++;
    return k < s->writes && s->write[k].call < s->read[r].ret ? k : s->writes;
}

/* Where the search stands: read r's numbers below next[r] have been tried. */
static bool find_order(single_writer *s, const problem *p, outcome *out) {
    uint32_t *preceding = mem_zero(s->reads + 1, sizeof *preceding), *next = mem_zero(s->reads + 1, sizeof *next),
             r = 0;
    unsigned ticks = 0;
    bool possible = true;
    for (uint32_t i = 0, w = 0; i < s->reads; i++) {
        while (w + 1 < s->writes && s->write[w + 1].ret < s->read[i].call) w++;
        preceding[i] = w;
    }
    while (possible && r < s->reads && !budget_tick(p->budget, &ticks)) {
        uint32_t from = least(s, r, preceding[r]), k = fitting(s, r, from > next[r] ? from : next[r]);
        out->steps++;
        if (k < s->writes) {
            assert(k >= preceding[r] && s->write[k].v == s->read[r].v && s->write[k].call < s->read[r].ret);
            s->read[r].write = k;
            next[r] = k + 1;
            next[++r] = 0;
        } else if (r == 0) {
            possible = false;
        } else {
            r--;
        }
    }
    free(preceding);
    free(next);
    return possible;
}

static void decide_clmt(const problem *p, outcome *out) {
    single_writer s;
    if (single_writer_gather(p, &s, out)) {
        bool found = find_order(&s, p, out);
        if (budget_spent(p->budget)) {
            outcome_stopped(p, out);
        } else if (found) {
            out->verdict = VERDICT_LINEARIZABLE;
            single_writer_witness(&s, out);
        } else {
            outcome_violation(out, RANK_NEVER);
        }
    }
    single_writer_free(&s);
}

ENGINE_RECORD(engine_clmt, "clmt",
              "single-writer registers: is there a precedence relation (Chockler, Lynch, Mitra, Tauber)?",
              .growth = "exponential; n^2 when no value is written twice", .objects = "swmr-register",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_EXPONENTIAL,
              .by_name_only = true, .decide = decide_clmt);
