/* Leaving out keeps every right history right: on random linearizable histories of every object, whatever the object's
 * definition says may leave does leave, one by one and in random sequences, and the oracle looks at what stays. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "object/about.h"
#include "object/leave_out.h"
#include "object/stay.h"
#include "support/planted.h"
#include "support/random_history.h"
#include "support/together_trial.h"

#include <stdio.h>

enum { HISTORIES = 2500, STEPS = 400000 };

/* So many, and a tenth of them with sanitizers: of histories, and of what they must have shown. */
static unsigned so_many(unsigned standard) { return getenv("PLUMB_FEWER") ? standard / 10 : standard; }

/* swmr-register has the definition of register, and random histories with one writer are rare. */
static const char *const objects[] = {
    "queue",
    "queue(capacity=2)",
    "stack",
    "stack(capacity=2)",
    "deque",
    "deque(capacity=2)",
    "pqueue-max",
    "pqueue-min",
    "pqueue-max-fifo",
    "pqueue-min-fifo",
    "set",
    "multiset",
    "multiset(capacity=2)",
    "kv",
    "register",
    "cas-register",
    "max-register",
    "counter",
    "fetch-add",
    "lock",
    "rwlock",
    "semaphore(2)",
    "semaphore(1)",
    "semaphore(2,1)",
    "exchanger",
    "consensus",
    "snapshot",
    "wide-queue",
    "wide-queue(capacity=2)",
    "wide-stack",
    "wide-deque",
    "wide-multiset",
    "wide-pqueue-max",
    "wide-pqueue-min-fifo",
    "wide-kv",
    "whole-kv",
    "whole-set",
    "wide-register",
    "bank(accounts=3)",
    "multi-register",
};

static struct { unsigned histories, alone, groups, several_groups, fragile, narrowed, stayed, near; } count;

typedef struct trial {
    const bound *b;
    uint32_t op[RANDOM_MAX_OPERATIONS];
    uint32_t n, cut;
} trial;

static oracle_answer ask(const trial *t) {
    history *part = history_select(t->b->h, t->op, t->n, t->cut);
    oracle_answer a = oracle_linearizable(t->b->o, part, STEPS);
    history_free(part);
    return a;
}

static void must_stay_right(const trial *t, const char *what) {
    if (ask(t) != ORACLE_NO) return;
    text whole = {0};
    history_text(t->b, &whole);
    fprintf(stderr, "%s: after %s only a violation is left:", t->b->o->name, what);
    for (uint32_t i = 0; i < t->n; i++) fprintf(stderr, " %u", t->op[i]);
    fprintf(stderr, " of\n%s", text_str(&whole));
    text_free(&whole);
    fail();
}

/* What is left of `t` without the positions marked. The marks of those that stay move up with them. */
static trial without(const trial *t, const bool *gone) {
    trial rest = {.b = t->b, .cut = t->cut};
    for (uint32_t i = 0; i < t->n; i++)
        if (!gone[i]) rest.op[rest.n++] = t->op[i];
    return rest;
}

static void each_alone(const trial *t, const leave_out *l) {
    for (uint32_t i = 0; i < t->n; i++) {
        if (!(l->flags[i] & LEAVE_ALONE)) {
            assert_false(l->flags[i] & LEAVE_FRAGILE); /* or it could never make way for a group */
            continue;
        }
        bool gone[RANDOM_MAX_OPERATIONS] = {[0] = false};
        gone[i] = true;
        trial rest = without(t, gone);
        must_stay_right(&rest, "one operation left alone");
        count.alone++;
    }
}

static void each_group(const trial *t, const leave_out *l) {
    for (uint32_t g = 0; g < l->groups; g++) {
        bool gone[RANDOM_MAX_OPERATIONS];
        for (uint32_t i = 0; i < t->n; i++) gone[i] = l->group[i] == g || l->flags[i] & LEAVE_FRAGILE;
        trial rest = without(t, gone);
        must_stay_right(&rest, "a group left");
        count.groups++;
    }
    count.several_groups += l->groups > 1;
}

/* The fragile ones, then groups and single operations in a random order, by the answer given at the start. */
static void random_sequence(random_source *r, const trial *t, const leave_out *l) {
    bool gone[RANDOM_MAX_OPERATIONS] = {[0] = false};
    for (uint32_t i = 0; i < t->n; i++) {
        gone[i] = l->flags[i] & LEAVE_FRAGILE;
        count.fragile += gone[i];
    }
    for (unsigned round = 0; round < 3; round++) {
        uint32_t i = random_below(r, t->n), g = l->group[i];
        if (l->flags[i] & LEAVE_ALONE && random_chance(r, 0.5)) gone[i] = true;
        else if (g != GROUP_KEEP)
            for (uint32_t k = 0; k < t->n; k++) gone[k] |= l->group[k] == g;
        trial rest = without(t, gone);
        must_stay_right(&rest, "a sequence of groups and single operations left");
    }
}

/* All but these leave; frees them. True when any did. */
static bool only_these_stay(const trial *t, uint32_t *stay, uint32_t n, const char *what) {
    if (!stay) return false;
    trial rest = {.b = t->b, .cut = t->cut};
    for (uint32_t k = 0; k < n; k++) {
        assert_true(k == 0 || stay[k - 1] < stay[k]);
        rest.op[rest.n++] = t->op[stay[k]];
    }
    must_stay_right(&rest, what);
    free(stay);
    return rest.n < t->n;
}

static bool has_all(const staying *s, const uint32_t *focus, uint32_t n) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < s->n && found < n; k++) found += s->op[k] == focus[found];
    return found == n;
}

/* All but what is about the same values as some random operations, or what has to stay with these, or with what is near
 * some event. */
static void narrow(random_source *r, const trial *t, const history *now, const uint32_t *all) {
    uint32_t focus[RANDOM_MAX_OPERATIONS], focus_n = 0, about_n = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (random_chance(r, 0.3)) focus[focus_n++] = i;
    uint32_t *about = object_narrow(t->b->o, now, all, t->n, focus, focus_n, &about_n);
    count.narrowed += only_these_stay(t, about, about_n, "all left but what some operations are about");
    staying with = object_stay_with(t->b->o, now, all, t->n, focus, focus_n);
    assert_true(!with.op || has_all(&with, focus, focus_n));
    count.stayed += only_these_stay(t, with.op, with.n, "all left but what has to stay with some operations");
    staying near = object_stay_near(t->b->o, now, all, t->n, random_below(r, now->events + 1), 1, t->n);
    count.near += only_these_stay(t, near.op, near.n, "all left but what is near an event");
}

static void try_all(random_source *r, const trial *t) {
    history *now = history_select(t->b->h, t->op, t->n, t->cut); /* results that the cut made unknown are so here */
    uint32_t all[RANDOM_MAX_OPERATIONS], n = now->n;
    for (uint32_t i = 0; i < n; i++) all[i] = i;
    trial kept = {.b = t->b, .cut = t->cut};
    for (uint32_t i = 0; i < t->n; i++)
        if (t->b->h->call[t->op[i]] <= t->cut) kept.op[kept.n++] = t->op[i];
    leave_out l;
    object_leave_out(t->b->o, now, all, n, &l);
    for (uint32_t i = 0; i < n; i++) assert_true(l.group[i] == GROUP_KEEP || l.group[i] < l.groups);
    if (n) {
        each_alone(&kept, &l);
        each_group(&kept, &l);
        random_sequence(r, &kept, &l);
        narrow(r, &kept, now, all);
    }
    leave_out_free(&l);
    history_free(now);
}

static bound sequential(random_source *r, const char *object_name) {
    random_shape shape = random_shape_any(r);
    shape.spoil = 0.4;
    if (random_chance(r, 0.5)) shape.clients = 1 + random_below(r, 2); /* moments when nothing is open */
    return random_history(r, object_name, &shape);
}

static bool try_one(random_source *r, bound b) {
    trial t = {.b = &b, .n = b.h->n, .cut = RANK_NEVER};
    for (uint32_t i = 0; i < t.n; i++) t.op[i] = i;
    bool right = ask(&t) == ORACLE_YES;
    if (right) {
        try_all(r, &t);
        t.cut = random_below(r, b.h->events + 1);
        must_stay_right(&t, "a cut");
        try_all(r, &t);
    }
    free_bound(&b);
    return right;
}

static void what_leaves_does_no_harm(void **unused) {
    (void)unused;
    for (unsigned k = 0; k < sizeof objects / sizeof *objects; k++) {
        random_source r = {.s = 1000 + k};
        unsigned right = 0;
        for (unsigned i = 0; i < so_many(HISTORIES) || right < so_many(1500); i++) {
            assert_true(i < so_many(20 * HISTORIES));
            right += try_one(&r, sequential(&r, objects[k]));
        }
        count.histories += right;
    }
    assert_true(count.histories >= so_many(20000));
    assert_true(count.alone > so_many(10000) && count.groups > so_many(20000));
    assert_true(count.several_groups > so_many(5000) && count.fragile > so_many(1000));
    assert_true(count.narrowed > so_many(10000) && count.stayed > so_many(10000) && count.near > so_many(500));
}

/* The same under the criteria by which operations take effect together. */
static void nor_where_operations_take_effect_together(void **unused) {
    (void)unused;
    for (unsigned k = 0; together_objects[k]; k++) {
        random_source r = {.s = 2000 + k};
        unsigned right = 0, before = count.alone + count.groups;
        bool many_names = !strncmp(together_objects[k], "renaming", 8);
        for (unsigned i = 0; i < so_many(HISTORIES); i++)
            right += try_one(&r, together_history(&r, together_objects[k], i % 2 ? CRITERION_SET : CRITERION_INTERVAL,
                                                  many_names ? 4 : 6));
        assert_true(right > so_many(HISTORIES) / 2);
        /* adaptive: nothing leaves */
        if (strcmp(together_objects[k], "renaming") != 0)
            assert_true(count.alone + count.groups > before + so_many(HISTORIES) / 4);
    }
}

static bool is_right(const object *o, history *h) {
    budget limits;
    decision d;
    budget_init(&limits, 0, 0);
    decide(h, o, &(decide_options){.threads = 1}, &limits, NULL, &d);
    bool right = d.verdict == VERDICT_LINEARIZABLE;
    decision_free(&d);
    history_free(h);
    return right;
}

/* The same of long histories, where little is near. */
static void nor_does_what_leaves_a_long_history(void **unused) {
    (void)unused;
    enum { OPERATIONS = 2000, PLACES = 30, NEAR = 8 };
    const object_type *t;
    unsigned left = 0;
    for (unsigned k = 0; (t = object_type_at(k)); k++) {
        bound b = planted_history(t->name, NULL, OPERATIONS);
        random_source r = {.s = 3000 + k};
        uint32_t all[OPERATIONS];
        for (uint32_t i = 0; i < b.h->n; i++) all[i] = i;
        for (unsigned i = 0; i < PLACES; i++) {
            staying s = object_stay_near(b.o, b.h, all, b.h->n, random_below(&r, b.h->events + 1), NEAR, b.h->n);
            if (s.op) assert_true(is_right(b.o, history_select(b.h, s.op, s.n, RANK_NEVER)));
            left += s.op != NULL;
            free(s.op);
        }
        free_bound(&b);
    }
    assert_true(left > 15 * PLACES);
}

/* ---- by hand ---- */

static leave_out ask_all(const bound *b) {
    uint32_t all[RANDOM_MAX_OPERATIONS];
    leave_out l;
    for (uint32_t i = 0; i < b->h->n; i++) all[i] = i;
    object_leave_out(b->o, b->h, all, b->h->n, &l);
    return l;
}

/* At a stamp where two clients go on, the lock may come first although it is written last: its unlock must not leave
 * without it. */
static void a_client_that_overlaps_itself_leaves_as_a_whole(void **unused) {
    (void)unused;
    bound b = make_history("lock", "0 trylock() -> false [0,2]; 2 trylock() -> false [1,2]; 0 unlock() [2,2]; "
                                   "0 lock() [2,-]; 2 trylock() -> false [2,3]; 1 lock() [9,10]; 1 unlock() [11,12]");
    assert_int_equal(b.h->ties, 2);
    leave_out l = ask_all(&b);
    assert_int_equal(l.group[2], l.group[3]);
    assert_int_equal(l.group[5], l.group[6]);
    assert_int_not_equal(l.group[3], l.group[5]);
    leave_out_free(&l);
    free_bound(&b);
}

/* Reads of the initial value rest on the write that brought it back. */
static void initial_value_written_again(void **unused) {
    (void)unused;
    bound b = make_history("register", "write(1) [0,9]; write(none) [1,8]; read() -> none [10,11]");
    leave_out l = ask_all(&b);
    assert_int_equal(l.group[1], l.group[2]);
    leave_out_free(&l);
    free_bound(&b);
}

/* One key, a long way: the middle holds and comes back, so it can leave. */
static void excursions_of_a_set_and_epochs_of_a_cas_register(void **unused) {
    (void)unused;
    bound b = make_history(
        "set", "add(1) -> true [0,3]; remove(1) -> true [1,4]; add(1) -> true [5,6]; remove(1) -> true [7,8]; "
               "contains(1) -> false [9,10]; add(1) [11,-]; remove(1) -> true [12,13]");
    leave_out l = ask_all(&b);
    assert_int_equal(l.group[0], l.group[1]);
    assert_int_not_equal(l.group[1], l.group[2]);
    assert_int_equal(l.group[2], l.group[3]);
    assert_int_equal(l.flags[4], LEAVE_ALONE);
    assert_int_equal(l.group[5], l.group[6]);
    leave_out_free(&l);
    free_bound(&b);
    b = make_history("cas-register", "write(1) [0,1]; cas(1 2) -> true [2,3]; write(1) [4,5]; cas(2 1) -> false [6,7]; "
                                     "write(2) [8,9]; cas(2 1) -> true [10,11]");
    l = ask_all(&b);
    assert_int_equal(l.groups, 3);
    assert_int_equal(l.group[2], l.group[3]);
    assert_int_equal(l.flags[3], LEAVE_ALONE);
    leave_out_free(&l);
    free_bound(&b);
}

/* Results that were not recorded, and values that look like nothing. */
static void what_is_not_known_stays_together(void **unused) {
    (void)unused;
    bound b = make_history("set", "add(1) [0,1]; remove(1) -> true [2,3]; add(1) -> true [4,5]");
    leave_out l = ask_all(&b);
    assert_true(l.group[0] == l.group[1] && l.group[1] == l.group[2]);
    leave_out_free(&l);
    free_bound(&b);
    b = make_history(
        "snapshot",
        "update(1 5) [0,1]; update(1 none) [2,3]; scan() -> [7] [4,5]; update(0 7) [4,5]; update(0 8) [6,7]");
    l = ask_all(&b);
    assert_int_not_equal(l.group[0], GROUP_KEEP);
    assert_int_equal(l.group[1], GROUP_KEEP); /* the scan, without a segment 1, shows that it is none again */
    assert_int_equal(l.group[3], GROUP_KEEP);
    assert_int_not_equal(l.group[4], GROUP_KEEP);
    leave_out_free(&l);
    free_bound(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leaves_does_no_harm),
        cmocka_unit_test(nor_where_operations_take_effect_together),
        cmocka_unit_test(nor_does_what_leaves_a_long_history),
        cmocka_unit_test(a_client_that_overlaps_itself_leaves_as_a_whole),
        cmocka_unit_test(initial_value_written_again),
        cmocka_unit_test(what_is_not_known_stays_together),
        cmocka_unit_test(excursions_of_a_set_and_epochs_of_a_cas_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
