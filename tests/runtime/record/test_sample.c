/* One of N keys or values is recorded: the others leave no trace, right objects stay right, wrong ones are found when
 * the sample meets them, and the verdict says that it is about a sample. */
#include "support/cmocka.h"

#include <plumbline/verify.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 320, ROUNDS = 20 };

static plumb_recorder *open_sampled(const char *object, const char *path, unsigned sample) {
    plumb_record_options o = {.struct_size = sizeof o, .object = object, .path = path, .sample = sample, .threads = 4};
    return plumb_record_open(&o);
}

static uint64_t records_of(const plumb_recorder *r) {
    plumb_record_status s = {.struct_size = sizeof s};
    plumb_record_look(r, &s);
    assert_int_equal(s.dark, 0); /* what is left out is not dark */
    return s.records;
}

/* Puts and gets of every key; with `wrong` one get of each key is stale. */
static void use_keys(plumb_recorder *r, bool wrong) {
    const int get = plumb_record_method(r, "get"), put = plumb_record_method(r, "put");
    plumb_log *l = plumb_record_join(r);
    for (int64_t i = 0; i < ROUNDS; i++)
        for (int64_t k = 0; k < KEYS; k++) {
            const plumb_value arg[2] = {plumb_int(k), plumb_int(i)};
            plumb_call(l, put, arg, 2);
            plumb_ret_none(l);
            plumb_call_int(l, get, k);
            plumb_ret_int(l, wrong && i == ROUNDS - 1 ? i - 1 : i);
        }
    plumb_record_leave(l);
}

static plumb_verdict verified(const char *object, unsigned sample, bool wrong, void (*use)(plumb_recorder *, bool),
                              uint64_t *records) {
    plumb_recorder *r = open_sampled(object, NULL, sample);
    assert_null(plumb_record_error(r));
    plumb_verifier *v = plumb_verify_start(r, NULL);
    use(r, wrong);
    plumb_verdict found = plumb_verify_stop(v);
    *records = records_of(r);
    assert_null(plumb_record_error(r));
    plumb_verify_free(v);
    plumb_record_close(r);
    return found;
}

static void keys(void **unused) {
    (void)unused;
    uint64_t all, some;
    assert_int_equal(verified("kv", 0, false, use_keys, &all), PLUMB_LINEARIZABLE);
    assert_int_equal(verified("kv", 16, false, use_keys, &some), PLUMB_LINEARIZABLE);
    assert_true(some > 0 && some < all / 8);
    assert_int_equal(verified("kv", 16, true, use_keys, &some), PLUMB_VIOLATION);
}

/* Adds and removes in the order of a queue; with `wrong` two neighbours come out in the wrong order, of every eight. */
static void use_values(plumb_recorder *r, bool wrong) {
    plumb_log *l = plumb_record_join(r);
    const int enq = plumb_record_method(r, "enq"), deq = plumb_record_method(r, "deq");
    for (int64_t i = 0; i < ROUNDS * KEYS; i += 8) {
        for (int64_t k = 0; k < 8; k++) {
            plumb_call_int(l, enq, i + k);
            plumb_ret_none(l);
        }
        for (int64_t k = 0; k < 8; k++) {
            plumb_call_none(l, deq);
            plumb_ret_int(l, wrong ? i + 7 - k : i + k);
        }
        plumb_call_none(l, deq);
        plumb_ret_empty(l);
    }
    plumb_record_leave(l);
}

static void values_of_containers(void **unused) {
    (void)unused;
    uint64_t some;
    assert_int_equal(verified("queue", 4, false, use_values, &some), PLUMB_LINEARIZABLE);
    assert_int_equal(verified("queue", 4, true, use_values, &some), PLUMB_VIOLATION);
    assert_int_equal(verified("queue", 1000000, false, use_values, &some), PLUMB_LINEARIZABLE);
}

/* A call that was left out may be abandoned, as any other, and the next return belongs to the next call. */
static void calls_that_are_left_out_end(void **unused) {
    (void)unused;
    plumb_recorder *r = open_sampled("kv", NULL, 2);
    plumb_log *l = plumb_record_join(r);
    const int get = plumb_record_method(r, "get");
    for (int64_t k = 0; k < 64; k++) {
        plumb_call_int(l, get, k);
        if (k % 3 == 1) plumb_ret_unknown(l);
        else if (k % 3 == 2) plumb_ret_none(l);
    }
    plumb_call_int(l, get, 0);
    plumb_ret_fail(l);
    assert_null(plumb_record_error(r));
    plumb_ret_none(l); /* no call is open */
    assert_non_null(plumb_record_error(r));
    plumb_record_leave(l);
    plumb_record_close(r);
}

static void files_say_it(void **unused) {
    (void)unused;
    char path[64];
    snprintf(path, sizeof path, "/tmp/plumb-sample-%d.log", (int)getpid());
    plumb_recorder *r = open_sampled("kv", path, 16);
    use_keys(r, false);
    plumb_record_close(r);
    plumb_history *h = plumb_history_read(path, NULL);
    plumb_result *result = plumb_check(h, NULL, NULL);
    assert_int_equal(plumb_result_verdict(result), PLUMB_LINEARIZABLE);
    assert_non_null(strstr(plumb_result_json(result), "\"sample\":\"1/16\""));
    plumb_result_free(result);
    plumb_history_free(h);
    unlink(path);
}

static void others_are_refused(void **unused) {
    (void)unused;
    static const char *const none[] = {"counter", "lock", "register", "queue(2)"};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        plumb_recorder *r = open_sampled(none[i], NULL, 4);
        assert_non_null(strstr(plumb_record_error(r), "cannot be sampled"));
        plumb_record_close(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(values_of_containers),
        cmocka_unit_test(calls_that_are_left_out_end),
        cmocka_unit_test(files_say_it),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
