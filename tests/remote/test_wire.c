/* Bytes from any process: what was written is read, what cannot be is refused, nothing is read past its end. */
#include "support/cmocka.h"

#include "base/random.h"
#include "remote/store.h"

#include <string.h>

static plumb_value nested(plumb_value *room, unsigned depth) {
    for (unsigned i = 0; i < depth; i++) room[i + 1] = plumb_tuple(&room[i], 1);
    return room[depth];
}

static void values_come_back(void **unused) {
    (void)unused;
    plumb_value pair[] = {plumb_int(INT64_MIN), plumb_bytes("x\0y", 3)};
    plumb_value all[] = {plumb_none(),      plumb_empty(),       plumb_full(),         plumb_bool(true),
                         plumb_bool(false), plumb_int(-7),       plumb_int(INT64_MAX), plumb_bytes("", 0),
                         pair[1],           plumb_tuple(pair, 2)};
    const char *printed[] = {"none", "empty", "full", "true", "false", "-7", "9223372036854775807"};
    values *t = values_new();
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        text out = {0}, shown = {0};
        assert_true(wire_add_value(&out, &all[i], 0));
        wire_reader r = {.p = (const unsigned char *)out.at, .left = out.size};
        value v = wire_value(&r, t, 0);
        assert_true(wire_is_done(&r));
        value_print(t, v, &shown);
        if (i < sizeof printed / sizeof *printed) assert_string_equal(text_str(&shown), printed[i]);
        for (size_t cut = 0; cut < out.size; cut++) {
            wire_reader part = {.p = (const unsigned char *)out.at, .left = cut};
            wire_value(&part, t, 0);
            assert_true(part.bad);
        }
        text_free(&out);
        text_free(&shown);
    }
    plumb_value room[WIRE_DEPTH + 2] = {plumb_int(1)}, deep = nested(room, WIRE_DEPTH + 1);
    text out = {0};
    assert_false(wire_add_value(&out, &deep, 0));
    text_free(&out);
    values_free(t);
}

static wire_reader reader_of(const text *t) {
    return (wire_reader){.p = (const unsigned char *)t->at, .left = t->size};
}

static void entries_come_back(void **unused) {
    (void)unused;
    values *t = values_new();
    wire_entry e;
    text out = {0};
    plumb_value arg[] = {plumb_int(5), plumb_bytes("abc", 3)};
    wire_hello(&out, "kv", "7");
    assert_true(wire_read_entry(reader_of(&out), t, &e));
    assert_string_equal(e.object, "kv");
    assert_string_equal(e.init, ":7");
    text_clear(&out);
    assert_true(wire_call(&out, 99, "put", arg, 2));
    for (size_t cut = 0; cut < out.size; cut++)
        assert_false(wire_read_entry((wire_reader){.p = (const unsigned char *)out.at, .left = cut}, t, &e));
    assert_true(wire_read_entry(reader_of(&out), t, &e));
    assert_int_equal(e.rank, 99);
    assert_string_equal(e.method, "put");
    assert_int_equal(e.nargs, 2);
    assert_int_equal(e.arg[0], PLUMB_WORD_INT(5));
    assert_int_equal(e.arg[1] & 7, WIRE_HANDLE);
    text_char(&out, 0);
    assert_false(wire_read_entry(reader_of(&out), t, &e)); /* nothing may be left */
    text_clear(&out);
    assert_true(wire_return(&out, 100, LOG_RETURNED, &arg[0]));
    assert_true(wire_read_entry(reader_of(&out), t, &e));
    assert_int_equal(e.res, PLUMB_WORD_INT(5));
    out.at[9] = 9; /* no such outcome */
    assert_false(wire_read_entry(reader_of(&out), t, &e));
    text_free(&out);
    values_free(t);
}

static void frames_too_large_are_bad(void **unused) {
    (void)unused;
    enum wire_kind kind;
    uint64_t ticket;
    wire_reader body;
    assert_int_equal(wire_frame("\xff\xff\xff\x7f", 4, &kind, &ticket, &body), 0);
    assert_true(body.bad);
    assert_int_equal(wire_frame("\x01\0\0\0\0", 5, &kind, &ticket, &body), 0); /* too small to be one */
    assert_true(body.bad);
    assert_int_equal(wire_frame("\x09\0\0", 3, &kind, &ticket, &body), 0);
    assert_false(body.bad);
}

/* ---- replicas ---- */

static void put(text *out, uint32_t client, uint64_t from, const char *const *entry, unsigned n) {
    size_t begun = wire_begin(out, WIRE_PUT, 1);
    wire_add(out, client, 4);
    wire_add(out, from, 8);
    wire_add(out, n, 4);
    for (unsigned i = 0; i < n; i++) {
        wire_add(out, strlen(entry[i]), 4);
        text_add(out, entry[i]);
    }
    wire_end(out, begun);
}

static enum wire_kind ask(replica_store *s, const text *question, uint64_t *length) {
    enum wire_kind kind = 0;
    uint64_t ticket;
    wire_reader body;
    text out = {0};
    assert_int_equal(wire_frame(question->at, question->size, &kind, &ticket, &body), question->size);
    if (!replica_store_answer(s, kind, ticket, body, &out)) {
        text_free(&out);
        return 0;
    }
    assert_int_equal(wire_frame(out.at, out.size, &kind, &ticket, &body), out.size);
    wire_bytes(&body, 13); /* incarnation, standing, client */
    *length = kind == WIRE_HAVE ? wire_number(&body, 8) : 0;
    text_free(&out);
    return kind;
}

/* A log grows at its end, has no gap, and nothing in it changes. */
static void logs_only_grow(void **unused) {
    (void)unused;
    static const char *const abc[] = {"a", "b", "c"}, *const x[] = {"x"};
    replica_store s;
    text q = {0};
    uint64_t length;
    replica_store_init(&s, 1, 64);
    put(&q, 3, 2, abc, 1);
    assert_int_equal(ask(&s, &q, &length), WIRE_HAVE);
    assert_int_equal(length, 0); /* before the first two there would be a gap */
    text_clear(&q);
    put(&q, 3, 0, abc, 2);
    assert_int_equal(ask(&s, &q, &length), WIRE_HAVE);
    assert_int_equal(length, 2);
    text_clear(&q);
    put(&q, 3, 1, abc + 1, 2);
    assert_int_equal(ask(&s, &q, &length), WIRE_HAVE);
    assert_int_equal(length, 3);
    text_clear(&q);
    put(&q, 3, 1, x, 1);
    assert_int_equal(ask(&s, &q, &length), WIRE_WRONG);
    text_clear(&q);
    char large[128];
    memset(large, 'l', 100);
    large[100] = 0;
    const char *const one[] = {large};
    put(&q, 4, 0, one, 1);
    assert_int_equal(ask(&s, &q, &length), WIRE_WRONG); /* full */
    text_free(&q);
    replica_store_free(&s);
}

/* Garbage, and frames that are almost right. */
static void garbage_is_survived(void **unused) {
    (void)unused;
    random_source r = {5};
    replica_store s;
    values *t = values_new();
    unsigned answered = 0;
    replica_store_init(&s, 1, 1 << 16);
    for (unsigned i = 0; i < 200000; i++) {
        unsigned char bytes[64];
        wire_entry e;
        text out = {0};
        size_t n = random_below(&r, sizeof bytes);
        /* mostly small */
        for (size_t k = 0; k < n; k++) bytes[k] = (unsigned char)(random_next(&r) >> (random_next(&r) & 7 ? 60 : 8));
        answered += replica_store_answer(&s, (enum wire_kind)random_below(&r, 9), i,
                                         (wire_reader){.p = bytes, .left = n}, &out);
        wire_read_entry((wire_reader){.p = bytes, .left = n}, t, &e);
        text_free(&out);
    }
    assert_true(answered > 1000);
    values_free(t);
    replica_store_free(&s);
}

TEST_MAIN(TEST(values_come_back), TEST(entries_come_back), TEST(frames_too_large_are_bad), TEST(logs_only_grow),
          TEST(garbage_is_survived))
