/* Segments of a chain that are each a right file, and together are not: told apart by what the chain claims, not by
 * checksums. */
#include "support/cmocka.h"

#include "base/digest.h"
#include "evidence/segment.h"
#include "history/builder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct step {
    int client;
    const char *name;
    int arg, res; /* 0: none */
    int64_t call, ret;
} step;

static char path[2][64];

/* Writes the steps, the first `carried` of which tell a state, as the segment that follows the link. */
static bool write_steps(int file, const step *s, uint32_t n, uint32_t carried, chain_link *link) {
    error e = {0};
    builder *b = builder_new("test", &e);
    for (uint32_t i = 0; i < n; i++) {
        value arg = value_int(builder_values(b), s[i].arg);
        value name =
            s[i].call < 0 ? value_bytes(builder_values(b), "state", 5) : value_int(builder_values(b), s[i].client);
        call_record call = {.client = name,
                            .method = builder_method(b, s[i].name, strlen(s[i].name), 0),
                            .key = VALUE_NONE,
                            .arg = &arg,
                            .nargs = s[i].arg != 0};
        value res = s[i].res ? value_int(builder_values(b), s[i].res) : s[i].arg ? VALUE_NONE : VALUE_EMPTY;
        assert_true(builder_operation(b, &call, s[i].call, s[i].ret, res));
    }
    history *h = builder_finish(b);
    object *o = object_open("queue", NULL, &e);
    recalled told = {0};
    assert_non_null(h);
    assert_true(object_bind(o, h, "test", &e));
    bool written = segment_write(path[file], h, o, carried, link, &told, &e);
    recalled_free(&told);
    object_close(o);
    history_free(h);
    builder_free(b);
    return written;
}

static int check_both(text *said) {
    error e = {0};
    segment_chain *c = chain_new(NULL);
    text_clear(said);
    int code = chain_add(c, path[0], said, &e);
    assert_int_equal(code, 0);
    code = chain_add(c, path[1], said, &e);
    if (!code) chain_end(c, said);
    chain_free(c);
    return code;
}

/* enq(1) and enq(2) overlap and take effect in the order 2, 1; what follows begins with that queue. */
static const step first[] = {{1, "enq", 2, 0, 2, 5}, {0, "enq", 1, 0, 1, 4}};
static const step second[] = {{7, "enq", 2, 0, -4, -3},
                              {7, "enq", 1, 0, -2, -1},
                              {0, "deq", 0, 2, 6, 7},
                              {1, "deq", 0, 1, 8, 9},
                              {1, "deq", 0, 0, 10, 11}};

static void changed(void (*change)(step *s, chain_link *l), uint32_t carried, int code, const char *why) {
    chain_link link = {.horizon = -1};
    text said = {0};
    step s[5];
    memcpy(s, second, sizeof s);
    assert_true(write_steps(0, first, 2, 0, &link));
    if (change) change(s, &link);
    assert_true(write_steps(1, s, 5, carried, &link));
    assert_int_equal(check_both(&said), code);
    if (!strstr(text_str(&said), why)) fail_msg("%s; expected: %s", text_str(&said), why);
    text_free(&said);
    chain_link_free(&link);
}

static void another_state(step *s, chain_link *l) {
    (void)l;
    s[0].arg = 1;
    s[1].arg = 2;
    s[2].res = 1;
    s[3].res = 2;
}
static void more_than_there_was(step *s, chain_link *l) {
    (void)l;
    s[0].call = -6;
    s[0].ret = -5;
    s[1].call = -4;
    s[1].ret = -3;
    s[2] = (step){0, "enq", 3, 0, -2, -1};
    s[3].res = 2;
    s[4].res = 1;
}
static void too_early(step *s, chain_link *l) {
    (void)l;
    s[2].call = 0;
    s[2].ret = 1; /* returned before enq(2) was called */
}
static void another_answer(step *s, chain_link *l) {
    (void)s;
    l->client[0].digest ^= 1;
}
static void a_lower_horizon(step *s, chain_link *l) {
    too_early(s, l);
    l->horizon = 0;
}
static void another_number(step *s, chain_link *l) {
    (void)s;
    l->number = 2;
}
static void an_illegal_answer(step *s, chain_link *l) {
    (void)l;
    s[2].res = 1;
    s[3].res = 2;
}

static void chains_that_do_not_hold(void **unused) {
    (void)unused;
    changed(NULL, 2, 0, "holds: 5 operations of object queue in 2 segments");
    changed(another_state, 2, 1, "does not begin in the state");
    changed(more_than_there_was, 3, 1, "does not begin in the state");
    changed(too_early, 2, 1, "returned before one of a segment before it was called");
    changed(another_answer, 2, 1, "its link is not that");
    changed(a_lower_horizon, 2, 1, "its link is not that");
    changed(another_number, 2, 1, "expected segment 1: one is missing");
    changed(NULL, 1, 1, "are not before all others");
}

/* What cannot be replayed is not written, and so is not read. */
static void an_order_that_is_none(void **unused) {
    (void)unused;
    chain_link link = {.horizon = -1};
    step s[5];
    memcpy(s, second, sizeof s);
    an_illegal_answer(s, &link);
    assert_false(write_steps(0, s, 5, 2, &link));
    chain_link_free(&link);
}

int main(void) {
    for (int i = 0; i < 2; i++) snprintf(path[i], sizeof path[i], "/tmp/plumb-segment-%d-%d", (int)getpid(), i);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_that_do_not_hold),
        cmocka_unit_test(an_order_that_is_none),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 2; i++) unlink(path[i]);
    return failed;
}
