#include "base/whole_file.h"

#include "support/cmocka.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[4096], path[4200];

static int set_up(void **unused) {
    (void)unused;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/plumb-whole-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/out", folder);
    return 0;
}

static unsigned files(bool clear) { /* in the folder */
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *x; (x = readdir(d));) {
        if (!strcmp(x->d_name, ".") || !strcmp(x->d_name, "..")) continue;
        n++;
        char name[4600];
        snprintf(name, sizeof name, "%s/%s", folder, x->d_name);
        if (clear) unlink(name);
    }
    closedir(d);
    return n;
}

static int tear_down(void **unused) {
    (void)unused;
    files(true);
    return rmdir(folder);
}

static void content_is(const char *expected) {
    char got[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = 0;
    fclose(f);
    assert_string_equal(got, expected);
}

/* Until the commit the old file is there, after it the new one, and nothing else ever stays in the folder. */
static void replaced_at_once(void **unused) {
    (void)unused;
    error e = {0};
    whole_file f;
    assert_true(whole_file_write(path, "old", 3, &e));
    assert_int_equal(chmod(path, 0640), 0);
    assert_true(whole_file_open(&f, path, &e));
    assert_true(write_all_bytes(f.fd, "new", 3));
    content_is("old");
    assert_true(whole_file_commit(&f, &e));
    content_is("new");
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 07777, 0640);
    assert_int_equal(files(false), 1);
    assert_true(whole_file_open(&f, path, &e));
    assert_true(write_all_bytes(f.fd, "half", 4));
    whole_file_abandon(&f);
    content_is("new");
    assert_int_equal(files(false), 1);
    assert_int_equal(e.code, 0);
}

/* A process that is killed between any two writes leaves the old file or the whole new one. */
static void killed(void **unused) {
    (void)unused;
    error e = {0};
    assert_true(whole_file_write(path, "old", 3, &e));
    for (int stop = 0; stop < 3; stop++) {
        pid_t child = fork();
        if (child == 0) {
            whole_file f;
            whole_file_open(&f, path, &e);
            for (int i = 0; i < stop; i++) write_all_bytes(f.fd, "x", 1);
            raise(SIGKILL);
        }
        waitpid(child, NULL, 0);
        content_is("old");
    }
}

/* What cannot be written is an error, and the old file stays. */
static void no_room(void **unused) {
    (void)unused;
    error e = {0};
    assert_true(whole_file_write(path, "old", 3, &e));
    struct rlimit was, small = {.rlim_cur = 16, .rlim_max = RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &was);
    small.rlim_max = was.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool written = whole_file_write(path, "more than sixteen bytes", 23, &e);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_false(written);
    assert_int_equal(e.code, EXIT_CANNOT_OPEN);
    assert_non_null(strstr(e.what, "cannot write"));
    content_is("old");
    assert_int_equal(files(false), 1);
}

static void full_device_and_no_folder(void **unused) {
    (void)unused;
    error e = {0}, other = {0};
    assert_false(whole_file_write("/dev/full", "x", 1, &e));
    assert_int_equal(e.code, EXIT_CANNOT_OPEN);
    snprintf(path, sizeof path, "%s/no/out", folder);
    assert_false(whole_file_write(path, "x", 1, &other));
    assert_non_null(strstr(other.what, "cannot create"));
}

/* What a symbolic link points to is replaced, not the link. */
static void through_a_link(void **unused) {
    (void)unused;
    error e = {0};
    char link[4200];
    snprintf(link, sizeof link, "%s/link", folder);
    assert_true(whole_file_write(path, "old", 3, &e));
    assert_int_equal(symlink(path, link), 0);
    assert_true(whole_file_write(link, "new", 3, &e));
    content_is("new");
    struct stat s;
    assert_int_equal(lstat(link, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(unlink(path), 0); /* what it points to need not be there, */
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("out", link), 0); /* and is looked for beside the link */
    assert_true(whole_file_write(link, "again", 5, &e));
    content_is("again");
    assert_int_equal(lstat(link, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("link", link), 0);
    assert_false(whole_file_write(link, "never", 5, &e));
    assert_non_null(strstr(e.what, "cannot create"));
    assert_int_equal(unlink(link), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(replaced_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_device_and_no_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(through_a_link, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
