/* Calls and returns of one thread in whatever order: what is read from its log is what a model of the rules says. A
 * call while another one is open leaves that one open for ever; a return without a call is nothing; what began in the
 * dark is not there, nor is its return another call's. */
#include "support/cmocka.h"

#include "runtime/sketch.h"
#include "support/record_run.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 4000, LONGEST = 300, ROOM = STEPS * (LONGEST + 100) };
enum { NOTHING = -1, DARK = -2 };

typedef struct kept {
    int64_t v;        /* argument; -1: bytes */
    int64_t res;      /* -1: bytes; -2: none */
    unsigned outcome; /* enum log_outcome; LOG_PENDING: it is open */
} kept;

typedef struct kept_list {
    kept op[STEPS];
    int n, open; /* open: number, NOTHING or DARK */
} kept_list;

typedef struct stage {
    plumb_recorder *r;
    plumb_log *l;
    values *values;
    random_source random;
    kept_list expected, found;
    int write;
} stage;

/* ---- as it is read ---- */

static int64_t known(uint64_t word, bool missing) {
    return missing ? -2 : (word & 7) == LOG_HANDLE ? -1 : (int64_t)word >> 3;
}

static void on_call(void *context, sketched *op) {
    kept_list *k = &((stage *)context)->found;
    k->op[k->n++] = (kept){.v = known(op->arg[0], false)};
}

static void on_return(void *context, sketched *op) {
    kept_list *k = &((stage *)context)->found;
    k->op[k->n - 1].outcome = op->outcome;
    k->op[k->n - 1].res = op->outcome == LOG_RETURNED ? known(op->res, op->res == PLUMB_WORD_NONE) : 0;
}

/* ---- as it should be ---- */

static void end_open(kept_list *k, unsigned outcome, int64_t res) {
    if (k->open >= 0) {
        k->op[k->open].outcome = outcome;
        k->op[k->open].res = res;
    }
    k->open = NOTHING;
}

static plumb_value some_bytes(stage *s) {
    static const char some[LONGEST] = "bytes";
    return plumb_bytes(some, random_below(&s->random, LONGEST));
}

static bool asks_at_call(const plumb_log *l) {
    return plumb_announced(l->shared) != plumb_done(l->shared) || plumb_done(l->shared) >= l->end;
}

static void call(stage *s, int64_t v) {
    kept_list *k = &s->expected;
    bool dark = s->r->shared.header->want_dark && asks_at_call(s->l); /* whether it is wanted is asked only there */
    plumb_value arg = v >= 0 ? plumb_int(v) : some_bytes(s);
    if (v < 0) dark = s->r->shared.header->want_dark; /* and always when there is more to write */
    plumb_call(s->l, s->write, &arg, 1);
    end_open(k, LOG_UNKNOWN, 0);
    k->open = dark ? DARK : k->n;
    if (!dark) k->op[k->n++] = (kept){.v = v < 0 ? -1 : v};
}

static void come_and_go(stage *s) {
    plumb_record_leave(s->l);
    s->l = plumb_record_join(s->r);
    end_open(&s->expected, LOG_UNKNOWN, 0);
}

static void do_something(stage *s, int64_t v) {
    kept_list *k = &s->expected;
    switch (random_below(&s->random, 16)) {
    case 0: call(s, -1); break;
    case 1:
        plumb_ret(s->l, some_bytes(s));
        end_open(k, LOG_RETURNED, -1);
        break;
    case 2:
        plumb_ret_fail(s->l);
        end_open(k, LOG_FAILED, 0);
        break;
    case 3:
        plumb_ret_unknown(s->l);
        end_open(k, LOG_UNKNOWN, 0);
        break;
    case 4: come_and_go(s); break;
    case 5: s->r->shared.header->want_dark ^= 1; break;
    case 6: ask_at_next_call(s->l); break;
    case 7:
        plumb_ret_int(s->l, v);
        end_open(k, LOG_RETURNED, v);
        break;
    default:
        if (random_below(&s->random, 2)) call(s, v);
        else {
            plumb_ret_none(s->l);
            end_open(k, LOG_RETURNED, -2);
        }
    }
}

static void compare(const stage *s) {
    const kept_list *e = &s->expected, *f = &s->found;
    assert_int_equal(f->n, e->n);
    for (int i = 0; i < e->n; i++) {
        assert_int_equal(f->op[i].v, e->op[i].v);
        assert_int_equal(f->op[i].outcome, e->op[i].outcome);
        assert_int_equal(f->op[i].res, e->op[i].res);
    }
}

static void play(unsigned clock, uint64_t seed) {
    plumb_record_options o = {
        .struct_size = sizeof o, .object = "register", .clock = clock, .threads = 1, .bytes = ROOM};
    stage *s = calloc(1, sizeof *s);
    sketch k;
    *s = (stage){.r = plumb_record_open(&o), .values = values_new(), .random = {seed}, .expected.open = NOTHING};
    s->write = plumb_record_method(s->r, "write");
    memset(s->r->shared.chunks, LOG_RETURNED, ROOM); /* as if all of it had been used before */
    s->l = plumb_record_join(s->r);
    sketch_init(&k, &s->r->shared, s->values, &(sketch_sink){s, on_call, on_return});
    for (int i = 0; i < STEPS; i++) do_something(s, i);
    s->r->shared.header->want_dark = 0;
    s->expected.open = NOTHING;            /* stays open */
    plumb_call_int(s->l, s->write, STEPS); /* what was open is over, and all of it is before the cut */
    plumb_ret_none(s->l);
    while (sketch_round(&k)) {}
    if (s->found.n && s->found.op[s->found.n - 1].v == STEPS) s->found.n--;
    for (int i = 0; i < s->expected.n; i++)
        if (s->expected.op[i].outcome == LOG_PENDING) s->expected.op[i].outcome = LOG_UNKNOWN; /* abandoned */
    assert_false(k.damaged);
    compare(s);
    sketch_free(&k);
    plumb_record_leave(s->l);
    plumb_record_close(s->r);
    values_free(s->values);
    free(s);
}

static void in_whatever_order(void **unused) {
    (void)unused;
    uint32_t n = fewer_if_sanitized(soaking() ? 5000 : 100);
    for (uint32_t i = 0; i < n; i++)
        play(i % 2 ? PLUMB_CLOCK_TICKET : i % 4 ? PLUMB_CLOCK_TSC : PLUMB_CLOCK_SNAPSHOT, i);
}

TEST_MAIN(TEST(in_whatever_order))
