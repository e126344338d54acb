/* Reader-writer lock: many readers or one writer. As in POSIX a client may hold several read locks at once; a writer
 * cannot lock again, nor a reader become a writer. State: the writer + 1 or 0, then the readers, ascending, one word
 * per read lock. */
#include "object/client_check.h"
#include "object/leave_out.h"
#include "object/types.h"

#include <assert.h>

enum { RLOCK, RUNLOCK, WLOCK, WUNLOCK, TRYRLOCK, TRYWLOCK };

static const method methods[] = {
    [RLOCK] = {"rlock", "readlock lockshared lockread rdlock", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [RUNLOCK] = {"runlock", "readunlock unlockshared unlockread rdunlock", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [WLOCK] = {"wlock", "writelock lockwrite wrlock lock", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [WUNLOCK] = {"wunlock", "writeunlock unlockwrite wrunlock unlock", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [TRYRLOCK] = {"tryrlock", "tryreadlock trylockshared tryrdlock", 0, 0, ARG_VALUE, RESULT_BOOL, 0},
    [TRYWLOCK] = {"trywlock", "trywritelock trywrlock trylock", 0, 0, ARG_VALUE, RESULT_BOOL, 0},
};

static bool tries(const operation *op) { return op->method >= TRYRLOCK; }
static bool unlocks(const operation *op) { return op->method == RUNLOCK || op->method == WUNLOCK; }
static bool reads(const operation *op) {
    return op->method == RLOCK || op->method == RUNLOCK || op->method == TRYRLOCK;
}

static void init(const object *o, state *s) {
    (void)o;
    uint32_t no_writer = 0;
    state_set(s, &no_writer, 1);
}

static uint32_t reader_place(const state *s, uint32_t client) {
    uint32_t at = 1;
    while (at < s->n && s->w[at] < client) at++;
    assert(at + 1 >= s->n || s->w[at] <= s->w[at + 1]); /* readers are ascending */
    return at;
}

static bool unlock(state *s, const operation *op) {
    if (!reads(op)) {
        if (s->w[0] != op->client + 1) return false;
        s->w[0] = 0;
        return true;
    }
    uint32_t at = reader_place(s, op->client);
    if (at == s->n || s->w[at] != op->client) return false;
    state_remove(s, at);
    return true;
}

static bool lock(state *s, const operation *op) {
    if (s->w[0] || (!reads(op) && s->n > 1)) return false;
    if (reads(op)) state_insert(s, reader_place(s, op->client), op->client);
    else s->w[0] = op->client + 1;
    assert(!s->w[0] || s->n == 1); /* readers or a writer */
    return true;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    if (choice) return STEP_ILLEGAL;
    bool done = unlocks(op) ? unlock(s, op) : lock(s, op);
    *res = tries(op) ? value_bool(done) : VALUE_NONE;
    return step_if((done || tries(op)) && operation_fits(op, *res));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_FALSE;
}

static uint64_t what(const operation *op) { return (uint64_t)op->key << 1 | reads(op); }

/* As for a lock (lock.c): fewer holders hinder no operation but a try that failed. */
static void leave_out_locks(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    leave_out_holds(h, op, n, unlocks, what, out);
}

static void describe(const object *o, const state *s, text *out) {
    (void)o;
    if (s->w[0]) text_add(out, "held by a writer");
    else if (s->n == 1) text_add(out, "free");
    else text_printf(out, "%u read locks held", s->n - 1);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)o;
    if (s->w[0]) text_add(out, "a writer holds the lock");
    else if (s->n > 1) text_printf(out, "%u read locks are held", s->n - 1);
    else text_add(out, "no client holds the lock");
    uint32_t at = reader_place(s, op->client);
    if (at < s->n && s->w[at] == op->client) text_add(out, ", by this client too");
    else if (s->w[0] == op->client + 1) text_add(out, ": this client");
}

OBJECT_RECORD(object_type_rwlock, "rwlock", "many readers or one writer", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .sees_clients = true, .init = init, .step = step,
              .changes_nothing = changes_nothing, .leave_out = leave_out_locks, .describe = describe,
              .why_not = why_not, .check = check_clients);
