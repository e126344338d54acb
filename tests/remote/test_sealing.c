/* Seals of frames: HMAC-SHA-256 as another program computes it; a frame that was changed, or said by the other side, or
 * with another key, is not taken. */
#include "remote/sealing.h"
#include "support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void open_key(sealing *s, const char *key) {
    char path[] = "/tmp/plumb-sealing-XXXXXX";
    error e = {0};
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, key, strlen(key)), (ssize_t)strlen(key));
    close(fd);
    assert_true(sealing_open(s, path, &e));
    unlink(path);
}

static text sealed_frame(const sealing *s) {
    text t = {0};
    const size_t begun = wire_begin(&t, WIRE_ASK, 7);
    text_add(&t, "body");
    wire_end(&t, begun);
    sealing_seal(s, SEAL_CLIENT, &t, begun);
    return t;
}

static bool is_taken(const sealing *s, enum seal_side who, const text *t) {
    enum wire_kind kind;
    uint64_t ticket;
    wire_reader body;
    const size_t n = wire_frame(t->at, t->size, &kind, &ticket, &body);
    if (!n || !sealing_check(s, who, t->at, n, &body)) return false;
    assert_int_equal(body.left, 4);
    assert_memory_equal(body.p, "body", 4);
    return true;
}

/* python3: hmac.new(b"0123456789abcdef-key", b"c" + bytes([1]) + struct.pack("<Q", 7) + b"body", "sha256") */
static void as_others_compute_it(void **unused) {
    static const unsigned char expected[SHA256_SIZE] = {
        0xbc, 0x58, 0x33, 0x8a, 0xea, 0x46, 0x46, 0x15, 0x15, 0x8e, 0x6e, 0x64, 0x92, 0x83, 0x7a, 0xb7,
        0xca, 0xa8, 0x41, 0xd6, 0xb5, 0xb2, 0xeb, 0xf4, 0x91, 0x78, 0xac, 0xdf, 0xfb, 0x4c, 0xb3, 0x9c};
    sealing s;
    (void)unused;
    open_key(&s, "0123456789abcdef-key\n");
    text t = sealed_frame(&s);
    assert_int_equal(t.size, WIRE_HEAD + 4 + SHA256_SIZE);
    assert_memory_equal(t.at + t.size - SHA256_SIZE, expected, SHA256_SIZE);
    assert_true(is_taken(&s, SEAL_CLIENT, &t));
    text_free(&t);
}

static void changed_frames_are_not_taken(void **unused) {
    sealing s, other, none;
    error e = {0};
    (void)unused;
    open_key(&s, "0123456789abcdef-key");
    open_key(&other, "0123456789abcdef-kez");
    assert_true(sealing_open(&none, NULL, &e));
    text t = sealed_frame(&s), bare = sealed_frame(&none);
    assert_false(is_taken(&s, SEAL_REPLICA, &t));
    assert_false(is_taken(&other, SEAL_CLIENT, &t));
    assert_false(is_taken(&s, SEAL_CLIENT, &bare));
    assert_true(is_taken(&none, SEAL_CLIENT, &bare));
    for (size_t i = 4; i < t.size; i++) {
        t.at[i] ^= 1;
        assert_false(is_taken(&s, SEAL_CLIENT, &t));
        t.at[i] ^= 1;
    }
    assert_true(is_taken(&s, SEAL_CLIENT, &t));
    text_free(&t);
    text_free(&bare);
}

static void keys(void **unused) {
    sealing s;
    error e = {0}, short_one = {0};
    char path[] = "/tmp/plumb-sealing-XXXXXX";
    (void)unused;
    assert_false(sealing_open(&s, "/nowhere/key", &e));
    assert_int_equal(e.code, EXIT_CANNOT_OPEN);
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, "too short\n", 10), 10);
    close(fd);
    assert_false(sealing_open(&s, path, &short_one));
    assert_int_equal(short_one.code, EXIT_BAD_INPUT);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_others_compute_it),
                                       cmocka_unit_test(changed_frames_are_not_taken), cmocka_unit_test(keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
