/* Exported monitors, as C: they say what the monitors say that they were exported from, on random small histories. The
 * headers are made by `plumb export-monitor` while this is built (tests/CMakeLists.txt). */
#define QUEUE_MONITOR_VALUES 6
#define STACK_MONITOR_VALUES 6
#define REGISTER_MONITOR_VALUES 6
#define LOCK_MONITOR_VALUES 6
#define SET_MONITOR_VALUES 6
#define QUEUE_COUNT_VALUES 6
#define STACK_COUNT_VALUES 6
#define REGISTER_COUNT_VALUES 6
#define LOCK_COUNT_VALUES 6
#define QUEUE_COUNT_THREADS 32
#define STACK_COUNT_THREADS 32
#define REGISTER_COUNT_THREADS 32
#define LOCK_COUNT_THREADS 32
#include "lock_count.h"
#include "lock_pattern.h"
#include "queue_count.h"
#include "queue_pattern.h"
#include "register_count.h"
#include "register_pattern.h"
#include "set_pattern.h"
#include "stack_count.h"
#include "stack_pattern.h"

#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "observe/observer.h"
#include "support/engine_trial.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = QUEUE_MONITOR_VALUES, K = QUEUE_COUNT_K, HISTORIES = 6000 };
_Static_assert(QUEUE_COUNT_THREADS >= OBSERVED_OPERATIONS, "an operation is a thread of its own");

/* ---- a history in the words of the exported functions ---- */

typedef struct words {
    bool inserts[OBSERVED_OPERATIONS], left_out[OBSERVED_OPERATIONS];
    int value[OBSERVED_OPERATIONS]; /* -1: a remove that found nothing */
    int initial;                    /* -1: none */
} words;

typedef struct names {
    value v[VALUES];
    int n;
} names;

static int number(names *m, value v) {
    for (int i = 0; i < m->n; i++)
        if (m->v[i] == v) return i;
    if (m->n == VALUES) return -2;
    m->v[m->n] = v;
    return m->n++;
}

/* The number of a section: that of the lock that the client has and has not given back, otherwise a new one. */
static int section(const observed *x, words *w, uint32_t i, int *sections) {
    int mine = -1;
    for (uint32_t k = 0; k < i && !w->inserts[i]; k++)
        if (x->op[k].client == x->op[i].client && !w->left_out[k])
            mine = w->inserts[k] && x->op[k].res != VALUE_UNKNOWN ? w->value[k] : -1;
    return mine >= 0 ? mine : *sections == VALUES ? -2 : (*sections)++;
}

/* False: more values than the headers were made for. */
static bool put_into_words(const observed *x, words *w) {
    names m = {.n = 0};
    int sections = 0;
    bool is_lock = !strcmp(x->o->type->name, "lock"), is_register = !strcmp(x->o->type->name, "register");
    *w = (words){.initial = -1};
    if (is_register) w->initial = number(&m, x->o->init);
    for (uint32_t i = 0; i < x->n; i++) {
        const operation *op = &x->op[i];
        w->inserts[i] = is_lock ? strcmp(object_method(x->o, op)->name, "unlock") != 0 : op->nargs > 0;
        w->left_out[i] = is_lock && op->res == VALUE_FALSE;
        if (w->left_out[i]) continue;
        if (is_lock) w->value[i] = section(x, w, i, &sections);
        else if (w->inserts[i]) w->value[i] = number(&m, op->arg[0]);
        else w->value[i] = op->res == VALUE_EMPTY || op->res == VALUE_UNKNOWN ? -1 : number(&m, op->res);
        if (w->value[i] == -2) return false;
    }
    return true;
}

#define FEED_PATTERN(object) \
    static bool feed_##object##_pattern(const observed *x, const words *w) { \
        object##_monitor m; \
        unsigned place[OBSERVED_OPERATIONS]; \
        memset(&m, 0, sizeof m); \
        if (w->initial >= 0) \
            object##_monitor_call_insert(&m, (unsigned)w->initial), \
                object##_monitor_return_insert(&m, (unsigned)w->initial); \
        for (uint32_t e = 0; e < x->events; e++) { \
            uint32_t i = x->event[e].op; \
            bool returns = x->event[e].what == OBSERVED_RETURN; \
            unsigned v = (unsigned)w->value[i]; \
            if (w->left_out[i]) continue; \
            if (w->inserts[i] && !returns) object##_monitor_call_insert(&m, v); \
            else if (w->inserts[i]) object##_monitor_return_insert(&m, v); \
            else if (!returns) place[i] = object##_monitor_call_remove(&m); \
            else if (w->value[i] < 0) object##_monitor_return_miss(&m, place[i]); \
            else object##_monitor_return_remove(&m, place[i], v); \
        } \
        return object##_monitor_sees(&m) == 1; \
    }
FEED_PATTERN(queue)
FEED_PATTERN(stack)
FEED_PATTERN(register)
FEED_PATTERN(lock)

#define FEED_COUNT(object, begin) \
    static bool feed_##object##_count(const observed *x, const words *w) { \
        object##_count m; \
        memset(&m, 0, sizeof m); \
        begin; \
        for (uint32_t e = 0; e < x->events; e++) { \
            uint32_t i = x->event[e].op; \
            bool returns = x->event[e].what == OBSERVED_RETURN; \
            unsigned v = (unsigned)w->value[i]; \
            if (w->left_out[i]) continue; \
            if (w->inserts[i] && !returns) object##_count_call_insert(&m, i, v); \
            else if (w->inserts[i]) object##_count_return_insert(&m, i, v); \
            else if (!returns) object##_count_call_remove(&m, i); \
            else if (w->value[i] < 0) object##_count_return_miss(&m, i); \
            else object##_count_return_remove(&m, i, v); \
        } \
        assert_int_not_equal(m.bad, 2); \
        return m.bad; \
    }
FEED_COUNT(queue, (void)0)
FEED_COUNT(stack, (void)0)
FEED_COUNT(register, if (w->initial >= 0) register_count_initial(&m, (unsigned)w->initial))
FEED_COUNT(lock, (void)0)

static bool feed_set_pattern(const observed *x, const words *w) {
    set_monitor m;
    unsigned place[OBSERVED_OPERATIONS];
    memset(&m, 0, sizeof m);
    for (uint32_t e = 0; e < x->events; e++) {
        uint32_t i = x->event[e].op;
        const char *name = object_method(x->o, &x->op[i])->name;
        unsigned v = (unsigned)w->value[i];
        if (x->event[e].what == OBSERVED_RETURN) set_monitor_return(&m, place[i], x->op[i].res == VALUE_TRUE);
        else if (!strcmp(name, "add")) place[i] = set_monitor_call_add(&m, v);
        else if (!strcmp(name, "remove")) place[i] = set_monitor_call_remove(&m, v);
        else place[i] = set_monitor_call_contains(&m, v);
    }
    return set_monitor_sees(&m) == SET_MONITOR_IS_BAD;
}

/* ---- against the observers ---- */

typedef bool feed(const observed *x, const words *w);
typedef enum likeness { THE_SAME, NOT_MORE } likeness;

static bool observer_says_bad(const char *kind, const observed *x) {
    text why = {0};
    observer *m = observer_open(observer_kind_find(kind), x->o, K, &why);
    bool bad = observer_run(m, x, NULL, &why) == OBSERVER_BAD;
    observer_close(m);
    text_free(&why);
    return bad;
}

static void compare(const bound *b, const observed *x, const words *w, const char *kind, feed *exported,
                    likeness like) {
    bool bad = exported(x, w), wanted = observer_says_bad(kind, x);
    if (bad == wanted || (like == NOT_MORE && !bad)) return;
    text shown = {0};
    history_text(b, &shown);
    print_error("%s, kind %s: the exported one says %s\n%s\n", b->o->name, kind, bad ? "bad" : "not bad",
                text_str(&shown));
    text_free(&shown);
    fail();
}

static bool leaves_out(const observed *x, const words *w) {
    for (uint32_t i = 0; i < x->n; i++)
        if (w->left_out[i]) return true;
    return false;
}

static bool keeps_results(const history *h) {
    for (uint32_t i = 0; i < h->n; i++)
        if (h->res[i] == VALUE_NONE && !history_pending(h, i)) return false;
    return true;
}

static void trial(const char *object_name, uint64_t seed, feed *pattern, feed *count, likeness like) {
    random_source r = {seed};
    uint32_t compared = 0, bad = 0, wanted = getenv("PLUMB_FEWER") ? HISTORIES / 10 : HISTORIES;
    bool is_set = !strcmp(object_name, "set");
    for (uint32_t i = 0; i < 5 * wanted && compared < wanted; i++) {
        random_shape shape = is_set ? shape_small(&r) : shape_distinct(&r);
        shape.operations = 2 + random_below(&r, 9);
        if (i % 3) shape.pending = 0;
        if (!is_set) shape.ties = 0;
        bound b = random_history(&r, object_name, &shape);
        observed x;
        words w;
        assert_true(observed_from_history(&x, b.o, b.h));
        if ((!is_set || keeps_results(b.h)) && put_into_words(&x, &w)) {
            compared++;
            bool sees = pattern(&x, &w);
            bad += sees;
            bool comparable = !leaves_out(&x, &w);
            /* A header does not know which section an unlock that has not returned ends. */
            if (comparable) compare(&b, &x, &w, "pattern", pattern, b.h->pending ? like : THE_SAME);
            if (comparable && count) compare(&b, &x, &w, "count", count, like);
            if (sees || (count && count(&x, &w))) assert_int_equal(oracle_linearizable(b.o, b.h, 0), ORACLE_NO);
        }
        free_bound(&b);
    }
    print_message("%s: %u histories, %u bad\n", object_name, compared, bad);
    assert_true(bad > compared / 10 && compared == wanted);
}

static void queue(void **unused) {
    (void)unused;
    trial("queue", 1, feed_queue_pattern, feed_queue_count, THE_SAME);
}
static void stack(void **unused) {
    (void)unused;
    trial("stack", 2, feed_stack_pattern, feed_stack_count, THE_SAME);
}
static void registers(void **unused) {
    (void)unused;
    trial("register", 3, feed_register_pattern, feed_register_count, THE_SAME);
}
static void lock(void **unused) {
    (void)unused;
    trial("lock", 4, feed_lock_pattern, feed_lock_count, NOT_MORE);
}
static void set(void **unused) {
    (void)unused;
    trial("set", 5, feed_set_pattern, NULL, THE_SAME);
}

/* A set that adds an element again with success is none that the exported monitor can judge: it says so. */
static void says_that_it_is_lost(void **unused) {
    (void)unused;
    set_monitor m;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 2; i++) {
        set_monitor_return(&m, set_monitor_call_add(&m, 1), 1);
        assert_int_equal(set_monitor_sees(&m), i ? SET_MONITOR_IS_LOST : SET_MONITOR_IS_GOOD);
        set_monitor_return(&m, set_monitor_call_remove(&m, 1), 1);
    }
    set_monitor_return(&m, set_monitor_call_remove(&m, 2), 1); /* what was never added is bad all the same */
    assert_int_equal(set_monitor_sees(&m), SET_MONITOR_IS_BAD);
}

TEST_MAIN(TEST(queue), TEST(stack), TEST(registers), TEST(lock), TEST(set), TEST(says_that_it_is_lost))
