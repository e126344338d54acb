/* Theories by name and by file, and what is wrong with those that cannot be had. */
#include "support/cmocka.h"

#include "theory/theory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void refuses(const char *what, int code, const char *expected) {
    error e = {0};
    assert_null(theory_open(what, &e));
    if (!strstr(e.what, expected)) fail_msg("'%s' does not say '%s'", e.what, expected);
    assert_int_equal(e.code, code);
}

static void names(void **unused) {
    (void)unused;
    assert_true(theory_named("a.thy"));
    assert_true(theory_named("dir/queue.thy"));
    assert_false(theory_named(".thy"));
    assert_false(theory_named("thy"));
    assert_false(theory_named("queue"));
    assert_false(theory_named("queue.thy.old"));
    refuses("nothing", EXIT_USAGE, "unknown theory 'nothing'");
    refuses("nothing(3)", EXIT_USAGE, "unknown theory 'nothing'");
    refuses("que", EXIT_USAGE, "unknown theory 'que'");
    refuses("queues", EXIT_USAGE, "unknown theory 'queues'");
    refuses("queue.th", EXIT_USAGE, "unknown theory 'queue.th'");
    refuses("a-name-that-is-longer-than-any-theory-and-longer-than-the-place-for-it-which-has-room-for-79", EXIT_USAGE,
            "unknown theory 'a-name-that-is-longer-than-any-theory-and-longer-than-the-place-for-it-which-ha';");
}

/* Every theory of every shipped file is found by its name. */
static void shipped(void **unused) {
    (void)unused;
    unsigned files = 0, found = 0;
    for (const theory_file *f; (f = theory_file_at(files)); files++) {
        for (const char *at = f->source; (at = strstr(at, "theory ")); at++) {
            char name[80];
            error e = {0};
            if (at != f->source && at[-1] != '\n') continue;
            assert_int_equal(sscanf(at, "theory %79[^ \n#]", name), 1);
            assert_ptr_equal(theory_source(name), f->source);
            theory *t = theory_open(name, &e);
            if (!t) fail_msg("%s", e.what);
            assert_string_equal(t->name, name);
            theory_free(t);
            found++;
        }
    }
    assert_true(files >= 5 && found > files);
    assert_null(theory_source("nothing"));
}

typedef struct own_file {
    char path[64];
} own_file;

static own_file file_of(const char *bytes, size_t n) {
    own_file f = {"/tmp/plumb-theory-XXXXXX.thy"};
    int fd = mkstemps(f.path, 4);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "wb");
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
    return f;
}

static void files(void **unused) {
    (void)unused;
    static const char good[] = "theory one\nmethod a()\ntheory two extends one\nmethod c()\n";
    error e = {0};
    own_file f = file_of(good, sizeof good - 1);
    theory *t = theory_open(f.path, &e);
    assert_non_null(t);
    assert_string_equal(t->name, "two");
    assert_string_equal(t->source, good);
    assert_int_equal(t->methods, 2);
    theory_free(t);
    unlink(f.path);
    refuses(f.path, EXIT_CANNOT_OPEN, "No such file or directory");
    refuses("/tmp/no such folder/a.thy", EXIT_CANNOT_OPEN, "cannot open /tmp/no such folder/a.thy: No such file");

    f = file_of("theory one\nmethod a()\n\0", 23);
    refuses(f.path, EXIT_BAD_INPUT, "a zero byte in it; expected text");
    unlink(f.path);
}

/* A megabyte is read, one byte more is not. */
static void size_is_limited(void **unused) {
    (void)unused;
    enum { MEGABYTE = 1 << 20 };
    error e = {0};
    char *big = malloc(MEGABYTE + 1);
    memset(big, ' ', MEGABYTE + 1);
    memcpy(big, "theory one\n", 11);
    own_file f = file_of(big, MEGABYTE);
    theory *t = theory_open(f.path, &e);
    assert_non_null(t);
    assert_string_equal(t->name, "one");
    theory_free(t);
    unlink(f.path);
    f = file_of(big, MEGABYTE + 1);
    refuses(f.path, EXIT_BAD_INPUT, "more than a megabyte; expected a theory");
    unlink(f.path);
    free(big);
}

TEST_MAIN(TEST(names), TEST(shipped), TEST(files), TEST(size_is_limited))
