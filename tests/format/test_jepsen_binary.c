/* test.jepsen and test.fressian: histories, test maps and results from files of blocks that the test writes; files that
 * are cut, damaged or refer to what is not there are refused. */
#include "support/cmocka.h"

#include "base/random.h"
#include "format/jepsen_binary.h"
#include "support/fressian_write.h"
#include "support/read_text.h"

#include <zlib.h>

enum { BLOCK_INDEX = 1, BLOCK_VALUE, BLOCK_MAP, BLOCK_STREAM, BLOCK_VECTOR };

typedef struct file_writer {
    text file;
    unsigned head; /* bytes of a block's head: 28, or 14 as it is described */
    uint64_t place[16];
    unsigned blocks;
} file_writer;

static void set_big_endian(char *at, uint64_t u, unsigned bytes) {
    for (; bytes; bytes--) *at++ = (char)(u >> 8 * (bytes - 1));
}

static uint64_t write_block(file_writer *w, unsigned kind, const text *data) {
    uint64_t at = w->file.size;
    char head[28] = {0};
    set_big_endian(head, w->head + data->size, 8);
    set_big_endian(head + 12, kind, 2);
    uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)text_str(data), (uInt)data->size);
    set_big_endian(head + 8, crc32(sum, (const Bytef *)head, w->head), 4);
    text_bytes(&w->file, head, w->head);
    text_bytes(&w->file, text_str(data), data->size);
    return at;
}

static unsigned add_block(file_writer *w, unsigned kind, text *data) {
    w->place[++w->blocks] = write_block(w, kind, data);
    text_clear(data);
    return w->blocks;
}

static void begin_file(file_writer *w, unsigned head) {
    *w = (file_writer){.head = head};
    text_add(&w->file, "JEPSEN");
    put_big_endian(&w->file, 1, 4);
    put_big_endian(&w->file, 0, 8);
}

static void end_file(file_writer *w, unsigned root) {
    text index = {0};
    put_big_endian(&index, root, 4);
    for (unsigned i = 1; i <= w->blocks; i++) {
        put_big_endian(&index, i, 4);
        put_big_endian(&index, w->place[i], 8);
    }
    uint64_t at = write_block(w, BLOCK_INDEX, &index);
    set_big_endian(w->file.at + 10, at, 8);
    text_free(&index);
}

static void put_reference(text *t, unsigned block) {
    put_tag(t, "block-ref", 1);
    put_integer(t, block);
}

/* As a map, with its type and method put aside the first time. */
static void put_operation(text *t, const char *type, int process, const char *f, int v) {
    put_byte(t, 0xc0);
    put_byte(t, 0xed);
    put_keyword(t, "type");
    put_keyword(t, type);
    put_keyword(t, "process");
    if (process < 0) put_keyword(t, "nemesis");
    else put_integer(t, process);
    put_keyword(t, "f");
    put_keyword(t, f);
    put_keyword(t, "value");
    if (v) put_integer(t, v);
    else put_byte(t, 0xf7);
    put_byte(t, 0xfd);
}

static void put_first_half(text *t) {
    put_operation(t, "invoke", 0, "write", 3);
    put_operation(t, "invoke", 1, "read", 0);
}
static void put_second_half(text *t) {
    put_operation(t, "ok", 0, "write", 3);
    put_operation(t, "info", -1, "start", 0);
    put_operation(t, "ok", 1, "read", 3);
}

static const char wanted[] = "0 write(3) -> none [0,2]\n1 read() -> 3 [1,3]\n";

/* A test map that says its name, and the blocks of its results and its events. */
static void put_test_map(text *t, unsigned results, unsigned events) {
    put_byte(t, 0xc0);
    put_byte(t, 0xed);
    put_keyword(t, "name");
    put_string(t, "etcd");
    put_keyword(t, "history");
    if (events) put_reference(t, events);
    else {
        put_byte(t, 0xe4 + 5);
        put_first_half(t);
        put_second_half(t);
    }
    if (results) {
        put_keyword(t, "results");
        put_byte(t, 0xa0); /* the tag was said */
        put_integer(t, results);
    }
    put_byte(t, 0xfd);
}

/* Chunks of a vector, one a stream, one a list; results in two maps. */
static void whole_file(text *out, unsigned head) {
    file_writer w;
    text t = {0};
    begin_file(&w, head);
    put_first_half(&t);
    unsigned first = add_block(&w, BLOCK_STREAM, &t);
    put_byte(&t, 0xe4 + 3);
    put_second_half(&t);
    unsigned second = add_block(&w, BLOCK_VALUE, &t);
    put_big_endian(&t, 5, 8);
    put_big_endian(&t, 0, 8);
    put_big_endian(&t, first, 4);
    put_big_endian(&t, 2, 8);
    put_big_endian(&t, second, 4);
    unsigned events = add_block(&w, BLOCK_VECTOR, &t);
    put_big_endian(&t, 0, 4);
    text_bytes(&t, "\xc0\xe4", 2);
    unsigned rest = add_block(&w, BLOCK_MAP, &t);
    put_big_endian(&t, rest, 4);
    text_bytes(&t, "\xc0\xe6", 2);
    put_keyword(&t, "valid?");
    put_byte(&t, 0xf6);
    unsigned results = add_block(&w, BLOCK_MAP, &t);
    put_test_map(&t, results, events);
    end_file(&w, add_block(&w, BLOCK_VALUE, &t));
    text_free(&t);
    *out = w.file;
}

static void expect_history(const text *file) {
    error e = {0};
    text got = {0};
    history *h = read_bytes(NULL, file->at, file->size, false, &e);
    assert_string_equal(e.what, "");
    print_history(h, true, &got);
    assert_string_equal(text_str(&got), wanted);
    assert_int_equal(h->annotations, 1);
    text_free(&got);
    history_free(h);
}

static void expect_refused(const text *file, const char *what) {
    error e = {0};
    text whole = {0};
    assert_null(read_bytes("jepsen-store", file->at, file->size, false, &e));
    text_printf(&whole, "test: %s; expected a file that Jepsen wrote (test.jepsen, test.fressian)", what);
    assert_int_equal(e.code, 65);
    assert_string_equal(e.what, text_str(&whole));
    text_free(&whole);
}

static void files_of_blocks(void **unused) {
    (void)unused;
    for (unsigned head = 28; head; head = head == 28 ? 14 : 0) {
        text file;
        jepsen_binary test;
        whole_file(&file, head);
        expect_history(&file);
        assert_true(jepsen_binary_read(file.at, file.size, &test));
        assert_string_equal(text_str(&test.map), "{:name \"etcd\"\n}");
        assert_string_equal(text_str(&test.results), "{:valid? false}");
        jepsen_binary_free(&test);
        text_free(&file);
    }
}

static void a_map_alone(void **unused) {
    (void)unused;
    text file = {0};
    put_test_map(&file, 0, 0);
    expect_history(&file);
    text_free(&file);
}

static void no_events(void **unused) {
    (void)unused;
    file_writer w;
    text t = {0};
    begin_file(&w, 28);
    put_byte(&t, 0xf7);
    unsigned events = add_block(&w, BLOCK_VALUE, &t);
    put_test_map(&t, 0, events);
    end_file(&w, add_block(&w, BLOCK_VALUE, &t));
    error e = {0};
    history_free(read_bytes(NULL, w.file.at, w.file.size, false, &e));
    assert_string_equal(e.what, "");
    text_free(&t);
    text_free(&w.file);
}

/* Every byte of a block is under its checksum: no damage makes another history. A file that ends anywhere is refused.
 */
static void damage_is_seen(void **unused) {
    (void)unused;
    text file;
    random_source r = {5};
    size_t refusals = 0;
    whole_file(&file, 28);
    for (size_t at = 0; at < file.size; at++) {
        error e = {0};
        char bit = (char)(1 << random_below(&r, 8));
        file.at[at] ^= bit;
        history *h = read_bytes("jepsen-store", file.at, file.size, false, &e);
        if (h) { /* an older version, or in a block that is not needed */
            text got = {0};
            print_history(h, true, &got);
            assert_string_equal(text_str(&got), wanted);
            text_free(&got);
        }
        refusals += !h;
        history_free(h);
        file.at[at] ^= bit;
    }
    assert_true(refusals > file.size / 2);
    for (size_t n = 0; n < file.size; n++) {
        error e = {0};
        assert_null(read_bytes("jepsen-store", file.at, n, false, &e));
        assert_int_equal(e.code, 65);
    }
    text_free(&file);
}

static void refused(void **unused) {
    (void)unused;
    text t = {0};
    text_bytes(&t, "JEPSEN\0\0\0\1\0\0\0\0\0\0\0\0", 18);
    expect_refused(&t, "it has no index: Jepsen had saved nothing yet");
    t.at[9] = 2;
    expect_refused(&t, "a version of the format that is not known; 0 and 1 are");
    t.at[9] = 1;
    t.at[17] = 99;
    expect_refused(&t, "a block lies behind the end of the file");
    text_clear(&t);
    static const struct {
        unsigned history, results;
        const char *what;
    } wrong[] = {
        {9, 0, "the index does not have a block that is referred to"},
        {2, 0, "the history is in a block of another kind"},
        {3, 0, "vectors of blocks are nested too deeply"},
        {1, 3, "the results are in a block of another kind"},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        file_writer w;
        begin_file(&w, 28);
        text_char(&t, '\xe4');
        add_block(&w, BLOCK_VALUE, &t);
        text_bytes(&t, "\0\0\0\0\xc0\xe4", 6);
        add_block(&w, BLOCK_MAP, &t);
        put_big_endian(&t, 1, 8);
        put_big_endian(&t, 0, 8);
        put_big_endian(&t, 3, 4); /* itself */
        add_block(&w, BLOCK_VECTOR, &t);
        for (unsigned k = 0; k < 4000; k++) put_byte(&t, 0); /* room for eight rounds */
        add_block(&w, BLOCK_STREAM, &t);
        put_test_map(&t, wrong[i].results, wrong[i].history);
        end_file(&w, add_block(&w, BLOCK_VALUE, &t));
        expect_refused(&w.file, wrong[i].what);
        text_free(&w.file);
    }
    text_free(&t);
}

static void it_is_not_written(void **unused) {
    (void)unused;
    error e = {0};
    assert_false(format_write("x", format_find("jepsen-store"), NULL, NULL, &e));
    assert_int_equal(e.code, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_blocks), cmocka_unit_test(a_map_alone), cmocka_unit_test(no_events),
        cmocka_unit_test(damage_is_seen),  cmocka_unit_test(refused),     cmocka_unit_test(it_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
