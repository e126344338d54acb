/* Criteria that services and sharded containers promise, against their definitions: small random histories of a queue
 * and a register, written down as text, are judged by `plumb check`'s way (engine, evidence re-checked) and by brute
 * force here, where every order of every completion is tried with naive lists. */
#include "support/cmocka.h"

#include "base/random.h"
#include "evidence/judge.h"
#include "evidence/oracle.h"
#include "support/make_history.h"

#include <stdio.h>

enum { MOST = 7, CLIENTS = 3, EMPTY = -1, NEVER = 1000 };

typedef struct drawn { /* an operation: adds (or writes) `arg`, or removes (or reads) `res` */
    int client, call, ret, arg, res;
    bool adds;
} drawn;

typedef struct drawing {
    drawn op[MOST];
    int n;
} drawing;

/* ---- drawing histories ---- */

static drawing draw(random_source *r, bool queue, double pending, bool empties) {
    drawing d = {.n = 3 + (int)random_below(r, MOST - 2)};
    int open[CLIENTS] = {-1, -1, -1}, name[CLIENTS] = {0, 1, 2}, now = 0, next = 0, fresh = 0;
    while (next < d.n || open[0] >= 0 || open[1] >= 0 || open[2] >= 0) {
        int c = (int)random_below(r, CLIENTS);
        if (open[c] >= 0) {
            d.op[open[c]].ret = now++;
            open[c] = -1;
        } else if (next < d.n) {
            drawn *o = &d.op[next];
            *o = (drawn){.client = name[c], .call = now++, .ret = NEVER, .adds = random_chance(r, 0.5)};
            if (o->adds) o->arg = ++fresh;
            else o->res = empties && random_chance(r, 0.3) ? EMPTY : 1 + (int)random_below(r, (uint32_t)fresh + 1);
            if (!o->adds && o->res > fresh) o->res = fresh && !queue ? fresh : fresh ? 1 : EMPTY;
            if (!o->adds && o->res == EMPTY && !empties) {
                o->adds = true;
                o->arg = ++fresh;
            }
            if (!random_chance(r, pending)) open[c] = next;
            else name[c] += CLIENTS; /* it goes on as another client */
            next++;
        }
    }
    return d;
}

static void write_down(const drawing *d, bool queue, text *out) {
    for (int i = 0; i < d->n; i++) {
        const drawn *o = &d->op[i];
        text_printf(out, "%s%d %s(", i ? "; " : "", o->client % CLIENTS,
                    queue     ? o->adds ? "enq" : "deq"
                    : o->adds ? "write"
                              : "read");
        if (o->adds) text_printf(out, "%d", o->arg);
        text_add(out, ")");
        if (!o->adds && o->ret != NEVER && o->res == EMPTY) text_add(out, queue ? " -> empty" : " -> none");
        else if (!o->adds && o->ret != NEVER) text_printf(out, " -> %d", o->res);
        if (o->ret == NEVER) text_printf(out, " [%d,-]", o->call);
        else text_printf(out, " [%d,%d]", o->call, o->ret);
    }
}

/* ---- the definitions ---- */

typedef struct rules {
    bool queue, by_client, by_producer; /* client order alone; each producer's order alone */
    int behind;                         /* versions a read may be behind */
} rules;

typedef struct naive { /* a queue's values with their producers, or a register's versions, oldest first */
    int v[MOST + 1], who[MOST + 1], n;
} naive;

static bool before(const rules *r, const drawn *a, const drawn *b) {
    return a->ret < b->call && (!r->by_client || a->client == b->client);
}

static bool search(const rules *r, const drawing *d, unsigned done, naive s);

static bool may_leave(const rules *r, const naive *s, int i) {
    for (int k = 0; k < i; k++)
        if (!r->by_producer || s->who[k] == s->who[i]) return false;
    return true;
}

static bool remove_from_queue(const rules *r, const drawing *d, unsigned done, const naive *s, const drawn *o) {
    bool known = o->ret != NEVER;
    if (s->n == 0) return (!known || o->res == EMPTY) && search(r, d, done, *s);
    for (int i = 0; i < s->n; i++) {
        if ((known && s->v[i] != o->res) || !may_leave(r, s, i)) continue;
        naive next = *s;
        next.n--;
        for (int k = i; k < next.n; k++) {
            next.v[k] = next.v[k + 1];
            next.who[k] = next.who[k + 1];
        }
        if (search(r, d, done, next)) return true;
    }
    return false;
}

static bool read_register(const rules *r, const drawing *d, unsigned done, const naive *s, const drawn *o) {
    if (o->ret == NEVER) return search(r, d, done, *s);
    for (int i = s->n - 1; i >= 0 && i >= s->n - 1 - r->behind; i--)
        if (s->v[i] == o->res) return search(r, d, done, *s);
    return false;
}

static bool go_on_with(const rules *r, const drawing *d, unsigned done, naive s, const drawn *o) {
    if (o->adds) {
        s.who[s.n] = o->client;
        s.v[s.n++] = o->arg;
        return search(r, d, done, s);
    }
    return r->queue ? remove_from_queue(r, d, done, &s, o) : read_register(r, d, done, &s, o);
}

static bool search(const rules *r, const drawing *d, unsigned done, naive s) {
    bool complete = true;
    for (int i = 0; i < d->n; i++) complete &= done >> i & 1 || d->op[i].ret == NEVER;
    if (complete) return true;
    for (int i = 0; i < d->n; i++) {
        bool may = !(done >> i & 1);
        for (int j = 0; j < d->n && may; j++) may = done >> j & 1 || !before(r, &d->op[j], &d->op[i]);
        if (may && go_on_with(r, d, done | 1u << i, s, &d->op[i])) return true;
    }
    return false;
}

static bool right(const rules *r, const drawing *d) {
    naive s = {.v = {EMPTY}, .n = r->queue ? 0 : 1}; /* a register holds none at first */
    return search(r, d, 0, s);
}

/* Empty answers leave where another operation overlaps them. */
static drawing without_excused(const drawing *d) {
    drawing rest = {.n = 0};
    for (int i = 0; i < d->n; i++) {
        const drawn *o = &d->op[i];
        bool overlaps = false;
        for (int j = 0; j < d->n; j++) overlaps |= j != i && d->op[j].call < o->ret && o->call < d->op[j].ret;
        if (o->adds || o->res != EMPTY || o->ret == NEVER || !overlaps) rest.op[rest.n++] = *o;
    }
    return rest;
}

static bool locally_right(const rules *r, const drawing *d) {
    for (int c = 0; c < CLIENTS * (MOST + 1); c++) {
        drawing part = {.n = 0};
        for (int i = 0; i < d->n; i++) {
            int producer = -1;
            for (int k = 0; k < d->n; k++)
                if (d->op[k].adds && d->op[k].arg == (d->op[i].adds ? d->op[i].arg : d->op[i].res))
                    producer = d->op[k].client;
            if (producer == c) part.op[part.n++] = d->op[i];
        }
        if (!right(r, &part)) return false;
    }
    return true;
}

/* ---- comparing ---- */

static bool judged(const char *object_name, const char *by, const char *operations) {
    bound b = make_relaxed_history(object_name, by, operations);
    budget limits;
    judgement j;
    error e = {0};
    budget_init(&limits, 0, 0);
    if (!judge(b.h, b.o, &(judge_options){0}, &limits, NULL, &j, &e)) fail_msg("%s: %s: %s", by, operations, e.what);
    assert_int_not_equal(j.verdict, VERDICT_UNDECIDED);
    bool yes = j.verdict == VERDICT_LINEARIZABLE;
    if ((oracle_linearizable(b.o, b.h, 0) == ORACLE_YES) != yes)
        fail_msg("%s: %s: the oracle disagrees", by, operations);
    judgement_free(&j);
    free_bound(&b);
    return yes;
}

typedef bool definition(const drawing *d);

static bool spurious(const drawing *d) {
    drawing rest = without_excused(d);
    return right(&(rules){.queue = true}, &rest);
}
static bool sequential_queue(const drawing *d) { return right(&(rules){.queue = true, .by_client = true}, d); }
static bool sequential_register(const drawing *d) { return right(&(rules){.by_client = true}, d); }
static bool producer_fifo(const drawing *d) { return right(&(rules){.queue = true, .by_producer = true}, d); }
static bool local(const drawing *d) { return locally_right(&(rules){.queue = true}, d); }
static bool stale_1(const drawing *d) { return right(&(rules){.behind = 1}, d); }
static bool stale_2(const drawing *d) { return right(&(rules){.behind = 2}, d); }
static bool stale_0(const drawing *d) { return right(&(rules){.behind = 0}, d); }

static const struct {
    const char *object, *criterion;
    definition *by;
    double pending;
    bool queue, empties;
} cases[] = {
    {"queue", "spurious(deq=empty)", spurious, 0.1, true, true},
    {"queue", "sequential", sequential_queue, 0.1, true, true},
    {"register", "sequential", sequential_register, 0.1, false, true},
    {"queue", "producer-fifo", producer_fifo, 0.1, true, true},
    {"queue", "local", local, 0, true, false},
    {"register", "stale(0)", stale_0, 0.1, false, true},
    {"register", "stale(1)", stale_1, 0.1, false, true},
    {"register", "stale(2)", stale_2, 0.1, false, true},
    {"cas-register", "stale(1)", stale_1, 0, false, true},
};

static void as_they_are_defined(void **unused) {
    (void)unused;
    enum { HISTORIES = 1500 };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        random_source r = {.s = 77 + k};
        unsigned yes = 0, strict = 0;
        for (unsigned i = 0; i < HISTORIES; i++) {
            drawing d = draw(&r, cases[k].queue, cases[k].pending, cases[k].empties);
            text t = {0};
            write_down(&d, cases[k].queue, &t);
            bool expected = cases[k].by(&d), plain = right(&(rules){.queue = cases[k].queue}, &d);
            if (judged(cases[k].object, cases[k].criterion, text_str(&t)) != expected)
                fail_msg("%s on %s: %s: expected %s", cases[k].criterion, cases[k].object, text_str(&t),
                         expected ? "right" : "wrong");
            if (plain) assert_true(expected); /* each is weaker than linearizability */
            yes += expected;
            strict += plain;
            text_free(&t);
        }
        print_message("%s on %s: %u of %u right, %u linearizable\n", cases[k].criterion, cases[k].object, yes,
                      HISTORIES, strict);
        assert_true(yes > HISTORIES / 50 && yes < HISTORIES - HISTORIES / 50);
    }
}

/* ---- by hand ---- */

static void must_be(bool expected, const char *name, const char *by, const char *operations) {
    if (judged(name, by, operations) != expected) fail_msg("%s of a %s: %s", by, name, operations);
}

static void answers_that_are_excused(void **unused) {
    (void)unused;
    must_be(true, "queue(capacity=2)", "spurious(deq=empty,enq=full)",
            "0 enq(1) [0,1]; 0 enq(2) -> full [2,5]; 1 deq() -> 1 [3,4]");
    must_be(false, "queue(capacity=2)", "spurious(deq=empty,enq=full)",
            "0 enq(1) [0,1]; 0 enq(2) -> full [2,3]; 1 deq() -> 1 [4,5]");
    must_be(true, "queue(capacity=2)", "spurious(enq=full,when=always)",
            "0 enq(1) [0,1]; 0 enq(2) -> full [2,3]; 1 deq() -> 1 [4,5]");
    must_be(false, "queue", "spurious(deq=empty)", "0 enq(1) [0,1]; 1 deq() -> 2 [2,3]; 2 deq() -> empty [2,3]");
    must_be(true, "lock", "spurious(trylock=false)", "0 trylock() -> false [0,5]; 1 trylock() -> false [1,6]");
    must_be(true, "stack", "spurious(pop=empty)", "0 push(1) [0,1]; 0 size() -> 1 [2,9]; 1 pop() -> empty [3,4]");
}

/* Of all keys together: each key alone is sequentially consistent here. */
static void sequential_consistency_is_not_by_key(void **unused) {
    (void)unused;
    must_be(false, "kv", "sequential",
            "0 put(1 1) [0,1]; 0 get(2) -> none [2,3]; 1 put(2 1) [0,1]; 1 get(1) -> none [2,3]");
    must_be(true, "kv", "sequential", "0 put(1 1) [0,1]; 1 get(1) -> none [2,3]; 1 get(1) -> 1 [4,5]");
    must_be(false, "kv", "sequential", "0 put(1 1) [0,1]; 1 get(1) -> 1 [2,3]; 1 get(1) -> none [4,5]");
    must_be(false, "set", "sequential",
            "0 add(1) [0,1]; 0 contains(2) -> false [2,3]; 1 add(2) [0,1]; 1 contains(1) -> false [2,3]");
}

static void refused(const char *name, const char *by) {
    error e = {0};
    criterion c;
    object *o = object_open(name, NULL, &e);
    assert_non_null(o);
    bool taken = criterion_parse(by, &c, &e) && object_relax(o, &c, &e);
    if (taken) fail_msg("%s of a %s is not refused", by, name);
    assert_int_equal(e.code, EXIT_USAGE);
    object_close(o);
}

static void what_makes_no_sense_is_refused(void **unused) {
    (void)unused;
    refused("queue", "spurious");
    refused("queue", "spurious(deq)");
    refused("queue", "spurious(pop3=empty)");
    refused("queue", "spurious(deq=7)");
    refused("exchanger", "sequential");
    refused("stack", "producer-fifo");
    refused("queue", "stale(1)");
    refused("kv", "stale");
    refused("kv", "local");
    refused("wide-queue", "local");
}

static void stale_reads_of_keys(void **unused) {
    (void)unused;
    must_be(true, "kv", "stale(1)", "0 put(1 1) [0,1]; 0 put(1 2) [2,3]; 1 get(1) -> 1 [4,5]; 1 get(1) -> 2 [6,7]");
    must_be(false, "kv", "stale(1)", "0 put(1 1) [0,1]; 0 put(1 2) [2,3]; 1 get(1) -> none [4,5]");
    must_be(true, "kv", "stale(2)", "0 put(1 1) [0,1]; 0 put(1 2) [2,3]; 1 get(1) -> none [4,5]");
    must_be(false, "kv", "stale(1)", "0 put(1 1) [0,1]; 0 put(1 2) [2,3]; 1 cas(1 1 3) -> true [4,5]");
    must_be(true, "kv", "stale(1)", "0 put(1 1) [0,1]; 0 put(2 2) [2,3]; 0 put(2 3) [4,5]; 1 get(1) -> none [6,7]");
}

static void shards(void **unused) {
    (void)unused;
    must_be(true, "queue", "producer-fifo", "0 enq(1) [0,1]; 1 enq(2) [2,3]; 0 deq() -> 2 [4,5]; 0 deq() -> 1 [6,7]");
    must_be(false, "queue", "producer-fifo", "0 enq(1) [0,1]; 0 enq(2) [2,3]; 0 deq() -> 2 [4,5]; 0 deq() -> 1 [6,7]");
    must_be(true, "queue", "producer-fifo",
            "0 enq(1) [0,1]; 1 enq(2) [2,3]; 0 peek() -> 2 [4,5]; 0 size() -> 2 [6,7]; 0 drain() -> [2 1] [8,9]");
    must_be(true, "stack", "local", "0 push(1) [0,1]; 1 push(2) [2,3]; 0 pop() -> 1 [4,5]; 0 pop() -> 2 [6,7]");
    must_be(false, "stack", "local", "0 push(1) [0,1]; 0 push(2) [2,3]; 0 pop() -> 1 [4,5]; 1 pop() -> 2 [6,7]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_they_are_defined),
        cmocka_unit_test(answers_that_are_excused),
        cmocka_unit_test(sequential_consistency_is_not_by_key),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(stale_reads_of_keys),
        cmocka_unit_test(shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
