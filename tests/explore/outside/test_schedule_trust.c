/* Flags that cannot run anything, and schedules that were written here. */
#include "explore/outside/schedule_trust.h"

#include "base/scratch.h"
#include "support/cmocka.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool harmless(const char *flag) {
    bool takes_next;
    return flag_is_harmless(flag, &takes_next);
}

static void knows_harmless_flags(void **unused) {
    (void)unused;
    static const char *const yes[] = {"-DX",     "-DX=1",  "-UX",      "-O2",      "-std=c11", "-g3",
                                      "-Wall",   "-w",     "-fno-pie", "-pthread", "-mcx16",   "-march=native",
                                      "-Ibelow", "-I.",    "-I./a/b",  "-D",       "-I",       "--foreign=warn",
                                      "-Wextra", "-fwrapv"};
    static const char *const no[] = {
        "-wrapper",    "-B.",    "-fplugin=x", "-fplugin-arg-x", "-specs=x", "@file",
        "-Xlinker",    "-Wl,-x", "-Wa,-x",     "-Wp,-x",         "-o",       "x.o",
        "-I/usr",      "-I..",   "-I../x",     "-Ia/../..",      "-include", "-T",
        "-lx",         "-L.",    "-fuse-ld=x", "-fdump-all",     "-isystem", "-fprofile-use=/x",
        "--sysroot=/", "-x",     "-MD",        "-save-temps",    "-imacros", ""};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!harmless(yes[i])) fail_msg("%s is refused", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (harmless(no[i])) fail_msg("%s is let through", no[i]);
}

static void knows_its_own(void **unused) {
    (void)unused;
    text folder = {0};
    error e = {0};
    char sources[] = "a.c", choices[] = "0*3 1", object[] = "queue";
    saved_schedule s = {.sources = sources, .choices = choices};
    assert_true(scratch_directory("plumb-trust", &folder, &e));
    setenv("XDG_STATE_HOME", folder.at, 1);
    assert_false(schedule_is_own(&s));
    assert_true(schedule_remember(&s));
    assert_true(schedule_is_own(&s));
    assert_true(schedule_may_run(&s, "a.schedule", &e));
    s.object = object;
    assert_false(schedule_is_own(&s));
    assert_false(schedule_may_run(&s, "a.schedule", &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    assert_non_null(strstr(e.what, "compile and run a.c"));
    setenv("XDG_STATE_HOME", "/dev/null", 1);
    assert_false(schedule_remember(&s));
    text remove = {0};
    text_printf(&remove, "rm -r '%s'", folder.at);
    assert_int_equal(system(remove.at), 0);
    text_free(&remove);
    text_free(&folder);
}

TEST_MAIN(TEST(knows_harmless_flags), TEST(knows_its_own))
