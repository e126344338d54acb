/* One engine against the oracle on random histories: the verdict, the witness replayed, the pattern and the cut decided
 * again. */
#ifndef PLUMB_TESTS_ENGINE_TRIAL_H
#define PLUMB_TESTS_ENGINE_TRIAL_H

#include "engine/engine.h"
#include "support/random_history.h"

typedef struct differential {
    const char *engine, *object;
    const int64_t *setting; /* of the engine; NULL: the standard ones */
    uint64_t seed;
    uint32_t histories;     /* without soak */
    uint32_t decided;       /* per cent of the parts that the engine must have accepted, at least */
    bool cut_violates;      /* every violation comes with a cut, and the history cut there is a violation */
    bool cut_is_early;      /* every violation comes with a cut, and the history cut just before is none */
    bool has_pattern;       /* every violation must come with a pattern */
    bool never_a_violation; /* it finds linearizations alone */
    random_shape (*shape)(random_source *r);     /* NULL: at most 9 operations of 4 clients */
    bool (*prepare)(random_source *r, bound *b); /* NULL, or changes the history; false: not to be used */
} differential;

/* How many histories to try: `standard`, a tenth under sanitizers, two million with PLUMB_SOAK=1, N with
 * PLUMB_SOAK=N. */
uint32_t trial_histories(uint32_t standard);
/* Fails the test on the first difference, after printing the history. PLUMB_OBJECT=O leaves out all objects but O. */
void differential_run(const differential *d);

/* A test of this name that does nothing else; `...`: the fields of the differential. */
#define AGAINST_THE_ORACLE(name, ...) \
    static void name(void **unused) { \
        (void)unused; \
        differential_run(&(differential){__VA_ARGS__}); \
    }

random_shape shape_small(random_source *r);    /* at most 9 operations */
random_shape shape_distinct(random_source *r); /* the same, all values different */

bool strip_results(random_source *r, bound *b); /* of methods that may be used without their result */

/* The history, part by part; the first part that is not linearizable decides. Everything the outcome has is checked for
 * consistency with the history; the engine must accept. */
verdict decide_all(const engine *g, const bound *b);
/* The history as one part, with these settings. */
verdict decide_whole(const bound *b, const char *engine_name, const int64_t *setting);
verdict decide_text(const char *engine_name, const char *object_name, const char *operations);
/* The history as one part with so many bytes of memory, which must be too few. None of them is left when it has
 * given up. */
void runs_out_of_memory(const bound *b, const char *engine_name, size_t bytes);
void open_enqueues_run_out_of_memory(const char *engine_name, size_t bytes); /* 40 at once */
bool accepts_text(const char *engine_name, const char *object_name, const char *operations);

#endif
