/* The monitors of the house as checkers: what takes too long is undecided for now, and decided later. */
#include "support/cmocka.h"

#include "runtime/checker.h"

#include <stdio.h>
#include <string.h>

enum { CLIENTS = 40 };

typedef struct stage {
    object *o;
    values *values;
    checker *c;
    sketched op[CLIENTS];
} stage;

static void open_stage(stage *s, double seconds) {
    error e = {0};
    memset(s, 0, sizeof *s);
    s->o = object_open("pqueue-max", NULL, &e);
    object_use_values(s->o, s->values = values_new());
    s->c = monitor_checker_new(s->o, CLIENTS, &(checker_options){.seconds = seconds}, &e);
    assert_non_null(s->c);
}

static void close_stage(stage *s) {
    checker_free(s->c);
    object_close(s->o);
    values_free(s->values);
}

static void call(stage *s, uint32_t client, int64_t inserted) {
    s->op[client] =
        (sketched){.client = client, .method = inserted < 0, .nargs = inserted >= 0, .res = PLUMB_WORD_NONE};
    if (inserted >= 0) s->op[client].arg[0] = PLUMB_WORD_INT(inserted);
    s->c->type->call(s->c, &s->op[client]);
}

static void ret(stage *s, uint32_t client, int64_t deleted) {
    s->op[client].outcome = LOG_RETURNED;
    if (deleted >= 0) s->op[client].res = PLUMB_WORD_INT(deleted);
    s->c->type->ret(s->c, &s->op[client]);
}

/* Many are inside, many deletes are open, and one comes back with a value that is not the greatest: some of the open
 * ones have taken those that are. */
static void puzzle(stage *s) {
    for (int64_t i = 0; i < 30; i++) {
        call(s, 39, 100 + i);
        ret(s, 39, -1);
    }
    for (uint32_t i = 0; i < 20; i++) call(s, i, -1);
    call(s, 39, -1);
    ret(s, 39, 115);
}

static void undecided_for_now(void **unused) {
    (void)unused;
    stage s;
    open_stage(&s, 1e-9);
    puzzle(&s);
    assert_int_equal(s.c->type->settle(s.c), VERDICT_UNDECIDED);
    assert_int_equal(s.c->verdict, VERDICT_LINEARIZABLE); /* as far as is known */
    assert_true(*s.c->type->reason(s.c));
    close_stage(&s);
}

static void decided_with_time(void **unused) {
    (void)unused;
    stage s;
    open_stage(&s, 0);
    puzzle(&s);
    assert_int_equal(s.c->type->settle(s.c), VERDICT_LINEARIZABLE);
    close_stage(&s);
}

/* ---- copies ---- */

typedef struct copied {
    object *o;
    values *values;
    checker *c;
} copied;

static copied copy_of(const copied *from, const char *what) {
    error e = {0};
    copied to = {.o = object_open(what, NULL, &e), .values = from ? values_copy(from->values) : values_new()};
    object_use_values(to.o, to.values);
    to.c = from ? from->c->type->copy(from->c, to.o) : monitor_checker_new(to.o, CLIENTS, &(checker_options){0}, &e);
    assert_non_null(to.c);
    return to;
}

static void close_copy(copied *x) {
    checker_free(x->c);
    object_close(x->o);
    values_free(x->values);
}

/* One operation of an object with a method that takes `arg` or, below 0, nothing. */
static void operate(checker *c, uint32_t client, unsigned which, int64_t arg, plumb_word res) {
    uint64_t mine = 0;
    sketched op = {.client = client, .method = (uint8_t)which, .nargs = arg >= 0, .mine = &mine};
    if (arg >= 0) op.arg[0] = PLUMB_WORD_INT(arg);
    c->type->call(c, &op);
    op.outcome = LOG_RETURNED;
    op.res = res;
    c->type->ret(c, &op);
}

/* A thread that gets a copy of what a refused thread knew refuses as well, for the same reason and with the same
 * evidence, however often it is copied; operations that were open, or came afterwards, do no harm. */
static void copies_of_a_violation(void **unused) {
    (void)unused;
    const struct {
        const char *what;
        unsigned which;
        int64_t arg;
        plumb_word right, wrong;
    } trial[] = {{"counter", 2, -1, PLUMB_WORD_INT(0), PLUMB_WORD_INT(7)},
                 {"set", 2, 5, PLUMB_WORD_FALSE, PLUMB_WORD_TRUE},
                 {"lock", 1, -1, PLUMB_WORD_NONE, PLUMB_WORD_NONE},
                 {"deque", 2, -1, PLUMB_WORD_EMPTY, PLUMB_WORD_INT(3)},
                 {"pqueue-max", 1, -1, PLUMB_WORD_EMPTY, PLUMB_WORD_INT(3)},
                 {"register", 1, -1, PLUMB_WORD_NONE, PLUMB_WORD_INT(3)}};
    for (unsigned t = 0; t < sizeof trial / sizeof *trial; t++) {
        copied x = copy_of(NULL, trial[t].what);
        if (strcmp(trial[t].what, "lock") != 0) operate(x.c, 0, trial[t].which, trial[t].arg, trial[t].right);
        uint64_t mine = 0;
        sketched open = {.client = 1, .method = (uint8_t)trial[t].which, .nargs = trial[t].arg >= 0, .mine = &mine};
        if (trial[t].arg >= 0) open.arg[0] = PLUMB_WORD_INT(trial[t].arg);
        if (strcmp(trial[t].what, "lock") != 0) x.c->type->call(x.c, &open);
        operate(x.c, 2, trial[t].which, trial[t].arg, trial[t].wrong);
        assert_int_equal(x.c->type->settle(x.c), VERDICT_VIOLATION);
        char reason[256];
        snprintf(reason, sizeof reason, "%s", x.c->type->reason(x.c));
        assert_true(*reason);
        for (unsigned k = 0; k < 3; k++) {
            copied next = copy_of(&x, trial[t].what);
            close_copy(&x);
            x = next;
            assert_int_equal(x.c->type->settle(x.c), VERDICT_VIOLATION);
            assert_string_equal(x.c->type->reason(x.c), reason);
            object *own = NULL;
            history *shown = x.c->type->evidence(x.c, &own);
            assert_non_null(shown);
            history_free(shown);
            object_close(own);
            operate(x.c, 3, trial[t].which, trial[t].arg, trial[t].right);
        }
        close_copy(&x);
    }
}

TEST_MAIN(TEST(undecided_for_now), TEST(decided_with_time), TEST(copies_of_a_violation))
