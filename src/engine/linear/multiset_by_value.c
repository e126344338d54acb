/* A multiset value by value. Its operations are each about one value, but for removals of anything that found nothing
 * (refused here) or are pending, *tokens*. So without tokens the history is linearizable iff the operations of each
 * value are, and their linearizations are merged as those of different keys are (merge.c).
 *
 * A token takes one value, or none. Values that are right without tokens get none. The others, the one that fails first
 * before the others, get the tokens that are left, and use as few as they need. A value that is wrong with all tokens
 * is a violation, since a token that took another value may leave. Where those left were not enough nothing is known.
 *
 * Of one value all adds do the same and so do all removals: the general engines have few ways to keep. */
#include "base/mem.h"
#include "engine/pattern.h"
#include "engine/rank_order.h"
#include "engine/self_check.h"
#include "engine/value_index.h"
#include "history/value_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MULTISET_ADD, MULTISET_REMOVE }; /* as in object/multiset.c; what is left looks for a value */
enum { MANY_PENDING = 16 };             /* more would fill the slots of the frontier */

typedef struct failing_value {
    uint32_t cut, group;
} failing_value;

typedef struct by_value {
    const problem *p;
    uint32_t groups;
    uint32_t *group; /* by position; NO_NUMBER: it is about no value */
    uint32_t *start; /* by group: its first place in op */
    uint32_t *op;    /* operations of the history, group by group */
    uint32_t *token; /* those that are left, in the order of their calls */
    uint32_t tokens;
    failing_value *fail; /* groups that are wrong without tokens */
    uint32_t failing;
    ranked *moment; /* of the linearization: when, and the place in `all` */
    witness all;
} by_value;

/* ---- the groups ---- */

static bool takes_anything(const problem *p, uint32_t op) {
    return p->h->method[op] == MULTISET_REMOVE && p->h->nargs[op] == 0;
}

static bool is_token(const problem *p, uint32_t op) { return takes_anything(p, op) && history_pending(p->h, op); }

static bool says_nothing(const problem *p, uint32_t op) {
    return p->h->method[op] > MULTISET_REMOVE && history_pending(p->h, op);
}

static value value_about(const problem *p, uint32_t op) {
    return takes_anything(p, op) ? p->h->res[op] : p->h->arg[0][op];
}

static uint32_t group_of_value(by_value *b, value_map *known, value v) {
    uint32_t group = value_map_find(known, v);
    if (group != VALUE_MAP_ABSENT) return group;
    value_map_add(known, v, b->groups);
    return b->groups++;
}

static void number_groups(by_value *b) {
    value_map known = {0};
    for (uint32_t i = 0; i < b->p->n; i++) {
        uint32_t op = b->p->op[i];
        b->group[i] = NO_NUMBER;
        if (is_token(b->p, op)) b->token[b->tokens++] = op;
        else if (!says_nothing(b->p, op)) b->group[i] = group_of_value(b, &known, value_about(b->p, op));
    }
    free(known.slot);
}

/* Counting twice: how many there are of each, which tells where each begins, and then where each operation goes. */
static void lay_out_groups(by_value *b) {
    b->start = mem_zero((size_t)b->groups + 1, sizeof *b->start);
    for (uint32_t i = 0; i < b->p->n; i++)
        if (b->group[i] != NO_NUMBER) b->start[b->group[i] + 1]++;
    for (uint32_t g = 0; g < b->groups; g++) b->start[g + 1] += b->start[g];
    uint32_t *next = mem_copy(b->start, ((size_t)b->groups + 1) * sizeof *next);
    for (uint32_t i = 0; i < b->p->n; i++)
        if (b->group[i] != NO_NUMBER) b->op[next[b->group[i]]++] = b->p->op[i];
    free(next);
}

static void by_value_init(by_value *b, const problem *p) {
    size_t room = (size_t)p->n + 1;
    *b = (by_value){.p = p,
                    .group = MEM_ARRAY(uint32_t, room),
                    .op = MEM_ARRAY(uint32_t, room),
                    .token = MEM_ARRAY(uint32_t, room),
                    .moment = MEM_ARRAY(ranked, 2 * room),
                    .all = {.op = MEM_ARRAY(uint32_t, room), .res = MEM_ARRAY(value, room)}};
    number_groups(b);
    lay_out_groups(b);
    b->fail = MEM_ARRAY(failing_value, (size_t)b->groups + 1);
}

static void by_value_free(by_value *b) {
    FREE_ALL(b->group, b->start, b->op, b->token, b->fail, b->moment);
    witness_free(&b->all);
}

/* ---- one value ---- */

static bool engine_answers(const char *name, const problem *part, outcome *out) {
    outcome_free(out);
    outcome_init(out);
    engine_find(name)->decide(part, out);
    return out->verdict != VERDICT_UNDECIDED || budget_spent(part->budget);
}

static bool many_are_pending(const problem *part) {
    uint32_t pending = 0;
    for (uint32_t i = 0; i < part->n; i++) pending += history_pending(part->h, part->op[i]);
    return pending > MANY_PENDING;
}

/* `frugal` finds linearizations that use few pending operations, `frontier` tells what is none. */
static void decide_part(const problem *part, bool spare, outcome *out) {
    outcome_init(out);
    bool many = many_are_pending(part);
    if ((many || spare) && engine_answers("frugal", part, out)) return;
    engine_answers("frontier", part, out);
}

/* A linearization of one value goes to the others: each operation takes effect at the latest call up to it. */
static void take_witness(by_value *b, const witness *w) {
    uint32_t moment = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t op = w->op[k];
        if (b->p->h->call[op] > moment) moment = b->p->h->call[op];
        assert(b->all.n < b->p->n && moment < b->p->h->ret[op]);
        b->moment[b->all.n] = (ranked){moment, b->all.n};
        b->all.op[b->all.n] = op;
        b->all.res[b->all.n++] = w->res ? w->res[k] : b->p->h->res[op];
    }
}

/* ---- values that need tokens ---- */

/* The operations of the group and all tokens that are left, by call. */
static uint32_t *with_tokens(const by_value *b, uint32_t g, uint32_t *n) {
    const uint32_t *own = b->op + b->start[g], *end = b->op + b->start[g + 1];
    uint32_t *both = MEM_ARRAY(uint32_t, (size_t)(end - own) + b->tokens + 1);
    *n = 0;
    for (uint32_t t = 0; own < end || t < b->tokens;)
        both[(*n)++] = t == b->tokens || (own < end && *own < b->token[t]) ? *own++ : b->token[t++];
    return both;
}

static int by_operation(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void spend_tokens(by_value *b, const witness *w) {
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t *spent = bsearch(&w->op[k], b->token, b->tokens, sizeof *b->token, by_operation);
        if (!spent) continue;
        b->tokens--;
        memmove(spent, spent + 1, (size_t)(b->token + b->tokens - spent) * sizeof *spent);
    }
}

static void name_violation(const by_value *b, const problem *part, uint32_t cut, outcome *out) {
    outcome_violation(out, cut);
    if (part->n == b->p->n) return;
    out->pattern = mem_copy(part->op, part->n * sizeof *part->op);
    out->pattern_n = part->n;
}

static bool decide_with_tokens(by_value *b, uint32_t g, bool all_tokens, outcome *out) {
    problem part = *b->p;
    outcome of_value;
    uint32_t *op = with_tokens(b, g, &part.n);
    part.op = op;
    part.furthest = NULL;
    decide_part(&part, true, &of_value);
    bool right = of_value.verdict == VERDICT_LINEARIZABLE;
    if (right) {
        take_witness(b, &of_value.witness);
        spend_tokens(b, &of_value.witness);
    } else if (of_value.verdict == VERDICT_VIOLATION && all_tokens) {
        name_violation(b, &part, of_value.cut, out);
    }
    outcome_free(&of_value);
    free(op);
    return right;
}

static int by_cut(const void *a, const void *b) {
    const failing_value *x = a, *y = b;
    return x->cut != y->cut ? (x->cut < y->cut ? -1 : 1) : x->group < y->group ? -1 : x->group > y->group;
}

/* What fails first takes what was called first: all of that is there for the others as well. */
static bool hand_out_tokens(by_value *b, outcome *out) {
    const uint32_t tokens = b->tokens;
    bool good = true;
    qsort(b->fail, b->failing, sizeof *b->fail, by_cut);
    for (uint32_t k = 0; k < b->failing && good; k++)
        good = decide_with_tokens(b, b->fail[k].group, b->tokens == tokens, out);
    return good;
}

/* ---- the whole ---- */

/* False: nothing more is to be done. */
static bool decide_group(by_value *b, uint32_t g, outcome *out) {
    problem part = *b->p;
    outcome of_value;
    part.op = b->op + b->start[g];
    part.n = b->start[g + 1] - b->start[g];
    part.furthest = NULL;
    decide_part(&part, false, &of_value);
    bool right = of_value.verdict == VERDICT_LINEARIZABLE, wrong = of_value.verdict == VERDICT_VIOLATION;
    if (right) take_witness(b, &of_value.witness);
    else if (wrong && b->tokens) b->fail[b->failing++] = (failing_value){of_value.cut, g};
    else if (wrong) name_violation(b, &part, of_value.cut, out);
    outcome_free(&of_value);
    return right || (wrong && b->tokens);
}

static void merge_values(by_value *b, outcome *out) {
    const uint32_t n = b->all.n;
    const ranked *sorted = rank_order(b->moment, b->moment + b->p->n + 1, n);
    out->verdict = VERDICT_LINEARIZABLE;
    out->witness = (witness){.op = MEM_ARRAY(uint32_t, (size_t)n + 1), .res = MEM_ARRAY(value, (size_t)n + 1), .n = n};
    for (uint32_t k = 0; k < n; k++) {
        out->witness.op[k] = b->all.op[sorted[k].item];
        out->witness.res[k] = b->all.res[sorted[k].item];
    }
}

static void decide(const problem *p, outcome *out) {
    by_value b;
    unsigned ticks = 0;
    bool good = true;
    by_value_init(&b, p);
    for (uint32_t g = 0; g < b.groups && good; g++) good = decide_group(&b, g, out) && !budget_tick(p->budget, &ticks);
    good = good && hand_out_tokens(&b, out);
    if (budget_spent(p->budget)) {
        outcome_free(out);
        outcome_init(out);
        outcome_stopped(p, out);
    } else if (good) {
        merge_values(&b, out);
    } else if (out->verdict == VERDICT_UNDECIDED) {
        snprintf(out->why, sizeof out->why, "no way was found to share out the pending removals");
    }
    by_value_free(&b);
}

static bool is_about_a_value(const problem *p, uint32_t op) {
    return is_token(p, op) || (p->h->res[op] != VALUE_FULL && !(takes_anything(p, op) && p->h->res[op] == VALUE_EMPTY));
}

static bool accepts(const problem *p, text *why_not) {
    bool good = !p->o->parameter[0];
    for (uint32_t i = 0; i < p->n && good; i++) good = is_about_a_value(p, p->op[i]);
    if (!good) text_add(why_not, "has a capacity, or an operation that found it full or empty");
    return good;
}

ENGINE_RECORD(engine_multiset_by_value, "multiset-by-value",
              "each value by itself; pending removals of anything go to the values that need them", .growth = "n",
              .objects = "multiset", .promises = PROMISES_SOUND | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .accepts = accepts, .decide = decide);
