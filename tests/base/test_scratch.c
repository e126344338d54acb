#include "base/scratch.h"

#include "support/cmocka.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_kind(const char *path, mode_t kind) {
    struct stat s;
    return lstat(path, &s) == 0 && (s.st_mode & S_IFMT) == kind && !(s.st_mode & 077);
}

static void check_below_tmpdir(void **unused) {
    (void)unused;
    text outer = {0}, directory = {0}, file = {0};
    error e = {0};
    assert_true(scratch_directory("plumb-test", &outer, &e));
    assert_true(is_kind(outer.at, S_IFDIR));
    setenv("TMPDIR", outer.at, 1);
    assert_true(scratch_directory("inner", &directory, &e));
    assert_true(scratch_file("witness", &file, &e));
    assert_int_equal(strncmp(directory.at, outer.at, outer.size), 0);
    assert_int_equal(strncmp(directory.at + outer.size, "/inner-", 7), 0);
    assert_int_equal(strncmp(file.at + outer.size, "/witness-", 9), 0);
    assert_true(is_kind(directory.at, S_IFDIR));
    assert_true(is_kind(file.at, S_IFREG));
    unlink(file.at);
    rmdir(directory.at);
    rmdir(outer.at);
    text_free(&directory);
    text_free(&file);
    text_free(&outer);
}

static void check_place_that_is_not_there(void **unused) {
    (void)unused;
    text path = {0};
    error e = {0}, f = {0};
    setenv("TMPDIR", "/nowhere/at all", 1);
    assert_false(scratch_directory("plumb", &path, &e));
    assert_int_equal(e.code, EXIT_CANNOT_OPEN);
    assert_non_null(strstr(e.what, "/nowhere/at all/plumb-"));
    assert_false(scratch_file("plumb", &path, &f));
    assert_int_equal(f.code, EXIT_CANNOT_OPEN);
    assert_int_equal(path.size, 0);
}

TEST_MAIN(TEST(check_below_tmpdir), TEST(check_place_that_is_not_there))
