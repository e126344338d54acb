/* A broken invariant of the inside: one line on stderr that says where and what, and the exit code of an internal
 * failure. */
#include "explore/inside/invariant.c"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

static void says_one_line_and_ends(void **state) {
    (void)state;
    int end[2], status;
    char said[512] = "";
    assert_int_equal(pipe(end), 0);
    pid_t child = fork();
    if (!child) {
        dup2(end[1], STDERR_FILENO);
        invariant_broken("live < 2", "scheduler.c", 1207);
    }
    close(end[1]);
    ssize_t n = read(end[0], said, sizeof said - 1);
    close(end[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 70);
    assert_true(n > 0);
    assert_string_equal(said, "plumb: internal failure: scheduler.c:1207: this does not hold: live < 2\n");
}

static void holds_and_goes_on(void **state) {
    (void)state;
    unsigned looked = 0;
    INVARIANT(++looked == 1);
#ifdef NDEBUG
    assert_int_equal(looked, 0); /* it costs nothing */
#else
    assert_int_equal(looked, 1);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_one_line_and_ends), cmocka_unit_test(holds_and_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
