/* Lock. Its owner is the client that locked it; it is not reentrant: its holder cannot lock it again (a trylock fails),
 * and no other can unlock it. State: the owner, if any. */
#include "object/client_check.h"
#include "object/leave_out.h"
#include "object/types.h"

#include <assert.h>

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
    assert(s->n <= 1); /* one holder */
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

static bool unlocks(const operation *op) { return op->method == UNLOCK; }
static uint64_t what(const operation *op) { return op->key; }

/* A lock leaves with the unlock of the same client; a trylock that failed needs a client that holds the lock. */
static void leave_out_locks(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    leave_out_holds(h, op, n, unlocks, what, out);
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

OBJECT_RECORD(object_type_lock, "lock", "mutual exclusion; the client that locks is the one that unlocks",
              .aliases = "mutex", .methods = methods, .method_count = sizeof methods / sizeof *methods,
              .sees_clients = true, .init = init, .step = step, .changes_nothing = changes_nothing,
              .leave_out = leave_out_locks, .describe = describe, .why_not = why_not, .check = check_clients);
