/* Lines between the two halves of the explorer: what was written is what is read, also in pieces. */
#include "explore/model/talk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void fields_survive(void **state) {
    (void)state;
    text t = {0};
    talk_begin(&t, "step");
    talk_text(&t, "a\tb\nc\\d");
    talk_int(&t, -42);
    talk_hex(&t, 0xfedcba9876543210u);
    talk_real(&t, 0.25);
    talk_text(&t, "");
    talk_text(&t, "key=a=b");
    talk_end(&t);
    assert_int_equal(t.at[t.size - 1], '\n');
    t.at[t.size - 1] = 0;
    talk_line l;
    assert_true(talk_split(t.at, &l));
    assert_int_equal(l.n, 7);
    assert_string_equal(talk_get(&l, 0), "step");
    assert_string_equal(talk_get(&l, 1), "a\tb\nc\\d");
    assert_int_equal(talk_get_int(&l, 2), -42);
    assert_true(talk_get_hex(&l, 3) == 0xfedcba9876543210u);
    assert_true(talk_get_real(&l, 4) == 0.25);
    assert_string_equal(talk_get(&l, 5), "");
    assert_string_equal(talk_key(&l, "key"), "a=b");
    assert_null(talk_key(&l, "ke"));
    assert_string_equal(talk_get(&l, 9), "");
    text_free(&t);
}

static void too_many_fields_are_refused(void **state) {
    (void)state;
    text t = {0};
    talk_begin(&t, "x");
    for (int i = 1; i < TALK_FIELDS; i++) talk_int(&t, i);
    talk_line l;
    char *exact = strdup(t.at);
    assert_true(talk_split(exact, &l));
    talk_int(&t, 99);
    assert_false(talk_split(t.at, &l));
    free(exact);
    text_free(&t);
}

static void lines_come_in_pieces(void **state) {
    (void)state;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    talk_reader r;
    talk_line l;
    talk_reader_init(&r, fd[0]);
    assert_int_equal(talk_next(&r, 0, &l), TALK_TIMEOUT);
    assert_int_equal(write(fd[1], "one\t1\ntw", 8), 8);
    assert_int_equal(talk_next(&r, 100, &l), TALK_LINE);
    assert_string_equal(talk_get(&l, 0), "one");
    assert_int_equal(talk_next(&r, 0, &l), TALK_TIMEOUT);
    assert_int_equal(write(fd[1], "o\t2\n", 4), 4);
    assert_int_equal(talk_next(&r, 100, &l), TALK_LINE);
    assert_string_equal(talk_get(&l, 0), "two");
    assert_int_equal(talk_get_int(&l, 1), 2);
    close(fd[1]);
    assert_int_equal(talk_next(&r, 100, &l), TALK_CLOSED);
    talk_reader_free(&r);
    close(fd[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_survive),
        cmocka_unit_test(too_many_fields_are_refused),
        cmocka_unit_test(lines_come_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
