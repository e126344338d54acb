/* Set agreement (Chaudhuri 1993): every process decides on a value that some process proposed, and at most k different
 * values are decided. A one-shot task; as an interval-sequential object (Castaneda, Rajsbaum, Raynal 2018, section 5):
 * beginning is proposing, and an operation that ends decides on any value proposed by then. With k = 1 it is consensus.
 *
 * State: how many values have been proposed, these, then those decided; both ascending by handle. */
#include "object/leave_out.h"
#include "object/set_spec.h"
#include "object/types.h"

#include <assert.h>

enum { K };

static const method methods[] = {
    {"decide", "propose agree", 1, 1, ARG_VALUE, RESULT_VALUE, 0},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
    state_push(s, 0);
}

static uint32_t proposed(const state *s) { return s->w[0]; }
static uint32_t decided(const state *s) {
    assert(s->n >= 1 + proposed(s));
    return s->n - 1 - proposed(s);
}

/* Into the ascending stretch [from, to); false: it is there already. */
static bool insert(state *s, uint32_t from, uint32_t to, value v) {
    while (from < to && s->w[from] < v) from++;
    if (from < to && s->w[from] == v) return false;
    state_insert(s, from, v);
    assert(from == to || v < s->w[from + 1]); /* ascending: each once */
    return true;
}

static void propose(state *s, value v) {
    if (insert(s, 1, 1 + proposed(s), v)) s->w[0]++;
}

static bool was_proposed(const state *s, value v) {
    for (uint32_t i = 0; i < proposed(s); i++)
        if (s->w[1 + i] == v) return true;
    return false;
}

static bool decide(const object *o, state *s, value v) {
    assert(was_proposed(s, v));
    insert(s, 1 + proposed(s), s->n, v);
    return decided(s) <= o->parameter[K];
}

/* Known results have one way, others one for each value that may be decided still. */
static step_result answer(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    *res = op->res;
    if (op->res != VALUE_UNKNOWN) return step_if(choice == 0 && was_proposed(s, op->res) && decide(o, s, op->res));
    bool full = decided(s) == o->parameter[K];
    uint32_t first = full ? 1 + proposed(s) : 1, count = full ? decided(s) : proposed(s);
    if (choice >= count) return STEP_ILLEGAL;
    *res = s->w[first + choice];
    decide(o, s, *res);
    return choice + 1 < count ? STEP_LEGAL_MORE : STEP_LEGAL;
}

static step_result step_together(const object *o, state *s, const together *t, uint32_t choice, value *res) {
    for (uint32_t i = 0; i < t->n; i++)
        if (together_begins(t, i)) propose(s, t->op[i]->arg[0]);
    return together_answers(o, s, t, choice, res, answer);
}

/* Decisions of others on what an operation proposed; its own does not count. */
static bool others_decided_on(const history *h, const uint32_t *op, uint32_t n, uint32_t i) {
    for (uint32_t k = 0; k < n; k++)
        if (k != i && h->res[op[k]] == h->arg[0][op[i]]) return true;
    return false;
}

/* An operation whose proposal no other decided on may leave. All that proposed or decided on a value leave together,
 * and with them those that proposed what they decided on. A pending one that had decided on what is gone decides on its
 * own value, and others like it on the same. */
static void leave_out_values(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    enum { FEW = 4096 }; /* so that looking at all pairs is cheap */
    (void)o;
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        value own = h->arg[0][op[i]], got = h->res[op[i]];
        out->group[i] = value_group(g, own);
        if (got != VALUE_UNKNOWN) value_groups_join(g, own, got);
        if (n <= FEW && !others_decided_on(h, op, n, i)) out->flags[i] = LEAVE_ALONE;
    }
    value_groups_finish(g, out, n);
}

static void describe(const object *o, const state *s, text *out) {
    text_add(out, "proposed");
    for (uint32_t i = 1; i < s->n; i++) {
        if (i == 1 + proposed(s)) text_add(out, ", decided");
        text_char(out, ' ');
        value_print(o->values, s->w[i], out);
    }
    if (s->n == 1) text_add(out, " nothing");
}

static const set_spec task = TASK_BY(CRITERION_INTERVAL, step_together);

OBJECT_RECORD(object_type_set_agreement, "set-agreement",
              "a task: all decide on what was proposed, on at most k different values", .aliases = "k-set-agreement",
              .methods = methods, .method_count = sizeof methods / sizeof *methods,
              .parameters = {[K] = {"k", 2, 1, 1 << 16, "different values that may be decided"}}, .named_only = true,
              .init = init, .step = set_spec_alone, .leave_out = leave_out_values, .describe = describe,
              .together = &task);
