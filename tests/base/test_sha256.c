/* Against the examples of the standard. */
#include "base/sha256.h"
#include "support/cmocka.h"

#include <string.h>

static void names_are_those_of_the_standard(void **state) {
    char name[SHA256_HEX], many[1000];
    (void)state;
    sha256_name("abc", 3, name);
    assert_string_equal(name, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_name("", 0, name);
    assert_string_equal(name, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    sha256_name(two, strlen(two), name);
    assert_string_equal(name, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(many, 'a', sizeof many);
    sha256 h;
    unsigned char sum[SHA256_SIZE];
    sha256_begin(&h);
    for (unsigned i = 0; i < 1000; i++) sha256_add(&h, many, sizeof many);
    sha256_end(&h, sum);
    assert_int_equal(sum[0], 0xcd);
    assert_int_equal(sum[31], 0xd0);
}

/* Cut in two anywhere, it is the same. */
static void pieces_do_not_matter(void **state) {
    unsigned char whole[SHA256_SIZE], cut[SHA256_SIZE];
    char bytes[200];
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 7);
    for (unsigned at = 0; at <= sizeof bytes; at++) {
        sha256 h;
        sha256_begin(&h);
        sha256_add(&h, bytes, sizeof bytes);
        sha256_end(&h, whole);
        sha256_begin(&h);
        sha256_add(&h, bytes, at);
        sha256_add(&h, bytes + at, sizeof bytes - at);
        sha256_end(&h, cut);
        assert_memory_equal(whole, cut, SHA256_SIZE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_those_of_the_standard),
                                       cmocka_unit_test(pieces_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
