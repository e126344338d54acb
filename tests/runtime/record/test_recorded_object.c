/* What a recorder knows of objects: as object_open says, of the built-in ones, plug-ins and serial runs. */
#include "support/cmocka.h"

#include "object/plugin.h"
#include "runtime/record/recorded_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool opens(const char *what, const char *init) {
    recorded_object o = {0};
    error e = {0};
    bool good = recorded_object_open(&o, what, init, &e);
    assert_int_equal(good, !e.code);
    recorded_object_close(&o);
    return good;
}

static bool object_opens(const char *what, const char *init) {
    error e = {0};
    object *o = object_open(what, init, &e);
    object_close(o);
    return o != NULL;
}

static void every_built_in_object(void **unused) {
    (void)unused;
    for (unsigned i = 0; object_type_at(i); i++) {
        const char *name = object_type_at(i)->name;
        assert_true(opens(name, NULL));
        assert_int_equal(opens(name, "7"), object_opens(name, "7"));
    }
}

/* Descriptions that are right, and wrong in each way there is: both say the same. */
static void parameters(void **unused) {
    (void)unused;
    static const char *const described[] = {"queue(capacity=8)",
                                            "queue(8)",
                                            "queue()",
                                            "queue(capacity=)",
                                            "queue(capacity=x)",
                                            "queue(capacity=8x)",
                                            "queue(capacity=-1)",
                                            "queue(room=8)",
                                            "queue(8",
                                            "queue 8)",
                                            "queue(1,2)",
                                            "queue(99999999999999999999)",
                                            "semaphore(3)",
                                            "semaphore(permits=3)",
                                            "atomic-queue",
                                            "Stack",
                                            "nonsense",
                                            "",
                                            "queue(capacity=8, capacity=9)",
                                            "set(3)",
                                            "set-agreement(k=2)",
                                            "set-agreement(2, 3)"};
    for (unsigned i = 0; i < sizeof described / sizeof *described; i++)
        if (opens(described[i], NULL) != object_opens(described[i], NULL))
            fail_msg("'%s': the recorder says %d", described[i], opens(described[i], NULL));
}

static void write_serial(char *path) {
    int fd = mkstemps(path, 7);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fputs("plumb serial 1\nkey 1 2\nprogram enq(1)\nmethods enq/1\nruns 1\ncalls 1\nenq 1 = n\nstates 2\n0>1\n\nend\n"
          "program deq\nmethods put/2 deq/0\nruns 1\ncalls 1\ndeq = e\nstates 2\n0>1\n\nend\n",
          f);
    fclose(f);
}

static int method_of(const char *what, const char *name) {
    recorded_object o = {0};
    error e = {0};
    int found = recorded_object_open(&o, what, NULL, &e) ? object_type_method(o.type, name) : -2;
    recorded_object_close(&o);
    return found;
}

static void serial_runs(void **unused) {
    (void)unused;
    char path[] = "/tmp/plumb_runs_XXXXXX.serial", of_second[64], of_none[64];
    write_serial(path);
    snprintf(of_second, sizeof of_second, "%s:deq", path);
    snprintf(of_none, sizeof of_none, "%s:pop", path);
    assert_int_equal(method_of(path, "enq"), 0);
    assert_int_equal(method_of(path, "deq"), -1);
    assert_int_equal(method_of(of_second, "deq"), 1);
    assert_int_equal(method_of(of_second, "put"), 0);
    assert_false(opens(of_none, NULL));
    assert_false(opens(path, "7"));
    unlink(path);
    assert_false(opens(path, NULL));
}

static void what_is_no_plugin(void **unused) {
    (void)unused;
    assert_false(opens("./there_is_none.so", NULL));
    assert_false(opens("/bin/sh", NULL));
    assert_false(opens("there_is_none.so", "7"));
}

TEST_MAIN(TEST(every_built_in_object), TEST(parameters), TEST(serial_runs), TEST(what_is_no_plugin))
