/* Processes that a keeper starts end with it: when it is told to, and when the process that started it is killed. Each
 * holds the writing end of a pipe, of which the end is seen when the last of them is gone. */
#include "support/cmocka.h"

#include "drive/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const sleeps[] = {"/bin/sh", "-c", "sleep 1000 & (setsid sleep 1000 &) ; sleep 1000", NULL};

static keeper *begin(const char *folder) {
    error e = {0};
    keeper *k = keeper_start(folder, &e);
    if (!k) fail_msg("%s", e.what);
    return k;
}

/* Runs the command with a pipe as its output; the end to read from. */
static int run_with_pipe(keeper *k, unsigned slot, const char *const *argv) {
    int p[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    text why = {0};
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    keeper_job job = {.slot = slot, .argv = argv, .input = null, .output = p[1]};
    if (!keeper_run(k, &job, &why)) fail_msg("%s", text_str(&why));
    close(p[1]);
    close(null);
    text_free(&why);
    return p[0];
}

/* Until all that hold its other end are gone; what they wrote is passed over. */
static bool all_gone(int pipe_end) {
    char byte[64];
    struct pollfd p = {.fd = pipe_end, .events = POLLIN};
    while (poll(&p, 1, 30000) == 1)
        if (read(pipe_end, byte, sizeof byte) <= 0) return true;
    return false;
}

static bool still_there(int pipe_end) {
    struct pollfd p = {.fd = pipe_end, .events = POLLIN};
    return poll(&p, 1, 0) == 0;
}

static void what_runs_is_killed_with_its_descendants(void **unused) {
    (void)unused;
    keeper *k = begin(NULL);
    int one = run_with_pipe(k, 0, sleeps);
    assert_true(keeper_lives(k, 0, NULL));
    assert_true(still_there(one));
    assert_true(keeper_signal(k, 0, SIGKILL, NULL));
    assert_false(keeper_lives(k, 0, NULL));
    assert_true(keeper_signal(k, 0, SIGKILL, NULL)); /* there is nothing to do */
    assert_false(keeper_signal(k, 0, SIGSTOP, NULL));
    keeper_end(k, false);
    assert_true(all_gone(one));
    close(one);
}

static void an_end_is_described_and_followed_by_a_new_beginning(void **unused) {
    (void)unused;
    keeper *k = begin(NULL);
    text why = {0};
    static const char *const three[] = {"/bin/sh", "-c", "exit 3", NULL};
    keeper_job job = {.slot = 2, .argv = three, .log = "/dev/null"};
    assert_true(keeper_run(k, &job, &why));
    for (unsigned i = 0; i < 10000 && keeper_lives(k, 2, NULL); i++) usleep(1000);
    assert_false(keeper_lives(k, 2, &why));
    assert_string_equal(text_str(&why), "it ended with exit code 3");
    text_clear(&why);
    assert_true(keeper_again(k, 2, &why));
    assert_false(keeper_again(k, 3, &why));
    assert_string_equal(text_str(&why), "it was never started");
    text_free(&why);
    keeper_end(k, false);
}

static void commands_that_cannot_run_are_told(void **unused) {
    (void)unused;
    keeper *k = begin(NULL);
    text why = {0};
    static const char *const nothing[] = {"/nonexistent/server", NULL}, *const fails[] = {"false", NULL},
                             *const works[] = {"true", NULL};
    assert_false(keeper_run(k, &(keeper_job){.argv = nothing, .log = "/dev/null"}, &why));
    assert_string_equal(text_str(&why), "cannot run /nonexistent/server: No such file or directory");
    text_clear(&why);
    assert_false(keeper_execute(k, &(keeper_job){.argv = fails, .log = "/dev/null"}, &why));
    assert_string_equal(text_str(&why), "it ended with exit code 1");
    assert_true(keeper_execute(k, &(keeper_job){.argv = works, .log = "/dev/null"}, &why));
    text_free(&why);
    keeper_end(k, false);
}

/* A process starts a keeper, which starts others; it is killed. The pipe is ours: it ends when they are gone. */
static void nothing_is_left_when_the_owner_is_killed(void **unused) {
    (void)unused;
    char folder[] = "/tmp/plumb-keeper-XXXXXX", file[100], byte;
    int p[2], ready[2];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t owner = fork();
    if (owner == 0) {
        keeper *k = begin(folder);
        keeper_job job = {.slot = 1, .argv = sleeps, .input = open("/dev/null", O_RDONLY), .output = p[1]};
        bool good = keeper_run(k, &job, NULL) && creat(file, 0600) >= 0 && write(ready[1], "", 1) == 1;
        close(p[1]);
        for (;;) good ? (void)pause() : _exit(1);
    }
    close(p[1]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(still_there(p[0]));
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    assert_true(all_gone(p[0]));
    for (unsigned i = 0; i < 10000 && access(folder, F_OK) == 0; i++) usleep(1000);
    assert_int_not_equal(access(folder, F_OK), 0);
    close(p[0]);
    close(ready[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_is_killed_with_its_descendants),
        cmocka_unit_test(an_end_is_described_and_followed_by_a_new_beginning),
        cmocka_unit_test(commands_that_cannot_run_are_told),
        cmocka_unit_test(nothing_is_left_when_the_owner_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
