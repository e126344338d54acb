/* Exported monitors of kind `all`, as C: they are bad exactly where the oracle refutes the history, and at the first
 * event with which the observer they come from is; values come again, operations stay pending. Beyond their size they
 * are lost. */
#define QUEUE_ALL_THREADS 12
#define STACK_ALL_THREADS 12
#define REGISTER_ALL_THREADS 12
#define LOCK_ALL_THREADS 12
#define SET_ALL_THREADS 12
#define QUEUE_ALL_CONFIGURATIONS 2000
#define STACK_ALL_CONFIGURATIONS 2000
#define REGISTER_ALL_CONFIGURATIONS 2000
#define LOCK_ALL_CONFIGURATIONS 2000
#define SET_ALL_CONFIGURATIONS 2000
#include "lock_all.h"
#include "queue_all.h"
#include "register_all.h"
#include "set_all.h"
#include "stack_all.h"

#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "observe/observer.h"
#include "support/engine_trial.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 10, VALUES = 14, HISTORIES = 4000, NOT_BAD = 1000, LOST };

typedef struct names {
    value v[VALUES];
    unsigned n;
} names;

static unsigned number(names *m, value v) {
    for (unsigned i = 0; i < m->n; i++)
        if (m->v[i] == v) return i;
    assert_true(m->n < VALUES);
    m->v[m->n] = v;
    return m->n++;
}

/* Each returns the event after which the exported monitor is bad; NOT_BAD: after none; LOST: too many ways. */
#define FEED(object, begin, CALL, RETURN) \
    static uint32_t feed_##object(const observed *x) { \
        static object##_all m; \
        names known = {.n = 0}; \
        memset(&m, 0, sizeof m); \
        begin; \
        for (uint32_t e = 0; e < x->events; e++) { \
            const operation *op = &x->op[x->event[e].op]; \
            const char *name = object_method(x->o, op)->name; \
            unsigned t = x->event[e].op; \
            (void)t, (void)op, (void)name, (void)known; \
            if (x->event[e].what == OBSERVED_CALL) CALL; \
            else RETURN; \
            assert_int_not_equal(m.bad, 2); \
            if (m.bad == 3) return LOST; \
            if (m.bad) return e; \
        } \
        return NOT_BAD; \
    }

#define CONTAINER(object) \
    FEED(object, (void)0, if (op->nargs) object##_all_call_insert(&m, t, number(&known, op->arg[0])); \
         else object##_all_call_remove(&m, t), if (op->nargs) object##_all_return_insert(&m, t); \
         else if (op->res == VALUE_EMPTY) object##_all_return_miss(&m, t); \
         else object##_all_return_remove(&m, t, number(&known, op->res)))
CONTAINER(queue)
CONTAINER(stack)
FEED(register, register_all_initial(&m, number(&known, x->o->init)),
     if (op->nargs) register_all_call_insert(&m, t, number(&known, op->arg[0]));
     else register_all_call_remove(&m, t), if (op->nargs) register_all_return_insert(&m, t);
     else register_all_return_remove(&m, t, number(&known, op->res)))
FEED(lock, (void)0, if (strcmp(name, "unlock") != 0) lock_all_call_insert(&m, op->client, 0);
     else lock_all_call_remove(&m, op->client), if (strcmp(name, "unlock") != 0) lock_all_return_insert(&m, op->client);
     else lock_all_return_remove(&m, op->client, 0))
FEED(set, (void)0, if (!strcmp(name, "add")) set_all_call_add(&m, t, number(&known, op->arg[0]));
     else if (!strcmp(name, "remove")) set_all_call_remove(&m, t, number(&known, op->arg[0]));
     else set_all_call_contains(&m, t, number(&known, op->arg[0])), set_all_return_bool(&m, t, op->res == VALUE_TRUE))

/* Is what was seen before event `end` a violation, with what has not returned by then as pending? */
static bool is_bad_before(const observed *whole, uint32_t end) {
    static observed x;
    text why = {0};
    x = *whole;
    x.events = end;
    for (uint32_t e = end; e < whole->events; e++) x.op[whole->event[e].op].res = VALUE_UNKNOWN;
    observer *m = observer_open(observer_kind_find("all"), x.o, 0, &why);
    const bool bad = observer_run(m, &x, NULL, &why) == OBSERVER_BAD;
    observer_close(m);
    text_free(&why);
    return bad;
}

/* Bad at the first event with which it is, and no other. */
static bool is_right(const observed *x, uint32_t found) {
    if (found == NOT_BAD) return !is_bad_before(x, x->events);
    return is_bad_before(x, found + 1) && !is_bad_before(x, found);
}

/* There is no function for a trylock that fails, a result that was not kept, two operations of one client at once, or
 * for a thread that was left with an operation of which nothing is known. */
static bool can_be_told(const observed *x) {
    uint32_t open = 0;
    bool is_lock = !strcmp(x->o->type->name, "lock");
    for (uint32_t e = 0; e < x->events; e++) {
        const operation *op = &x->op[x->event[e].op];
        const bool returns = x->event[e].what == OBSERVED_RETURN;
        if (is_lock && (op->res == VALUE_FALSE || op->client >= LOCK_ALL_THREADS)) return false;
        if (is_lock && !returns && open >> op->client & 1) return false;
        if (is_lock) open ^= 1u << op->client;
        if (!strcmp(x->o->type->name, "set") && op->res == VALUE_NONE) return false;
    }
    return true;
}

static void trial(const char *object_name, uint64_t seed, uint32_t (*feed)(const observed *x)) {
    random_source r = {seed};
    uint32_t compared = 0, bad = 0, lost = 0, wanted = getenv("PLUMB_FEWER") ? HISTORIES / 10 : HISTORIES;
    for (uint32_t i = 0; i < 20 * wanted && compared < wanted; i++) {
        random_shape shape = i % 2 ? shape_distinct(&r) : shape_small(&r);
        observed x;
        shape.operations = 2 + random_below(&r, MOST_OPERATIONS - 2);
        shape.keys = 1;
        bound b = random_history(&r, object_name, &shape);
        if (b.h->n <= MOST_OPERATIONS && observed_from_history(&x, b.o, b.h) && can_be_told(&x)) {
            const uint32_t found = feed(&x);
            lost += found == LOST;
            oracle_answer says = oracle_linearizable(b.o, b.h, 0);
            if (found != LOST && (!is_right(&x, found) || (found == NOT_BAD) != (says == ORACLE_YES))) {
                text shown = {0};
                history_text(&b, &shown);
                fail_msg("%s: bad at %u, the oracle says %d\n%s", object_name, found, says, text_str(&shown));
            }
            compared++;
            bad += found < NOT_BAD;
        }
        free_bound(&b);
    }
    print_message("%s: %u histories, %u bad, %u lost\n", object_name, compared, bad, lost);
    assert_true(compared == wanted && bad > compared / 10 && bad < compared * 9 / 10 && lost < compared / 20);
}

static void as_the_oracle_says(void **unused) {
    (void)unused;
    trial("queue", 1, feed_queue);
    trial("stack", 2, feed_stack);
    trial("register", 3, feed_register);
    trial("lock", 4, feed_lock);
    trial("set", 5, feed_set);
}

/* More inside than there is room for, and more threads than there are. */
static void says_that_it_is_lost(void **unused) {
    (void)unused;
    static queue_all m;
    for (unsigned i = 0; i < QUEUE_ALL_ROOM; i++) {
        queue_all_call_insert(&m, 0, i);
        queue_all_return_insert(&m, 0);
        assert_int_equal(m.bad, QUEUE_ALL_IS_GOOD);
    }
    queue_all_call_insert(&m, 0, 1);
    queue_all_return_insert(&m, 0);
    assert_int_equal(m.bad, QUEUE_ALL_IS_LOST);
    memset(&m, 0, sizeof m);
    queue_all_call_remove(&m, QUEUE_ALL_THREADS);
    assert_int_equal(m.bad, QUEUE_ALL_IS_MISUSED);
}

TEST_MAIN(TEST(as_the_oracle_says), TEST(says_that_it_is_lost))
