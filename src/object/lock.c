/* Lock. Its owner is the client that locked it; it is not reentrant: its holder cannot lock it again (a trylock fails), and
 * nobody else can unlock it. State: the owner, if any. */
#include "object/client_check.h"
#include "object/leave_out.h"
#include "object/types.h"

enum { LOCK, UNLOCK, TRYLOCK };

static const method methods[] = {
    [LOCK] = {"lock", "acquire", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [UNLOCK] = {"unlock", "release", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [TRYLOCK] = {"trylock", "tryacquire", 0, 0, ARG_VALUE, RESULT_BOOL, 0},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    bool is_free = s->n == 0;
    if (choice) return STEP_ILLEGAL;
    *res = op->method == TRYLOCK ? value_bool(is_free) : VALUE_NONE;
    if (!operation_fits(op, *res)) return STEP_ILLEGAL;
    if (op->method == UNLOCK) {
        if (is_free || s->w[0] != op->client) return STEP_ILLEGAL;
        s->n = 0;
        return STEP_LEGAL;
    }
    if (is_free) state_push(s, op->client);
    return step_if(is_free || op->method == TRYLOCK);
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_FALSE;
}

/* A lock leaves with the unlock of the same client; a trylock that failed needs somebody who holds the lock. */
static void leave_out_holds(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    holds *held = holds_new();
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.res == VALUE_FALSE) out->flags[i] = LEAVE_ALONE | LEAVE_FRAGILE;
        else if (view.method != UNLOCK) out->group[i] = hold_begin(held, view.client, view.key);
        else if ((out->group[i] = hold_end(held, view.client, view.key)) == GROUP_KEEP) out->group[i] = hold_nothing(held);
    }
    holds_finish(held, out);
}

static void describe(const object *o, const state *s, text *out) {
    (void)o;
    text_add(out, s->n ? "held" : "free");
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)o;
    if (s->n == 0) text_add(out, "the lock is free");
    else if (s->w[0] == op->client) text_add(out, "the lock is held by this client");
    else text_add(out, "the lock is held by another client");
}

const object_type object_type_lock = {
    .name = "lock",
    .aliases = "mutex",
    .summary = "mutual exclusion; the client that locks is the one that unlocks",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .sees_clients = true,
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .leave_out = leave_out_holds,
    .describe = describe,
    .why_not = why_not,
    .check = check_clients,
};
