/* Near-linear engines end when their time is over, also in the middle of a long history. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "generate/generate.h"
#include "support/random_history.h"

enum { LONG = 140000 }; /* operations: more than the steps between two looks at the clock */

static bound long_history(const char *object_name) {
    error e = {0};
    bound b = {.o = object_open(object_name, NULL, &e)};
    assert_non_null(b.o);
    generate_options options;
    generate_standard(b.o, &options);
    options.operations = LONG;
    options.keys = 1;
    b.h = generate(b.o, &options, &e);
    if (!b.h) fail_msg("%s: %s", object_name, e.what);
    return b;
}

static void assert_stops(const char *engine_name, const char *object_name) {
    bound b = long_history(object_name);
    decide_options options = {.engine = engine_find(engine_name)};
    decision d;
    budget spend;
    budget_init(&spend, 1e-9, 0);
    decide(b.h, b.o, &options, &spend, NULL, &d);
    if (d.verdict != VERDICT_UNDECIDED || d.stopped != STOP_TIME)
        fail_msg("%s on %s: %s, %s", engine_name, object_name, verdict_text(d.verdict), stop_reason_text(d.stopped));
    decision_free(&d);
    free_bound(&b);
}

static void they_stop(void **unused) {
    (void)unused;
    static const char *const trial[][2] = {
        {"queue-linear", "queue"},
        {"stack-linear", "stack"},
        {"pqueue-linear", "pqueue-max"},
        {"pqueue-linear", "pqueue-min"},
        {"set-linear", "set"},
        {"register-linear", "register"},
        {"swmr-linear", "swmr-register"},
        {"lock-linear", "lock"},
        {"fetch-add-linear", "fetch-add"},
        {"max-register-linear", "max-register"},
        {"consensus-linear", "consensus"},
        {"exchanger-linear", "exchanger"},
    };
    for (unsigned i = 0; i < sizeof trial / sizeof *trial; i++) assert_stops(trial[i][0], trial[i][1]);
}

TEST_MAIN(TEST(they_stop))
