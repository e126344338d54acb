/* Cut into pieces that share no memory, round by round, the tree is the same. */
#include "explore/strategy/pieces.h"

#include "explore/strategy/share.h"
#include "support/cmocka.h"
#include "support/toy_campaign.h"

#include <string.h>

typedef struct sum {
    uint64_t executions, pruned, violations;
    unsigned rounds;
    bool complete;
} sum;

enum { PIECES_MOST = 64 };

/* So many executions of what the text has left, in a share of its own; what is left then. */
static bool run_piece(const toy_program *p, const toy_try *how, uint64_t most, const char *work, text *left,
                      sum *total) {
    toy_try own = *how;
    share *s = share_new(1);
    assert_non_null(s);
    share_keep(s);
    if (work) assert_true(share_load(s, 0, work));
    own.share = s;
    own.most = most;
    toy_outcome o = toy_explore(p, &own);
    assert_true(o.good);
    total->executions += o.r.executions;
    total->violations += o.r.violations;
    for (unsigned k = 0; k < o.r.stages; k++) {
        total->pruned += o.r.stage[k].pruned;
        total->complete = total->complete && !o.r.stage[k].cut_off;
    }
    if (!o.r.stopped) total->complete = total->complete && o.r.complete;
    const bool some = (o.r.stopped || share_is_piece(s, 0)) && share_save(s, 0, left);
    toy_outcome_free(&o);
    share_free(s);
    return some;
}

static sum in_pieces(const toy_program *p, const toy_try *how, uint64_t most, unsigned count) {
    sum total = {.complete = true};
    text left = {0}, work[PIECES_MOST];
    if (run_piece(p, how, most, NULL, &left, &total)) {
        work_pieces *cut = pieces_read(text_str(&left));
        assert_non_null(cut);
        for (unsigned n; memset(work, 0, sizeof work), (n = pieces_cut(cut, count, work)) > 0; total.rounds++)
            for (unsigned i = 0; i < n; i++) {
                text_clear(&left);
                assert_true(run_piece(p, how, most, text_str(&work[i]), &left, &total));
                assert_true(pieces_join(cut, text_str(&left)));
                text_free(&work[i]);
            }
        total.complete = total.complete && !pieces_bounded(cut);
        pieces_free(cut);
    }
    text_free(&left);
    return total;
}

static void same_as_one(const toy_program *p, const toy_try *how, uint64_t most, unsigned count) {
    toy_outcome alone = toy_explore(p, how);
    uint64_t pruned = 0;
    for (unsigned k = 0; k < alone.r.stages; k++) pruned += alone.r.stage[k].pruned;
    const sum total = in_pieces(p, how, most, count);
    assert_int_equal(total.complete, alone.r.complete);
    assert_int_equal(total.executions - total.pruned, alone.r.executions - pruned);
    assert_int_equal(total.violations > 0, alone.r.violations > 0);
    if (strcmp(how->strategy, "dpor")) assert_int_equal(total.violations, alone.r.violations);
    assert_true(total.rounds > 0 || alone.r.executions <= most);
    toy_outcome_free(&alone);
}

static void same_tree(void **st) {
    (void)st;
    static const struct {
        toy_model model;
        const char *threads, *strategy;
        bool symmetry, retry;
    } all[] = {
        {MODEL_QUEUE, "1:pg|g|g", "dpor", false, false}, {MODEL_QUEUE, "0:pg|pg|g", "dpor", false, false},
        {MODEL_QUEUE, "0:pg|pg|g", "dpor", true, false}, {MODEL_QUEUE, "0:pg|pg|pg", "dpor", true, true},
        {MODEL_STACK, "2:g|gp|g", "dpor", false, false}, {MODEL_MUTEX, "0:pg|pg|pg", "dpor", false, false},
        {MODEL_QUEUE, "0:p|g", "dfs", false, false},     {MODEL_QUEUE, "1:pg|g|g", "bounded", false, false},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        for (unsigned count = 2; count <= PIECES_MOST; count *= 5) {
            toy_program p;
            toy_structure(&p, all[i].model, all[i].threads);
            p.retry = all[i].retry;
            const toy_try how = {.strategy = all[i].strategy,
                                 .object = all[i].model == MODEL_STACK ? "stack" : "queue",
                                 .bound = 2,
                                 .all = true,
                                 .symmetry = all[i].symmetry,
                                 .no_histories = true};
            same_as_one(&p, &how, 40 * count, count);
        }
}

static void random_programs(void **st) {
    (void)st;
    static const char *const strategies[] = {"dpor", "bounded"};
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source r = {seed};
        toy_program p;
        toy_random(&p, &r, (toy_flavour)(seed % FLAVOURS));
        const toy_try how = {.strategy = strategies[seed / FLAVOURS % 2],
                             .object = "register",
                             .bound = 1,
                             .all = true,
                             .no_histories = true};
        same_as_one(&p, &how, 20 + 20 * (seed % 7), 1 + (unsigned)(seed % 5));
    }
}

/* It comes from another machine. */
static void what_does_not_fit_is_refused(void **st) {
    (void)st;
    static const char *const wrong[] = {"",
                                        "x",
                                        "0",
                                        "begin",
                                        "@12 begin",
                                        "0 0,0,0,0,e,e,6",
                                        "0 1,0,0,0,e,e,6 ",
                                        "0 0,0,0,0,e,e,6 0,2,0,0,a,a,2 ",
                                        "0 0,100,0,0,e,e,6 ",
                                        "0 0,0,0,1,e,e,6 ",
                                        "0 0,0,0,0,E,e,6 ",
                                        "0 0,0,0,0,e,e,6?"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        work_pieces *p = pieces_read(wrong[i]);
        if (p) fail_msg("taken: %s", wrong[i]);
    }
    work_pieces *p = pieces_read("@12,34 0 0,0,0,0,e,e,6 1,2,0,0,a,a,2 ");
    assert_non_null(p);
    assert_false(pieces_join(p, "0 0,0,0,0,e,e,6 "));        /* it knows of less memory */
    assert_false(pieces_join(p, "@12,34 0 0,0,0,0,f,e,6 ")); /* another node at its place */
    assert_false(pieces_join(p, "@12,34 0 0,0,0,0,e,e,6 nonsense"));
    assert_true(pieces_begin_anew("@12,34,56 begin"));
    pieces_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_tree), cmocka_unit_test(random_programs),
                                       cmocka_unit_test(what_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
