/* Renaming (Attiya, Bar-Noy, Dolev, Peleg, Reischuk 1990): processes with names from a large space choose different new
 * names from a small one: 1 to `names`, or, when that is not given, 1 to 2p-1, p being the processes that have begun by
 * then (adaptive renaming). A one-shot task; interval-sequential: beginning is taking part, and a process that ends has
 * a name that no other has.
 *
 * State: how many have begun (0 when `names` is given: then it does not matter), and the names taken, ascending. */
#include "object/leave_out.h"
#include "object/set_spec.h"
#include "object/types.h"

#include <assert.h>

enum { NAMES };

static const method methods[] = {
    {"rename", "get_name", 0, 1, ARG_VALUE, RESULT_INT, 0},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
    state_push(s, 0);
}

static bool adaptive(const object *o) { return o->parameter[NAMES] == 0; }
static int64_t largest(const object *o, const state *s) {
    return adaptive(o) ? 2 * (int64_t)s->w[0] - 1 : o->parameter[NAMES];
}

/* False: another process has it. */
static bool take(state *s, uint32_t name) {
    uint32_t at = 1;
    while (at < s->n && s->w[at] < name) at++;
    if (at < s->n && s->w[at] == name) return false;
    state_insert(s, at, name);
    assert((at == 1 || s->w[at - 1] < name) && (at + 1 == s->n || name < s->w[at + 1])); /* ascending: each once */
    return true;
}

/* The nth free name of those up to `last`; 0: there are not so many. */
static uint32_t free_name(const state *s, int64_t last, uint32_t nth) {
    uint32_t name = nth + 1;
    for (uint32_t i = 1; i < s->n && s->w[i] <= name; i++) name++;
    return name <= last ? name : 0;
}

static step_result answer(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    int64_t last = largest(o, s);
    *res = op->res;
    if (op->res != VALUE_UNKNOWN) {
        int64_t name = value_as_int(o->values, op->res);
        return step_if(choice == 0 && name >= 1 && name <= last && take(s, (uint32_t)name));
    }
    uint32_t name = free_name(s, last, choice);
    if (!name) return STEP_ILLEGAL;
    *res = value_int(o->values, name);
    bool taken = take(s, name);
    assert(taken); /* the name was free */
    (void)taken;
    return STEP_LEGAL_MORE;
}

static step_result step_together(const object *o, state *s, const together *t, uint32_t choice, value *res) {
    if (adaptive(o)) s->w[0] += (uint32_t)__builtin_popcountll(t->begins);
    return together_answers(o, s, t, choice, res, answer);
}

/* Names are not harder to find when fewer have them; but with fewer processes, an adaptive object has fewer names. */
static void leave_out_named(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)h;
    (void)op;
    for (uint32_t i = 0; i < n && !adaptive(o); i++) out->flags[i] = LEAVE_ALONE;
}

static void describe(const object *o, const state *s, text *out) {
    if (adaptive(o)) text_printf(out, "%u began, ", s->w[0]);
    text_add(out, s->n == 1 ? "no name is taken" : "taken:");
    for (uint32_t i = 1; i < s->n; i++) text_printf(out, " %u", s->w[i]);
}

static const set_spec task = TASK_BY(CRITERION_INTERVAL, step_together);

OBJECT_RECORD(object_type_renaming, "renaming", "a task: all choose different names from a small space",
              .methods = methods, .method_count = sizeof methods / sizeof *methods,
              .parameters = {[NAMES] = {"names", 0, 0, 1 << 12,
                                        "size of the space; 0: 2p-1 when p processes take part"}},
              .init = init, .step = set_spec_alone, .leave_out = leave_out_named, .describe = describe,
              .together = &task);
