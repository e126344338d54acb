/* What a client calls comes from the seed and its number, and has the shape that was asked for. */
#include "support/cmocka.h"

#include "drive/plan.h"

#include <string.h>

enum { CALLS = 2000 };

typedef struct planned {
    object *o;
    values *v;
    plan_settings s;
    client_plan p;
} planned;

static void begin(planned *t, const char *name, plan_settings s, uint32_t client) {
    error e = {0};
    t->o = object_open(name, NULL, &e);
    assert_non_null(t->o);
    t->v = values_new();
    object_use_values(t->o, t->v);
    t->s = s;
    if (!t->s.clients) t->s.clients = 4;
    if (!t->s.keys) t->s.keys = 1;
    if (!t->s.occupancy) t->s.occupancy = 32;
    memset(t->s.can, true, sizeof t->s.can);
    plan_open(&t->p, t->o, &t->s, t->v, client);
}

static void end(planned *t) {
    plan_close(&t->p);
    object_close(t->o);
    values_free(t->v);
}

static bool same_call(const operation *a, const operation *b) {
    return a->method == b->method && a->key == b->key && a->nargs == b->nargs && a->arg[0] == b->arg[0] &&
           a->arg[1] == b->arg[1];
}

/* How many of the calls of two plans are the same, one by one. */
static unsigned common(plan_settings a, plan_settings b, const char *name) {
    planned x, y;
    unsigned same = 0;
    begin(&x, name, a, 1);
    begin(&y, name, b, 1);
    for (unsigned i = 0; i < CALLS; i++) {
        operation p = {0}, q = {0};
        plan_next(&x.p, &p);
        plan_next(&y.p, &q);
        same += same_call(&p, &q);
    }
    end(&x);
    end(&y);
    return same;
}

static void a_seed_repeats_the_plan(void **unused) {
    (void)unused;
    static const char *const names[] = {"kv", "queue", "set", "counter", "bank", "cas-register"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        plan_settings a = {.seed = 7, .keys = 3, .reads = -1}, b = {.seed = 8, .keys = 3, .reads = -1};
        assert_int_equal(common(a, a, names[i]), CALLS);
        assert_true(common(a, b, names[i]) < CALLS * 3 / 4);
    }
}

static void values_of_clients_differ(void **unused) {
    (void)unused;
    planned a, b;
    begin(&a, "register", (plan_settings){.seed = 1, .reads = 0}, 0);
    begin(&b, "register", (plan_settings){.seed = 1, .reads = 0}, 1);
    int64_t most = INT64_MIN, least = INT64_MAX;
    for (unsigned i = 0; i < CALLS; i++) {
        operation p = {0}, q = {0};
        plan_next(&a.p, &p);
        plan_next(&b.p, &q);
        if (value_as_int(a.v, p.arg[0]) > most) most = value_as_int(a.v, p.arg[0]);
        if (value_as_int(b.v, q.arg[0]) < least) least = value_as_int(b.v, q.arg[0]);
    }
    assert_true(most < least);
    end(&a);
    end(&b);
}

static unsigned reads_of(double share) {
    planned t;
    unsigned reads = 0;
    begin(&t, "kv", (plan_settings){.seed = 3, .keys = 5, .reads = share}, 2);
    for (unsigned i = 0; i < CALLS; i++) {
        operation op = {0};
        plan_next(&t.p, &op);
        reads += (object_method(t.o, &op)->role & ROLE_OBSERVES) != 0;
    }
    end(&t);
    return reads;
}

static void the_share_of_reads_is_kept(void **unused) {
    (void)unused;
    assert_int_equal(reads_of(0), 0);
    assert_int_equal(reads_of(1), CALLS);
    assert_in_range(reads_of(0.25), CALLS / 5, CALLS * 3 / 10);
}

static void keys_are_rarely_removed(void **unused) {
    (void)unused;
    planned t;
    unsigned puts = 0, deletes = 0;
    begin(&t, "kv", (plan_settings){.seed = 3, .keys = 5, .reads = -1}, 0);
    const int put = object_type_method(t.o->type, "put"), delete = object_type_method(t.o->type, "delete");
    for (unsigned i = 0; i < CALLS; i++) {
        operation op = {0};
        plan_next(&t.p, &op);
        puts += op.method == put;
        deletes += op.method == delete;
    }
    assert_true(deletes > 0 && puts > 2 * deletes);
    end(&t);
}

static void only_what_the_service_has(void **unused) {
    (void)unused;
    planned t;
    begin(&t, "kv", (plan_settings){.seed = 3, .keys = 5, .reads = -1}, 0);
    int append = object_type_method(t.o->type, "append"), cas = object_type_method(t.o->type, "cas");
    t.s.can[append] = t.s.can[cas] = false;
    for (unsigned i = 0; i < CALLS; i++) {
        operation op = {0};
        plan_next(&t.p, &op);
        assert_true(op.method != append && op.method != cas);
    }
    end(&t);
}

static void keys_rotate_and_are_skewed(void **unused) {
    (void)unused;
    planned t;
    unsigned first = 0, last = 0;
    begin(&t, "kv", (plan_settings){.seed = 3, .keys = 10, .reads = -1, .skew = 1, .rotate = CALLS / 4}, 0);
    for (unsigned i = 0; i < CALLS; i++) {
        operation op = {0};
        plan_next(&t.p, &op);
        int64_t key = value_as_int(t.v, op.key) - 1;
        assert_int_equal(key / 10, i / (CALLS / 4)); /* so many calls later, other keys */
        first += key % 10 == 0;
        last += key % 10 == 9;
    }
    assert_true(first > 4 * last && last > 0);
    end(&t);
}

static void a_compare_and_set_expects_what_was_seen(void **unused) {
    (void)unused;
    planned t;
    unsigned hopeful = 0, all = 0;
    begin(&t, "cas-register", (plan_settings){.seed = 3, .reads = -1}, 0);
    value seen = value_int(t.v, 424242);
    for (unsigned i = 0; i < CALLS; i++) {
        operation op = {0};
        plan_next(&t.p, &op);
        bool cas = op.nargs == 2;
        all += cas;
        hopeful += cas && op.arg[0] == seen;
        if (!cas && op.nargs == 0) op.res = seen;
        else op.res = VALUE_FALSE;
        plan_learn(&t.p, &op, op.nargs == 0);
    }
    assert_true(all > 100 && hopeful > all / 2);
    end(&t);
}

static void the_end_reads_every_key_and_empties_containers(void **unused) {
    (void)unused;
    planned t;
    operation op = {0};
    unsigned reads = 0;
    begin(&t, "kv", (plan_settings){.seed = 3, .keys = 5, .reads = -1}, 0);
    while (plan_last(&t.p, &op)) {
        assert_true(object_method(t.o, &op)->role & ROLE_OBSERVES);
        assert_int_equal(value_as_int(t.v, op.key), ++reads);
    }
    assert_int_equal(reads, 5);
    end(&t);
    begin(&t, "queue", (plan_settings){.seed = 3, .reads = -1}, 0);
    for (unsigned inside = 3; plan_last(&t.p, &op); inside--) {
        assert_true(object_method(t.o, &op)->role & ROLE_REMOVES);
        op.res = inside ? value_int(t.v, inside) : VALUE_EMPTY;
        plan_learn(&t.p, &op, true);
        if (!inside) break;
    }
    assert_false(plan_last(&t.p, &op));
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_repeats_the_plan),
        cmocka_unit_test(values_of_clients_differ),
        cmocka_unit_test(the_share_of_reads_is_kept),
        cmocka_unit_test(keys_are_rarely_removed),
        cmocka_unit_test(only_what_the_service_has),
        cmocka_unit_test(keys_rotate_and_are_skewed),
        cmocka_unit_test(a_compare_and_set_expects_what_was_seen),
        cmocka_unit_test(the_end_reads_every_key_and_empties_containers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
