/* Longer histories than the oracle can look at: the near-linear engines against the frontier engine, part by part, on
 * generated histories that are right or have one violation planted. Witnesses and patterns are checked on the way. */
#include "support/cmocka.h"

#include "support/engine_trial.h"
#include "support/planted.h"

static const planted_shape shape = {.operations = 400, .complete = 0.5, .pending = 0.01, .planted = 0.7};

static bool accepts_all(const engine *g, const bound *b) {
    partition *parts = object_partition(b->o, b->h);
    budget spend;
    bool yes = true;
    budget_init(&spend, 0, 0);
    for (uint32_t k = 0; k < parts->count && yes; k++) {
        problem p = {.h = b->h, .o = b->o, .budget = &spend};
        text why = {0};
        p.op = partition_ops(parts, k, &p.n);
        yes = engine_accepts(g, &p, &why);
        text_free(&why);
    }
    partition_free(parts);
    return yes;
}

static history *without_failed_tries(const history *h) {
    uint32_t *op = MEM_ARRAY(uint32_t, h->n), n = 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->res[i] != VALUE_FALSE) op[n++] = i;
    history *kept = history_select(h, op, n, RANK_NEVER);
    free(op);
    return kept;
}

static verdict compare(const engine *linear, const engine *frontier, const bound *b) {
    verdict v = decide_all(linear, b);
    if (v != VERDICT_UNDECIDED) assert_int_equal(v, decide_all(frontier, b));
    return v;
}

static void agree(const char *engine_name, const char *object_name, unsigned histories) {
    random_source r = {histories};
    unsigned count[3] = {0};
    const engine *linear = engine_find(engine_name), *frontier = engine_find("frontier");
    for (unsigned i = 0; i < histories; i++) {
        bound b;
        if (!random_planted_history(&r, object_name, &shape, &b)) continue;
        history *kept = accepts_all(linear, &b) ? NULL : without_failed_tries(b.h);
        bound used = {b.o, kept ? kept : b.h};
        if (accepts_all(linear, &used)) count[compare(linear, frontier, &used)]++;
        if (kept) history_free(kept);
        free_bound(&b);
    }
    print_message("%s on %s: %u linearizable, %u violations, %u not decided\n", engine_name, object_name, count[0],
                  count[1], count[2]);
    assert_true(count[VERDICT_LINEARIZABLE] && count[VERDICT_VIOLATION]);
}

static void on_generated_histories(void **unused) {
    (void)unused;
    static const char *const pair[][2] = {
        {"register-linear", "register"},
        {"swmr-linear", "swmr-register"},
        {"max-register-linear", "max-register"},
        {"set-linear", "set"},
        {"fetch-add-linear", "fetch-add"},
        {"lock-linear", "lock"},
        {"rwlock-linear", "rwlock"},
        {"semaphore-linear", "semaphore(2)"},
        {"semaphore-linear", "semaphore(2,1)"},
        {"consensus-linear", "consensus"},
        {"exchanger-linear", "exchanger"},
    };
    for (unsigned i = 0; i < sizeof pair / sizeof *pair; i++)
        agree(pair[i][0], pair[i][1], getenv("PLUMB_SOAK") ? 20000 : 600);
}

TEST_MAIN(TEST(on_generated_histories))
