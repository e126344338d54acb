/* The monitors of the house as checkers: what takes too long is undecided for now, and decided later. */
#include "support/cmocka.h"

#include "runtime/checker.h"

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
    assert_int_equal(s.c->verdict, VERDICT_LINEARIZABLE); /* as far as anybody knows */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(undecided_for_now), cmocka_unit_test(decided_with_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
