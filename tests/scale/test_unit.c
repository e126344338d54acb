/* Units and results as bytes: what was packed comes back, and bytes that were cut off anywhere are refused. */
#include "scale/unit.h"
#include "scale/worker.h"
#include "support/cmocka.h"

#include <string.h>

static unit example(void) {
    unit u = {.kind = "explore", .run = "explore-1", .id = "42", .label = "enq(1) | deq", .blobs = 2, .seconds = 1.5};
    memset(u.blob[0], 'a', SHA256_HEX - 1);
    memset(u.blob[1], 'b', SHA256_HEX - 1);
    return u;
}

static void units_come_back(void **unused) {
    const unit u = example();
    text out = {0};
    unit back;
    (void)unused;
    unit_pack(&u, "body\0more", 9, &out);
    assert_true(unit_unpack(out.at, out.size, &back));
    assert_string_equal(back.kind, u.kind);
    assert_string_equal(back.run, u.run);
    assert_string_equal(back.id, u.id);
    assert_string_equal(back.label, u.label);
    assert_int_equal(back.blobs, 2);
    assert_string_equal(back.blob[1], u.blob[1]);
    assert_true(back.seconds == 1.5);
    assert_int_equal(back.body.left, 9);
    assert_memory_equal(back.body.p, "body\0more", 9);
    for (size_t cut = 0; cut < out.size; cut++) assert_false(unit_unpack(out.at, cut, &back));
    text_char(&out, 'x');
    assert_false(unit_unpack(out.at, out.size, &back));
    text_free(&out);
}

static void results_come_back(void **unused) {
    const unit_result r = {.id = "7", .worker = "host-1", .state = RESULT_SET_ASIDE, .seconds = 0.25};
    text out = {0};
    unit_result back;
    (void)unused;
    result_pack(&r, "why", 3, &out);
    assert_true(result_unpack(out.at, out.size, &back));
    assert_string_equal(back.id, "7");
    assert_string_equal(back.worker, "host-1");
    assert_int_equal(back.state, RESULT_SET_ASIDE);
    assert_memory_equal(back.body.p, "why", 3);
    for (size_t cut = 0; cut < out.size; cut++) assert_false(result_unpack(out.at, cut, &back));
    text_free(&out);
}

/* Of a name that is too long, more contents than there may be, a size beyond the end: nothing is written past a field. */
static void nonsense_is_refused(void **unused) {
    text out = {0};
    unit back;
    (void)unused;
    wire_add(&out, 1, 1);
    wire_add(&out, UINT64_MAX, 8);
    assert_false(unit_unpack(out.at, out.size, &back));
    text_clear(&out);
    wire_add(&out, 1, 1);
    pack_bytes(&out, "a kind that is longer than the field", 36);
    assert_false(unit_unpack(out.at, out.size, &back));
    text_clear(&out);
    unit many = example();
    many.blobs = UNIT_BLOBS;
    unit_pack(&many, "", 0, &out);
    assert_true(unit_unpack(out.at, out.size, &back));
    for (size_t i = 0; i < out.size; i++) { /* whatever byte is another: no crash */
        const char was = out.at[i];
        out.at[i] = (char)~was;
        unit_unpack(out.at, out.size, &back);
        out.at[i] = was;
    }
    text_free(&out);
}

static void refusals_have_their_exit_code(void **unused) {
    unit_result r = {.worker = "w", .body = {.p = (const unsigned char *)"65 no such thing", .left = 16}};
    error e = {0};
    (void)unused;
    assert_false(result_refusal(&r, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    assert_string_equal(e.what, "worker w: no such thing");
    r.body = (wire_reader){.p = (const unsigned char *)"0 fine", .left = 6}; /* no refusal is a success */
    e = (error){0};
    result_refusal(&r, &e);
    assert_int_equal(e.code, EXIT_INTERNAL);
}

static void notes_come_back(void **unused) {
    const worker_note n = {.name = "host-9", .slots = 2, .busy = 1, .done = 5, .died = 3, .up = 8, .worked = 4};
    worker_note back;
    text out = {0};
    (void)unused;
    worker_note_pack(&n, &out);
    assert_true(worker_note_unpack(out.at, out.size, &back));
    assert_string_equal(back.name, "host-9");
    assert_true(back.slots == 2 && back.busy == 1 && back.done == 5 && back.died == 3);
    assert_true(back.up == 8 && back.worked == 4);
    for (size_t cut = 0; cut < out.size; cut++) assert_false(worker_note_unpack(out.at, cut, &back));
    text_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_come_back), cmocka_unit_test(results_come_back), cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(refusals_have_their_exit_code), cmocka_unit_test(notes_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
