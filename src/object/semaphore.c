/* Counting semaphore with n permits; any client may release. Releases above n are legal unless it is bounded. State:
 * the permits left. */
#include "object/leave_out.h"
#include "object/types.h"

#include <assert.h>

enum { ACQUIRE, RELEASE, TRYACQUIRE };
enum { PERMITS, BOUNDED };

static const method methods[] = {
    [ACQUIRE] = {"acquire", "wait down p", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [RELEASE] = {"release", "signal post up v", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [TRYACQUIRE] = {"tryacquire", "trywait trydown", 0, 0, ARG_VALUE, RESULT_BOOL, 0},
};

static void init(const object *o, state *s) {
    uint32_t permits = (uint32_t)o->parameter[PERMITS];
    state_set(s, &permits, 1);
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    assert(s->n == 1 && (!o->parameter[BOUNDED] || s->w[0] <= o->parameter[PERMITS]));
    if (choice) return STEP_ILLEGAL;
    bool some_left = s->w[0] > 0;
    *res = op->method == TRYACQUIRE ? value_bool(some_left) : VALUE_NONE;
    if (!operation_fits(op, *res)) return STEP_ILLEGAL;
    if (op->method == RELEASE) {
        if (o->parameter[BOUNDED] && s->w[0] >= o->parameter[PERMITS]) return STEP_ILLEGAL;
        s->w[0]++;
        return STEP_LEGAL;
    }
    if (some_left) s->w[0]--;
    return step_if(some_left || op->method == TRYACQUIRE);
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_FALSE;
}

static void leave_out_bounded(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    excursions *x = excursions_new();
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        int64_t change = view.res == VALUE_FALSE ? 0 : view.method == RELEASE ? 1 : -1;
        out->group[i] = excursion(x, view.key, &view, change, true);
    }
    excursions_finish(x, out);
}

static uint32_t permit_group(holds *held, const operation *op) {
    if (holds_in_order(held, op->client))
        return op->method == RELEASE ? hold_end(held, op->client, op->key) : hold_begin(held, op->client, op->key);
    return op->method == RELEASE ? GROUP_KEEP : hold_nothing(held);
}

/* Unbounded, an acquire that leaves only adds a permit from its place on, and a release of the same client comes later
 * in every order, so that both together leave with no loss. A release without an acquire before it has to stay. */
static void leave_out_permits(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    if (o->parameter[BOUNDED]) {
        leave_out_bounded(o, h, op, n, out);
        return;
    }
    holds *held = holds_new(h, op, n);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.res == VALUE_FALSE) out->flags[i] = LEAVE_ALONE | LEAVE_FRAGILE;
        else out->group[i] = permit_group(held, &view);
    }
    holds_finish(held, out);
}

static void describe(const object *o, const state *s, text *out) {
    text_printf(out, "%u of %lld permits left", s->w[0], (long long)o->parameter[PERMITS]);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    describe(o, s, out);
}

OBJECT_RECORD(object_type_semaphore, "semaphore", "n permits to acquire and release", .methods = methods,
              .method_count = sizeof methods / sizeof *methods,
              .parameters = {[PERMITS] = {"permits", 1, 0, 1 << 30, "permits at the start"},
                             [BOUNDED] = {"bounded", 0, 0, 1,
                                          "1: a release above the permits at the start is not legal"}},
              .named_only = true, .init = init, .step = step, .changes_nothing = changes_nothing,
              .leave_out = leave_out_permits, .describe = describe, .why_not = why_not);
