#include "scale/explore_split.h"

#include "base/mem.h"
#include "explore/strategy/pieces.h"

#include <assert.h>
#include <string.h>

/* Executions of the first unit, which is alone, of a piece of the first round, and of any. */
enum { FIRST_EXECUTIONS = 10000, PIECE_EXECUTIONS = 20000, PIECE_MOST = 2000000, ANEW_MOST = 16 };

typedef struct splitting {
    const split_ways *w;
    const run_request *r;
    work_pieces *left;
    run_answer sum;
    char *again;              /* a piece learned of memory: all of it again, knowing this */
    bool complete, came_back; /* of all pieces that were explored to their end; one of them was not, and left nothing */
    uint64_t executions;      /* of a piece */
} splitting;

bool may_be_split(const run_request *r) {
    static const char *const shared[] = {"auto", "dpor", "dfs", "bounded", NULL};
    for (unsigned i = 0; shared[i]; i++)
        if (!strcmp(r->strategy, shared[i]))
            return r->jobs > 1 && !r->executions && !r->messages && !r->histories && !r->monitor && !r->first &&
                   !r->work;
    return false;
}

/* ---- what pieces say ---- */

static void add_notes(run_answer *to, const char *notes) {
    text all = {0};
    if (!notes) return;
    if (to->notes) text_add(&all, to->notes);
    text_add(&all, notes);
    free(to->notes);
    to->notes = mem_string(text_str(&all));
    text_free(&all);
}

/* What was proven is decided when nothing is left. Histories of different pieces may be the same ones: how many there
 * are is not known. */
static void add_answer(splitting *s, run_answer *a) {
    campaign_merge(&s->sum.result, &a->result);
    s->sum.result.histories = 0;
    for (uint32_t i = 0; i < a->outcomes.n; i++) {
        const told_outcome *from = &a->outcomes.at[i];
        told_outcome *o = outcomes_add(&s->sum.outcomes, from->what, from->executions);
        if (!o->schedule && from->schedule) o->schedule = mem_string(from->schedule);
    }
    add_notes(&s->sum, a->notes);
}

/* An execution that was cut off covers nothing: that is so whatever comes afterwards. */
static bool is_whole(const campaign_result *r) {
    for (unsigned i = 0; i < r->stages; i++)
        if (r->stage[i].cut_off) return false;
    return true;
}

static bool has_failed(const run_answer *a) { return a->died || a->result.failure != FAILURE_NONE; }

/* The answer of the piece that failed is that of the program, with what the others did. */
static void take_failure(splitting *s, run_answer *a) {
    const campaign_result before = s->sum.result;
    char *notes = s->sum.notes;
    s->sum.notes = NULL;
    run_answer_free(&s->sum);
    s->sum = *a;
    *a = (run_answer){0};
    s->sum.result.executions += before.executions;
    s->sum.result.steps += before.steps;
    s->sum.result.failed_at += before.executions;
    s->sum.result.complete = false;
    s->sum.result.histories = 0;
    add_notes(&s->sum, notes);
    free(notes);
}

static void take_piece(splitting *s, run_answer *a) {
    if (has_failed(&s->sum)) return;
    if (has_failed(a)) {
        take_failure(s, a);
        return;
    }
    add_answer(s, a);
    if (!a->work) s->came_back = false;
    else if (pieces_begin_anew(a->work)) {
        free(s->again);
        s->again = mem_string(a->work);
    } else if (!pieces_join(s->left, a->work)) s->came_back = false;
    s->complete = s->complete && is_whole(&a->result) && (a->result.stopped || a->result.complete);
}

/* ---- rounds ---- */

static run_request piece_request(const splitting *s, const char *work) {
    run_request r = *s->r;
    r.jobs = 1;
    r.work = work;
    r.executions = s->executions;
    if (!strcmp(r.strategy, "auto")) r.strategy = "dpor"; /* of its strategies the one that is exhaustive and shared */
    return r;
}

static bool run_round(splitting *s, unsigned n, text *work, error *e) {
    run_request *r = MEM_ARRAY(run_request, n);
    run_answer *a = mem_zero(n, sizeof *a);
    for (unsigned i = 0; i < n; i++) r[i] = piece_request(s, text_str(&work[i]));
    const bool good = s->w->ask_all(s->w->context, r, n, a, e);
    for (unsigned i = 0; good && i < n; i++) {
        take_piece(s, &a[i]);
        run_answer_free(&a[i]);
    }
    FREE_ALL(r, a);
    return good;
}

static bool run_rounds(splitting *s, error *e) {
    const unsigned least = SPLIT_PIECES_LEAST, wanted = s->w->pieces > least ? s->w->pieces : least;
    const unsigned most = wanted < SPLIT_PIECES_MOST ? wanted : SPLIT_PIECES_MOST;
    text *work = MEM_ARRAY(text, most);
    bool good = true;
    s->executions = PIECE_EXECUTIONS;
    for (unsigned n = 1; good && n;) {
        memset(work, 0, most * sizeof *work);
        n = pieces_cut(s->left, most, work);
        if (n) good = run_round(s, n, work, e);
        for (unsigned i = 0; i < n; i++) text_free(&work[i]);
        if (s->executions < PIECE_MOST) s->executions *= 2;
        if (s->again || !s->came_back || has_failed(&s->sum) || s->w->is_over(s->w->context)) break;
    }
    free(work);
    return good;
}

/* The first executions, by one worker; true with `left` NULL: that was all, or it cannot be split. */
static bool run_first(splitting *s, const char *work, error *e) {
    run_request r = *s->r;
    r.jobs = 1;
    r.work = work;
    r.executions = FIRST_EXECUTIONS;
    s->left = NULL;
    if (!s->w->ask(s->w->context, &r, &s->sum, e)) return false;
    if (has_failed(&s->sum) || !s->sum.work || !s->sum.result.stopped) return true;
    s->left = pieces_read(s->sum.work);
    s->complete = is_whole(&s->sum.result);
    return true;
}

static void conclude(splitting *s) {
    campaign_result *r = &s->sum.result;
    if (has_failed(&s->sum)) return;
    const bool all = s->came_back && !s->again && !s->w->is_over(s->w->context);
    r->stopped = !all;
    r->complete = all && s->complete && !pieces_bounded(s->left);
    const bool bounded = !strcmp(s->r->strategy, "bounded");
    if (all && bounded) r->preemptions = (int)s->r->bound;
    for (unsigned i = 0; all && i < r->stages; i++) /* of auto those that are not shared prove nothing */
        if (bounded || strcmp(r->stage[i].strategy, "bounded")) r->stage[i].exhausted = true;
}

static bool run_whole(const splitting *s, run_answer *out, error *e) {
    run_request r = *s->r;
    r.jobs = 1;
    return s->w->ask(s->w->context, &r, out, e);
}

bool run_split(const split_ways *w, const run_request *r, run_answer *out, error *e) {
    splitting s = {.w = w, .r = r};
    char *work = mem_string(WORK_BEGINS);
    bool good = true;
    for (unsigned tries = 0; good && work && tries < ANEW_MOST; tries++) {
        s.complete = s.came_back = true;
        good = run_first(&s, work, e);
        free(work);
        work = NULL;
        if (!good || !s.left) break;
        good = run_rounds(&s, e);
        if (good) conclude(&s);
        pieces_free(s.left);
        if (good && s.again && !has_failed(&s.sum) && !w->is_over(w->context)) {
            work = s.again;
            s.again = NULL;
            run_answer_free(&s.sum);
            s.sum = (run_answer){0};
        }
    }
    const bool never = good && work; /* it learned of memory again and again */
    FREE_ALL(work, s.again);
    if (never) return run_whole(&s, out, e);
    if (good) *out = s.sum;
    else run_answer_free(&s.sum);
    return good;
}
