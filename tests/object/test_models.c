/* Every run of at most five operations over a small alphabet, on the objects and on naive models written here from the
 * definitions alone. The same operation must have the same outcomes on both, whether its result is known or not; the
 * step must not depend on anything but its arguments; and two states must have equal words exactly when the models are
 * equal. */
#include "support/cmocka.h"

#include "object/object.h"

#include <stdio.h>

enum { DEPTH = 5, MAX_ITEMS = 8, MAX_OUTCOMES = 8, MAX_STATES = 4096 };

/* A model's state: whatever its functions make of it. */
typedef struct model_state {
    int n;
    int64_t item[MAX_ITEMS];
} model_state;

typedef struct outcome {
    value res;
    model_state next;
} outcome;

typedef struct letter { /* an operation without result */
    unsigned method, nargs;
    int arg[2];
    unsigned client;
} letter;

typedef struct model {
    const char *object, *init;
    const letter *alphabet;
    unsigned letters;
    bool bytes; /* arguments are strings: 1 is "a", 2 is "b" */
    model_state start;
    unsigned (*outcomes)(const model_state *s, const letter *l, values *v, outcome *out); /* 0: cannot happen here */
} model;

/* ---- the models ---- */

static void put(model_state *s, int at, int64_t x) {
    for (int i = s->n++; i > at; i--) s->item[i] = s->item[i - 1];
    s->item[at] = x;
}

static int64_t take(model_state *s, int at) {
    int64_t x = s->item[at];
    s->n--;
    for (int i = at; i < s->n; i++) s->item[i] = s->item[i + 1];
    s->item[s->n] = 0;
    return x;
}

static unsigned one(outcome *out, const model_state *s, value res) {
    *out = (outcome){.res = res, .next = *s};
    return 1;
}

static unsigned add_at(outcome *out, const model_state *s, const letter *l, int at, int capacity) {
    if (capacity && s->n == capacity) return one(out, s, VALUE_FULL);
    one(out, s, VALUE_NONE);
    put(&out->next, at, l->arg[0]);
    return 1;
}

static unsigned take_at(outcome *out, const model_state *s, int at, values *v) {
    if (s->n == 0) return one(out, s, VALUE_EMPTY);
    one(out, s, VALUE_NONE);
    out->res = value_int(v, take(&out->next, at));
    return 1;
}

static const letter containers[] = {{0, 1, {1}, 0}, {0, 1, {2}, 0}, {1, 0, {0}, 0}};

static unsigned queue_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return l->method == 0 ? add_at(out, s, l, s->n, 2) : take_at(out, s, 0, v);
}

static unsigned stack_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return l->method == 0 ? add_at(out, s, l, s->n, 0) : take_at(out, s, s->n - 1, v);
}

/* The words beyond adding and removing, from this method on; removals take from `at`. */
static const letter wide_containers[] = {{0, 1, {1}, 0}, {0, 1, {2}, 0}, {1, 0, {0}, 0}, {2, 0, {0}, 0},
                                         {3, 0, {0}, 0}, {4, 0, {0}, 0}, {5, 0, {0}, 0}, {6, 0, {0}, 0}};

static unsigned wide_model(const model_state *s, unsigned word, bool last, values *v, outcome *out) {
    value all[MAX_ITEMS];
    one(out, s, VALUE_NONE);
    for (int i = 0; i < s->n; i++) all[i] = value_int(v, s->item[last ? s->n - 1 - i : i]);
    switch (word) {
    case 0: out->res = s->n ? all[0] : VALUE_EMPTY; break;
    case 1: out->res = value_int(v, s->n); break;
    case 2: out->res = value_bool(!s->n); break;
    case 3: out->res = value_tuple(v, all, (size_t)s->n); /* fall through */
    default: out->next = (model_state){0};
    }
    return 1;
}

static unsigned wide_queue_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return l->method < 2 ? queue_model(s, l, v, out) : wide_model(s, l->method - 2, false, v, out);
}

static unsigned wide_stack_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return l->method < 2 ? stack_model(s, l, v, out) : wide_model(s, l->method - 2, true, v, out);
}

static const letter wide_deques[] = {{0, 1, {1}, 0}, {1, 1, {2}, 0}, {2, 0, {0}, 0}, {3, 0, {0}, 0}, {4, 0, {0}, 0},
                                     {5, 0, {0}, 0}, {6, 0, {0}, 0}, {7, 0, {0}, 0}, {8, 0, {0}, 0}, {9, 0, {0}, 0}};

static unsigned deque_model(const model_state *s, const letter *l, values *v, outcome *out);

static unsigned wide_deque_model(const model_state *s, const letter *l, values *v, outcome *out) {
    if (l->method < 4) return deque_model(s, l, v, out);
    return l->method == 5 ? wide_model(s, 0, true, v, out)
                          : wide_model(s, l->method < 5 ? 0 : l->method - 5, false, v, out);
}

static const letter deques[] = {{0, 1, {1}, 0}, {1, 1, {2}, 0}, {2, 0, {0}, 0}, {3, 0, {0}, 0}};

static unsigned deque_model(const model_state *s, const letter *l, values *v, outcome *out) {
    if (l->method <= 1) return add_at(out, s, l, l->method == 0 ? 0 : s->n, 0);
    return take_at(out, s, l->method == 2 ? 0 : s->n - 1, v);
}

/* Sorted, so that equal contents are equal states. */
static void put_sorted(model_state *s, int64_t x) {
    int at = 0;
    while (at < s->n && s->item[at] < x) at++;
    put(s, at, x);
}

static const letter pqueues[] = {{0, 1, {1}, 0}, {0, 1, {2}, 0}, {0, 1, {3}, 0}, {1, 0, {0}, 0}};

static unsigned pqueue_model(const model_state *s, const letter *l, values *v, outcome *out, bool max) {
    if (l->method == 1) return take_at(out, s, max ? s->n - 1 : 0, v);
    one(out, s, VALUE_NONE);
    put_sorted(&out->next, l->arg[0]);
    return 1;
}

static unsigned max_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return pqueue_model(s, l, v, out, true);
}
static unsigned min_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return pqueue_model(s, l, v, out, false);
}

static unsigned wide_max_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return l->method < 2 ? max_model(s, l, v, out) : wide_model(s, l->method - 2, true, v, out);
}
static unsigned wide_min_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return l->method < 2 ? min_model(s, l, v, out) : wide_model(s, l->method - 2, false, v, out);
}

static int find(const model_state *s, int64_t x) {
    for (int i = 0; i < s->n; i++)
        if (s->item[i] == x) return i;
    return -1;
}

static const letter sets[] = {{0, 1, {1}, 0}, {0, 1, {2}, 0}, {1, 1, {1}, 0}, {1, 1, {2}, 0}, {2, 1, {1}, 0}};

static unsigned set_model(const model_state *s, const letter *l, values *v, outcome *out) {
    (void)v;
    int at = find(s, l->arg[0]);
    one(out, s, value_bool(l->method == 0 ? at < 0 : at >= 0));
    if (l->method == 0 && at < 0) put_sorted(&out->next, l->arg[0]);
    if (l->method == 1 && at >= 0) take(&out->next, at);
    return 1;
}

static const letter multisets[] = {{0, 1, {1}, 0}, {0, 1, {2}, 0}, {1, 0, {0}, 0}, {1, 1, {1}, 0}, {2, 1, {2}, 0}};

static unsigned multiset_model(const model_state *s, const letter *l, values *v, outcome *out) {
    if (l->method == 1 && l->nargs == 0 && s->n) {
        unsigned count = 0;
        for (int i = 0; i < s->n; i++) {
            if (i && s->item[i] == s->item[i - 1]) continue;
            one(&out[count], s, VALUE_NONE);
            out[count].res = value_int(v, take(&out[count].next, i));
            count++;
        }
        return count;
    }
    if (l->method == 1 && l->nargs == 0) return one(out, s, VALUE_EMPTY);
    int at = find(s, l->arg[0]);
    one(out, s, l->method == 0 ? VALUE_NONE : value_bool(at >= 0));
    if (l->method == 0) put_sorted(&out->next, l->arg[0]);
    if (l->method == 1 && at >= 0) take(&out->next, at);
    return 1;
}

/* State: n - 1 letters, n = 0 when the key is absent. */
static const letter stores[] = {{0, 0, {0}, 0}, {1, 1, {1}, 0}, {1, 1, {2}, 0},   {2, 0, {0}, 0},
                                {3, 1, {1}, 0}, {3, 1, {2}, 0}, {4, 2, {1, 2}, 0}};

static unsigned kv_model(const model_state *s, const letter *l, values *v, outcome *out) {
    one(out, s, VALUE_NONE);
    model_state *t = &out->next;
    char held[MAX_ITEMS];
    for (int i = 0; i + 1 < s->n; i++) held[i] = (char)('a' + s->item[i] - 1);
    switch (l->method) {
    case 0:
        if (s->n) out->res = value_bytes(v, held, (size_t)s->n - 1);
        break;
    case 1: *t = (model_state){.n = 2, .item = {l->arg[0]}}; break;
    case 2: *t = (model_state){0}; break;
    case 3:
        if (t->n == 0) t->n = 1;
        t->item[t->n++ - 1] = l->arg[0];
        break;
    default:
        out->res = value_bool(s->n == 2 && s->item[0] == l->arg[0]);
        if (out->res == VALUE_TRUE) t->item[0] = l->arg[1];
    }
    return 1;
}

static const letter registers[] = {
    {0, 1, {1}, 0}, {0, 1, {2}, 0}, {1, 0, {0}, 0}, {2, 2, {1, 2}, 0}, {2, 2, {7, 1}, 0}};

static unsigned cas_model(const model_state *s, const letter *l, values *v, outcome *out) {
    one(out, s, VALUE_NONE);
    if (l->method == 0) out->next.item[0] = l->arg[0];
    if (l->method == 1) out->res = value_int(v, s->item[0]);
    if (l->method != 2) return 1;
    out->res = value_bool(s->item[0] == l->arg[0]);
    if (s->item[0] == l->arg[0]) out->next.item[0] = l->arg[1];
    return 1;
}

static unsigned max_register_model(const model_state *s, const letter *l, values *v, outcome *out) {
    one(out, s, l->method ? value_int(v, s->item[0]) : VALUE_NONE);
    if (l->method == 0 && l->arg[0] > s->item[0]) out->next.item[0] = l->arg[0];
    return 1;
}

static const letter counters[] = {{0, 0, {0}, 0}, {1, 0, {0}, 0}, {2, 0, {0}, 0}, {3, 1, {-3}, 0}, {0, 1, {2}, 0}};

static unsigned counter_model(const model_state *s, const letter *l, values *v, outcome *out) {
    one(out, s, VALUE_NONE);
    if (l->method != 2) out->next.item[0] += (l->method == 1 ? -1 : 1) * (l->nargs ? l->arg[0] : 1);
    out->res = value_int(v, out->next.item[0]);
    return 1;
}

static const letter adders[] = {{0, 1, {1}, 0}, {0, 1, {-2}, 0}, {1, 0, {0}, 0}};

static unsigned fetch_add_model(const model_state *s, const letter *l, values *v, outcome *out) {
    one(out, s, value_int(v, s->item[0]));
    if (l->method == 0) out->next.item[0] += l->arg[0];
    return 1;
}

static const letter locks[] = {{0, 0, {0}, 0}, {1, 0, {0}, 0}, {2, 0, {0}, 0},
                               {0, 0, {0}, 1}, {1, 0, {0}, 1}, {2, 0, {0}, 1}};

static unsigned lock_model(const model_state *s, const letter *l, values *v, outcome *out) {
    (void)v;
    int64_t owner = s->item[0] - 1;
    one(out, s, l->method == 2 ? value_bool(owner < 0) : VALUE_NONE);
    if (l->method == 1) {
        out->next.item[0] = 0;
        return owner == (int64_t)l->client;
    }
    if (owner < 0) out->next.item[0] = l->client + 1;
    return owner < 0 || l->method == 2;
}

static const letter rwlocks[] = {{0, 0, {0}, 0}, {1, 0, {0}, 0}, {2, 0, {0}, 0}, {3, 0, {0}, 0},
                                 {4, 0, {0}, 1}, {5, 0, {0}, 1}, {1, 0, {0}, 1}, {3, 0, {0}, 1}};

/* item[client]: read locks it has; item[2 + client]: whether it has the write lock. */
static unsigned rwlock_model(const model_state *s, const letter *l, values *v, outcome *out) {
    (void)v;
    bool written = s->item[2] || s->item[3], read = s->item[0] || s->item[1];
    unsigned m = l->method;
    one(out, s, VALUE_NONE);
    if (m == 1 || m == 3) return out->next.item[l->client + (m == 3 ? 2 : 0)]-- > 0;
    bool writes = m == 2 || m == 5, can = !written && !(writes && read);
    if (m >= 4) out->res = value_bool(can);
    if (can) out->next.item[l->client + (writes ? 2 : 0)]++;
    return can || m >= 4;
}

static const letter semaphores[] = {{0, 0, {0}, 0}, {1, 0, {0}, 0}, {2, 0, {0}, 0}};

static unsigned semaphore_model(const model_state *s, const letter *l, values *v, outcome *out, int limit) {
    (void)v;
    bool left = s->item[0] > 0;
    one(out, s, l->method == 2 ? value_bool(left) : VALUE_NONE);
    if (l->method == 1) return out->next.item[0]++ < limit;
    if (left) out->next.item[0]--;
    return left || l->method == 2;
}

static unsigned unbounded_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return semaphore_model(s, l, v, out, 1000);
}
static unsigned bounded_model(const model_state *s, const letter *l, values *v, outcome *out) {
    return semaphore_model(s, l, v, out, 2);
}

static const letter proposals[] = {{0, 1, {1}, 0}, {0, 1, {2}, 0}, {0, 1, {3}, 0}};

static unsigned consensus_model(const model_state *s, const letter *l, values *v, outcome *out) {
    one(out, s, VALUE_NONE);
    if (!s->item[0]) out->next.item[0] = l->arg[0];
    out->res = value_int(v, out->next.item[0]);
    return 1;
}

static const letter updates[] = {{0, 2, {0, 1}, 0}, {0, 2, {0, 2}, 0}, {0, 2, {1, 1}, 0}, {1, 0, {0}, 0}};

static unsigned snapshot_model(const model_state *s, const letter *l, values *v, outcome *out) {
    one(out, s, VALUE_NONE);
    if (l->method == 0) out->next.item[l->arg[0]] = l->arg[1];
    value seen[2];
    for (int i = 0; i < 2; i++) seen[i] = s->item[i] ? value_int(v, s->item[i]) : VALUE_NONE;
    if (l->method == 1) out->res = value_tuple(v, seen, 2);
    return 1;
}

#define ALPHABET(a) a, sizeof a / sizeof *a
static const model models[] = {
    {"queue(capacity=2)", NULL, ALPHABET(containers), false, {0}, queue_model},
    {"stack", NULL, ALPHABET(containers), false, {0}, stack_model},
    {"deque", NULL, ALPHABET(deques), false, {0}, deque_model},
    {"pqueue-max", NULL, ALPHABET(pqueues), false, {0}, max_model},
    {"pqueue-min", NULL, ALPHABET(pqueues), false, {0}, min_model},
    {"pqueue-max-fifo", NULL, ALPHABET(pqueues), false, {0}, max_model},
    {"pqueue-min-fifo", NULL, ALPHABET(pqueues), false, {0}, min_model},
    {"set", NULL, ALPHABET(sets), false, {0}, set_model},
    {"multiset", NULL, ALPHABET(multisets), false, {0}, multiset_model},
    {"kv", NULL, ALPHABET(stores), true, {0}, kv_model},
    {"cas-register", "7", ALPHABET(registers), false, {.item = {7}}, cas_model},
    {"register", "7", registers, 3, false, {.item = {7}}, cas_model},
    {"swmr-register", "7", registers, 3, false, {.item = {7}}, cas_model},
    {"max-register", "0", registers, 3, false, {.item = {0}}, max_register_model},
    {"counter", "5", ALPHABET(counters), false, {.item = {5}}, counter_model},
    {"fetch-add", NULL, ALPHABET(adders), false, {0}, fetch_add_model},
    {"lock", NULL, ALPHABET(locks), false, {0}, lock_model},
    {"rwlock", NULL, ALPHABET(rwlocks), false, {0}, rwlock_model},
    {"semaphore(2)", NULL, ALPHABET(semaphores), false, {.item = {2}}, unbounded_model},
    {"semaphore(2,bounded=1)", NULL, ALPHABET(semaphores), false, {.item = {2}}, bounded_model},
    {"consensus", NULL, ALPHABET(proposals), false, {0}, consensus_model},
    {"snapshot(size=2)", NULL, ALPHABET(updates), false, {0}, snapshot_model},
    {"wide-queue(capacity=2)", NULL, ALPHABET(wide_containers), false, {0}, wide_queue_model},
    {"wide-stack", NULL, ALPHABET(wide_containers), false, {0}, wide_stack_model},
    {"wide-deque", NULL, ALPHABET(wide_deques), false, {0}, wide_deque_model},
    {"wide-pqueue-max", NULL, ALPHABET(wide_containers), false, {0}, wide_max_model},
    {"wide-pqueue-min-fifo", NULL, ALPHABET(wide_containers), false, {0}, wide_min_model},
};

/* ---- comparing ---- */

typedef struct known_state {
    model_state naive;
    state words;
} known_state;

typedef struct walk {
    const model *m;
    object *o;
    values *values;
    known_state known[MAX_STATES];
    unsigned count;
    uint64_t runs;
} walk;

static operation make_operation(const walk *w, const letter *l, value res) {
    operation op = {.method = (uint8_t)l->method,
                    .nargs = (uint8_t)l->nargs,
                    .client = l->client,
                    .key = VALUE_NONE,
                    .res = res,
                    .ret = res == VALUE_UNKNOWN ? RANK_NEVER : 1};
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) {
        char text_form = a < 2 ? (char)('a' + l->arg[a] - 1) : 0;
        if (a >= l->nargs) op.arg[a] = VALUE_NONE;
        else op.arg[a] = w->m->bytes ? value_bytes(w->values, &text_form, 1) : value_int(w->values, l->arg[a]);
    }
    return op;
}

static void same_state_same_words(walk *w, const model_state *naive, const state *words) {
    for (unsigned i = 0; i < w->count; i++) {
        bool same_model =
            w->known[i].naive.n == naive->n && !memcmp(w->known[i].naive.item, naive->item, sizeof naive->item);
        bool same_words = state_equal(&w->known[i].words, words);
        if (same_model != same_words) fail_msg("%s: states and words do not agree", w->m->object);
        if (same_words) return;
    }
    assert_true(w->count < MAX_STATES);
    known_state *k = &w->known[w->count++];
    k->naive = *naive;
    state_copy(&k->words, words);
}

static step_result step_twice(const walk *w, const state *from, const operation *op, uint32_t choice, state *next,
                              value *res) {
    state again = {0};
    value res_again;
    state_copy(next, from);
    state_copy(&again, from);
    step_result r = w->o->type->step(w->o, next, op, choice, res),
                r_again = w->o->type->step(w->o, &again, op, choice, &res_again);
    assert_int_equal(r, r_again);
    if (r != STEP_ILLEGAL) assert_true(*res == res_again && state_equal(next, &again));
    state_free(&again);
    return r;
}

static const outcome *find_outcome(const outcome *out, unsigned n, value res) {
    for (unsigned i = 0; i < n; i++)
        if (out[i].res == res) return &out[i];
    return NULL;
}

/* A pending operation: the choices are the model's outcomes, each once. */
static void compare_pending(walk *w, const letter *l, const state *now, const outcome *out, unsigned n) {
    operation op = make_operation(w, l, VALUE_UNKNOWN);
    state next = {0};
    step_result r = STEP_LEGAL_MORE;
    unsigned found = 0;
    value res, before = VALUE_UNKNOWN;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        r = step_twice(w, now, &op, choice, &next, &res);
        if (r == STEP_ILLEGAL) break;
        const outcome *same = find_outcome(out, n, res);
        if (!same || res == before) fail_msg("%s: method %u has an outcome too many", w->m->object, l->method);
        same_state_same_words(w, &same->next, &next);
        before = res;
        found++;
    }
    if (found != n) fail_msg("%s: method %u has %u of %u outcomes", w->m->object, l->method, found, n);
    assert_int_equal(step_twice(w, now, &op, found, &next, &res), STEP_ILLEGAL);
    state_free(&next);
}

/* A result is legal exactly when the model has it, and leads to the same state. */
static void compare_known(walk *w, const letter *l, const state *now, const outcome *out, unsigned n, value claimed) {
    operation op = make_operation(w, l, claimed);
    const outcome *same = find_outcome(out, n, claimed);
    state next = {0};
    value res;
    step_result r = step_twice(w, now, &op, 0, &next, &res);
    if ((r != STEP_ILLEGAL) != (same != NULL))
        fail_msg("%s: method %u, result %u: legal on one side only", w->m->object, l->method, claimed);
    if (same) {
        assert_int_equal(res, claimed);
        same_state_same_words(w, &same->next, &next);
        if (object_changes_nothing(w->o, &op) && !state_equal(&next, now))
            fail_msg("%s: method %u changes something", w->m->object, l->method);
    }
    state_free(&next);
}

/* Could a history that was bound to the object claim this result? Where a result can be written in several ways
 * (remove(x) of a multiset) or only as a tuple, the tests by hand look at it. */
static bool can_be_claimed(const walk *w, const letter *l, value claimed) {
    switch (w->o->type->methods[l->method].result) {
    case RESULT_VOID: return claimed == VALUE_NONE || claimed == VALUE_FULL;
    case RESULT_BOOL:
    case RESULT_MAYBE_BOOL: return value_kind_of(w->values, claimed) == KIND_BOOL;
    case RESULT_INT:
    case RESULT_MAYBE_INT: return value_kind_of(w->values, claimed) == KIND_INT;
    case RESULT_REMOVED: return l->nargs == 0;
    case RESULT_ANY: return strcmp(w->o->type->methods[l->method].name, "drain") != 0;
    case RESULT_VALUE: return strcmp(w->o->type->name, "snapshot") != 0;
    }
    return false;
}

static void explore(walk *w, const model_state *naive, const state *now, unsigned depth);

static void explore_letter(walk *w, const model_state *naive, const state *now, unsigned depth, const letter *l) {
    outcome out[MAX_OUTCOMES];
    unsigned n = w->m->outcomes(naive, l, w->values, out);
    const value claims[] = {VALUE_NONE,
                            VALUE_EMPTY,
                            VALUE_FULL,
                            VALUE_TRUE,
                            VALUE_FALSE,
                            value_int(w->values, 1),
                            value_int(w->values, 2),
                            value_bytes(w->values, "ab", 2)};
    for (unsigned c = 0; c < sizeof claims / sizeof *claims; c++)
        if (can_be_claimed(w, l, claims[c])) compare_known(w, l, now, out, n, claims[c]);
    compare_pending(w, l, now, out, n);
    for (unsigned k = 0; k < n; k++) {
        operation op = make_operation(w, l, out[k].res);
        state next = {0};
        value res;
        assert_int_not_equal(step_twice(w, now, &op, 0, &next, &res), STEP_ILLEGAL);
        explore(w, &out[k].next, &next, depth - 1);
        state_free(&next);
    }
}

static void explore(walk *w, const model_state *naive, const state *now, unsigned depth) {
    w->runs++;
    for (unsigned a = 0; a < w->m->letters && depth; a++) explore_letter(w, naive, now, depth, &w->m->alphabet[a]);
}

static void objects_do_as_the_models(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
        error e = {0};
        walk *w = MEM_NEW(walk);
        w->m = &models[i];
        w->o = object_open(models[i].object, models[i].init, &e);
        assert_non_null(w->o);
        w->values = w->o->values = values_new();
        w->o->init = models[i].init ? value_int(w->values, strtol(models[i].init, NULL, 10)) : VALUE_NONE;
        state first = {0};
        w->o->type->init(w->o, &first);
        same_state_same_words(w, &models[i].start, &first);
        explore(w, &models[i].start, &first, DEPTH);
        assert_true(w->runs > 50 && w->count > 2);
        state_free(&first);
        for (unsigned k = 0; k < w->count; k++) state_free(&w->known[k].words);
        object_close(w->o);
        values_free(w->values);
        free(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(objects_do_as_the_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
