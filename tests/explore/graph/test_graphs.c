/* The strategy `graphs` against the enumerator: the same outcomes, each graph once, none missed. */
#include "support/cmocka.h"
#include "support/weak_program.h"
#include "support/weak_random.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const memory_model models[] = {MODEL_SC, MODEL_RA, MODEL_RC11}; /* of graphs */

static void free_outcomes(weak_outcomes *o) { free(o->at); }

static void compare(const weak_program *p, memory_model m) {
    weak_outcomes all = {0}, found = {0};
    weak_enumerate(p, m, &all);
    bool good = weak_explore(p, m, &found);
    if (!good || all.graphs != found.graphs || !weak_outcomes_equal(&all, &found)) {
        fprintf(stderr, "# model %d: %s, %lu graphs of %lu, %u outcomes of %u\n", m, good ? "ran" : "did not run",
                (unsigned long)found.graphs, (unsigned long)all.graphs, found.n, all.n);
        weak_print(p, stderr);
        fail();
    }
    free_outcomes(&all);
    free_outcomes(&found);
}

/* ---- the table ---- */

static unsigned long graphs_of(const char *from, memory_model m) {
    weak_program p;
    weak_outcomes all = {0}, found = {0};
    weak_read(from, &p);
    weak_enumerate(&p, m, &all);
    assert_true(weak_explore(&p, m, &found));
    assert_true(weak_outcomes_equal(&all, &found));
    assert_int_equal(all.graphs, found.graphs);
    free_outcomes(&all);
    free_outcomes(&found);
    return (unsigned long)found.graphs;
}

/* %w and %r are the orders of stores and loads. */
static void with_orders(char *out, const char *from, const char *w, const char *r) {
    for (; *from; from++) {
        if (*from != '%') *out++ = *from;
        else {
            const char *order = *++from == 'w' ? w : r;
            out = stpcpy(out, order);
        }
    }
    *out = 0;
}

static void litmus_table(void **state) {
    (void)state;
    /* executions under sc, and under rc11 with relaxed, release and acquire, and sequentially consistent accesses:
     * checked against GenMC 0.11 */
    static const struct {
        const char *name, *text;
        unsigned sc, relaxed, release, consistent;
    } cells[] = {
        {"SB", "x=1@%w; r1=y@%r || y=1@%w; r2=x@%r", 3, 4, 4, 3},
        {"MP", "x=1@rlx; y=1@%w || r1=y@%r; r2=x@rlx", 3, 4, 3, 3},
        {"LB", "r1=x@%r; y=1@%w || r2=y@%r; x=1@%w", 3, 3, 3, 3},
        {"IRIW", "x=1@%w || r1=x@%r; r2=y@%r || r3=y@%r; r4=x@%r || y=1@%w", 15, 16, 16, 15},
        {"2+2W", "x=1@%w; y=2@%w || y=1@%w; x=2@%w", 3, 4, 4, 3},
        {"CoRR", "x=1@%w; x=2@%w || r1=x@%r; r2=x@%r", 6, 6, 6, 6},
        {"WRC", "x=1@%w || r1=x@%r; y=1@%w || r2=y@%r; r3=x@%r", 7, 8, 7, 7},
        {"S", "x=2@%w; y=1@%w || r1=y@%r; x=1@%w", 3, 4, 3, 3},
        {"R", "x=1@%w; y=1@%w || y=2@%w; r1=x@%r", 3, 4, 4, 3},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char relaxed[256], release[256], consistent[256];
        with_orders(relaxed, cells[i].text, "rlx", "rlx");
        with_orders(release, cells[i].text, "rel", "acq");
        with_orders(consistent, cells[i].text, "sc", "sc");
        assert_int_equal(graphs_of(relaxed, MODEL_SC), cells[i].sc);
        assert_int_equal(graphs_of(relaxed, MODEL_RC11), cells[i].relaxed);
        assert_int_equal(graphs_of(release, MODEL_RC11), cells[i].release);
        assert_int_equal(graphs_of(consistent, MODEL_RC11), cells[i].consistent);
    }
}

static void litmus_fences_and_updates(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned sc, rc11;
    } cells[] = {
        {"x=1@rlx; F@sc; r1=y@rlx || y=1@rlx; F@sc; r2=x@rlx", 3, 3},
        {"r3=xchg(x,1)@ar; r1=y@acq || r4=xchg(y,1)@ar; r2=x@acq", 3, 4},
        {"x=1@rlx; F@rel; y=1@rlx || r1=y@rlx; F@acq; r2=x@rlx", 3, 3},
        {"x=1@rlx; y=1@rel || r1=add(y,1)@rlx || r2=y@acq; r3=x@rlx", 8, 8},
        {"x=1@rlx; y=1@rel || r1=y@acq; F@sc; r2=z@rlx || z=1@rlx; F@sc; r3=x@rlx", 7, 7},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        weak_program p;
        weak_outcomes sc = {0}, rc11 = {0};
        weak_read(cells[i].text, &p);
        compare(&p, MODEL_SC);
        compare(&p, MODEL_RC11);
        weak_explore(&p, MODEL_SC, &sc);
        weak_explore(&p, MODEL_RC11, &rc11);
        assert_int_equal(sc.n, cells[i].sc);
        assert_int_equal(rc11.n, cells[i].rc11);
        free_outcomes(&sc);
        free_outcomes(&rc11);
    }
}

/* ---- locks ---- */

static weak_program sections(unsigned threads, unsigned each) {
    weak_program p = {.threads = threads};
    for (unsigned t = 0; t < threads; t++)
        for (unsigned i = 0; i < each; i++) {
            p.code[t][p.length[t]++] = (weak_instruction){.op = WEAK_LOCK};
            p.code[t][p.length[t]++] = (weak_instruction){.op = WEAK_UNLOCK};
        }
    return p;
}

/* Every order in which threads can have a lock, once. */
static void lock_orders(void **state) {
    (void)state;
    static const struct {
        unsigned threads, each, orders;
    } cases[] = {{2, 1, 2}, {3, 1, 6}, {4, 1, 24}, {2, 2, 6}, {3, 2, 90}, {2, 3, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            const weak_program p = sections(cases[i].threads, cases[i].each);
            weak_outcomes found = {0};
            assert_true(weak_explore(&p, models[m], &found));
            assert_int_equal(found.graphs, cases[i].orders);
            free_outcomes(&found);
        }
}

/* ---- random programs ---- */

static unsigned programs_drawn(void) { return getenv("PLUMB_SOAK") ? 100000 : 1500; }

static void random_programs(void **state) {
    (void)state;
    for (unsigned i = 0; i < programs_drawn(); i++) {
        const weak_program p = weak_random_program();
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) compare(&p, models[m]);
    }
}

/* x86-TSO: the axioms against a machine with store buffers. What runs real code is compared with the axioms in
 * tests/explore/test_weak.sh, and with another machine in tests/explore/test_tso.sh. */
static void tso_axioms_and_machine(void **state) {
    (void)state;
    for (unsigned i = 0; i < programs_drawn(); i++) {
        const weak_program p = weak_random_program();
        weak_outcomes all = {0}, found = {0};
        weak_enumerate(&p, MODEL_TSO, &all);
        weak_buffer_machine(&p, &found);
        if (!weak_outcomes_equal(&all, &found)) {
            fprintf(stderr, "# tso: %u outcomes by the axioms, %u of the machine\n", all.n, found.n);
            weak_print(&p, stderr);
            fail();
        }
        free_outcomes(&all);
        free_outcomes(&found);
    }
}

static void tso_table(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned outcomes;
    } cells[] = {
        {"x=1@rlx; r1=y@rlx || y=1@rlx; r2=x@rlx", 4},
        {"x=1@rel; r1=y@acq || y=1@rel; r2=x@acq", 4},
        {"x=1@sc; r1=y@sc || y=1@sc; r2=x@sc", 3},
        {"x=1@sc; r1=y@rlx || y=1@rlx; r2=x@sc", 4},
        {"x=1@rlx; F@sc; r1=y@rlx || y=1@rlx; F@sc; r2=x@rlx", 3},
        {"x=1@rlx; F@ar; r1=y@rlx || y=1@rlx; F@ar; r2=x@rlx", 4},
        {"x=1@rlx; F@sc; r1=y@rlx || y=1@rlx; r2=x@rlx", 4},
        {"r3=xchg(x,1)@rlx; r1=y@rlx || r4=xchg(y,1)@rlx; r2=x@rlx", 3},
        {"x=1@rlx; y=1@rlx || r1=y@rlx; r2=x@rlx", 3},
        {"x=1@rlx; y=1@rlx || y=2@rlx; r1=x@rlx", 4},
        {"x=1@rlx; y=1@rlx || y=2@sc; r1=x@rlx", 3},
        {"x=1@rlx || r1=x@rlx; r2=y@rlx || r3=y@rlx; r4=x@rlx || y=1@rlx", 15},
        {"x=1@rlx; y=2@rlx || y=1@rlx; x=2@rlx", 3},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        weak_program p;
        weak_outcomes all = {0}, found = {0};
        weak_read(cells[i].text, &p);
        weak_enumerate(&p, MODEL_TSO, &all);
        weak_buffer_machine(&p, &found);
        assert_int_equal(all.n, cells[i].outcomes);
        assert_true(weak_outcomes_equal(&all, &found));
        free_outcomes(&all);
        free_outcomes(&found);
    }
}

/* "oracle MODEL SEED N": what the axioms say of N programs, for those who run them as real code
 * (tests/explore/weak/random_weak.c). */
static int oracle(const char *model, const char *from, const char *n) {
    static const char *const names[] = {"sc", "tso", "ra", "rc11"};
    static const memory_model by_name[] = {MODEL_SC, MODEL_TSO, MODEL_RA, MODEL_RC11};
    memory_model m = MODEL_SC;
    uint64_t graphs = 0;
    for (unsigned i = 0; i < 4; i++)
        if (!strcmp(names[i], model)) m = by_name[i];
    for (unsigned i = 0; i < (unsigned)atoi(n); i++) {
        weak_outcomes all = {0};
        const weak_program p = weak_numbered_program((unsigned)atoi(from), i);
        weak_enumerate(&p, m, &all);
        for (uint32_t k = 0; k < all.n; k++) {
            char words[WEAK_TEXT];
            weak_outcome_print(words, i, &all.at[k]);
            puts(words);
        }
        graphs += all.graphs;
        free_outcomes(&all);
    }
    printf("graphs %lu\n", (unsigned long)graphs);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "oracle")) return oracle(argv[2], argv[3], argv[4]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(litmus_table), cmocka_unit_test(litmus_fences_and_updates),
        cmocka_unit_test(lock_orders),  cmocka_unit_test(random_programs),
        cmocka_unit_test(tso_table),    cmocka_unit_test(tso_axioms_and_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
