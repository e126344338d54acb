#include "support/cmocka.h"

#include "base/user_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first and the last of the vectors in the paper: key 00 01 .. 0f, input 00 01 .. */
static void seals_are_siphash(void **unused) {
    (void)unused;
    unsigned char key[16], input[63];
    seal_key k;
    for (unsigned char i = 0; i < 16; i++) key[i] = i;
    for (unsigned char i = 0; i < 63; i++) input[i] = i;
    memcpy(&k, key, sizeof k);
    assert_true(seal_of(&k, input, 0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(seal_of(&k, input, 15) == UINT64_C(0xa129ca6149be45e5));
    assert_true(seal_of(&k, input, 63) == UINT64_C(0x958a324ceb064572));
}

static void a_key_is_made_once(void **unused) {
    (void)unused;
    char folder[] = "/tmp/plumb-state-XXXXXX", path[100];
    seal_key first, again;
    struct stat s;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    assert_true(user_seal_key(&first));
    assert_true(user_seal_key(&again));
    assert_memory_equal(&first, &again, sizeof first);
    snprintf(path, sizeof path, "%s/plumb/key", folder);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600); /* only this user reads it */
    assert_int_equal(unlink(path), 0);
    assert_true(user_seal_key(&again));
    assert_memory_not_equal(&first, &again, sizeof first);
    unlink(path);
    snprintf(path, sizeof path, "%s/plumb", folder);
    assert_int_equal(rmdir(path), 0); /* nothing else was left */
    rmdir(folder);
    setenv("XDG_STATE_HOME", "/dev/null/none", 1);
    assert_false(user_seal_key(&again));
}

TEST_MAIN(TEST(seals_are_siphash), TEST(a_key_is_made_once))
