#include "object/selftest.h"

#include "base/budget.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/random.h"
#include "object/plugin_value.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALKS = 60, WALK_LENGTH = 40, SAMPLES = 96, FENCE = 64, MOST_CHOICES = 4096 };
static const double most_seconds = 0.3;

typedef struct subject {
    const plumb_object *d;
    const char *name;
    error *e;
    random_source r;
    values *values;
    double until;
} subject;

typedef struct effect {
    enum plumb_step legal;
    value result; /* VALUE_UNKNOWN: it has none to compare */
} effect;

typedef struct sample { /* something that was seen once and must be seen again */
    plumb_operation op;
    uint32_t choice;
    void *before, *after; /* after: NULL when it was illegal */
    effect effect;
} sample;

static bool complain(subject *s, const char *format, ...) TEXT_FORMAT(2, 3);

static bool complain(subject *s, const char *format, ...) {
    char what[380];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(s->e, EXIT_BAD_INPUT, "%s: self-test: %s", s->name, what);
}

/* ---- states: fenced, so that writing behind one is seen ---- */

typedef struct tested_state { /* behind the fence: what the state owns, should memory run out meanwhile */
    pool_cleanup cleanup;
    const plumb_object *d;
    void *state;
} tested_state;

static size_t behind_fence(const subject *s) {
    const size_t unit = _Alignof(tested_state);
    return (s->d->state_size + FENCE + unit - 1) / unit * unit;
}

static void release_state(void *tested) {
    const tested_state *t = tested;
    t->d->release(t->state, t->d->context);
}

static void *state_new(const subject *s) {
    unsigned char *p = mem_zero(1, behind_fence(s) + sizeof(tested_state));
    memset(p + s->d->state_size, 0xC5, FENCE);
    tested_state *t = (tested_state *)(void *)(p + behind_fence(s));
    *t = (tested_state){.d = s->d, .state = p};
    if (s->d->release) pool_at_failure(&t->cleanup, release_state, t);
    return p;
}

static void state_drop(const subject *s, void *state) {
    if (!state) return;
    pool_forget(&((tested_state *)(void *)((char *)state + behind_fence(s)))->cleanup);
    if (s->d->release) s->d->release(state, s->d->context);
    free(state);
}

static void *state_duplicate(const subject *s, const void *from) {
    void *to = state_new(s);
    if (s->d->copy) s->d->copy(to, from, s->d->context);
    else memcpy(to, from, s->d->state_size);
    return to;
}

static bool fence_stands(const subject *s, const void *state) {
    const unsigned char *fence = (const unsigned char *)state + s->d->state_size;
    for (unsigned i = 0; i < FENCE; i++)
        if (fence[i] != 0xC5) return false;
    return true;
}

static bool states_equal(const subject *s, const void *a, const void *b) {
    if (s->d->equal) return s->d->equal(a, b, s->d->context);
    return memcmp(a, b, s->d->state_size) == 0;
}

static const char *method_name(const subject *s, const plumb_operation *op) { return s->d->methods[op->method].name; }

/* ---- operations ---- */

static plumb_value random_value(subject *s, bool any) {
    static const char *const words[] = {"a", "b"};
    if (any && random_chance(&s->r, 0.2)) return plumb_bytes(words[random_below(&s->r, 2)], 1);
    return plumb_int(random_below(&s->r, 4));
}

static plumb_value random_result(subject *s, uint32_t returns) {
    switch (random_below(&s->r, 4)) {
    case 0: return returns == PLUMB_RETURNS_REMOVED ? plumb_empty() : plumb_none();
    case 1: return plumb_bool(random_below(&s->r, 2));
    case 2: return plumb_int(random_below(&s->r, 4));
    default: return plumb_constant(PLUMB_UNKNOWN);
    }
}

/* A result is given only to plug-ins that can do nothing without one. */
static plumb_operation random_operation(subject *s) {
    plumb_operation op = {.method = random_below(&s->r, s->d->method_count), .client = random_below(&s->r, 3)};
    const plumb_method *m = &s->d->methods[op.method];
    op.nargs = m->min_args + random_below(&s->r, m->max_args - m->min_args + 1);
    for (unsigned a = 0; a < 3; a++)
        op.arg[a] = a < op.nargs ? random_value(s, m->arguments == PLUMB_TAKES_VALUES) : plumb_none();
    op.result = s->d->apply || s->d->step_nth ? plumb_constant(PLUMB_UNKNOWN) : random_result(s, m->returns);
    return op;
}

static effect perform(const subject *s, void *state, const plumb_operation *op, uint32_t choice) {
    plumb_value result = plumb_none();
    effect x = {.legal = PLUMB_ILLEGAL, .result = VALUE_UNKNOWN};
    if (s->d->step_nth) {
        x.legal = s->d->step_nth(state, op, choice, &result, s->d->context);
    } else if (s->d->apply) {
        result = s->d->apply(state, op, s->d->context);
        x.legal = result.kind == PLUMB_NEVER ? PLUMB_ILLEGAL : PLUMB_LEGAL;
    } else {
        x.legal = s->d->step(state, op, s->d->context) ? PLUMB_LEGAL : PLUMB_ILLEGAL;
        return x;
    }
    if (x.legal != PLUMB_ILLEGAL) x.result = plugin_handle(s->values, &result);
    return x;
}

/* Leaves different bytes where the next call's local variables will be. */
static void scribble(unsigned char byte) {
    volatile unsigned char below[4096];
    for (size_t i = 0; i < sizeof below; i++) below[i] = byte;
}

/* ---- what must hold ---- */

static void say_effect(const subject *s, const effect *x, text *out) {
    if (x->legal == PLUMB_ILLEGAL) text_add(out, "it cannot happen");
    else if (x->result == VALUE_UNKNOWN) text_add(out, "it can happen");
    else value_print(s->values, x->result, out);
}

static bool same_effect(subject *s, const plumb_operation *op, const effect *a, const effect *b, const char *why) {
    if (a->legal == b->legal && a->result == b->result) return true;
    text first = {0}, second = {0};
    say_effect(s, a, &first);
    say_effect(s, b, &second);
    complain(s, "%s gives %.60s and then %.60s %s", method_name(s, op), text_str(&first), text_str(&second), why);
    text_free(&first);
    text_free(&second);
    return false;
}

static bool result_as_declared(subject *s, const plumb_operation *op, const effect *x) {
    if (x->legal == PLUMB_ILLEGAL || (!s->d->apply && !s->d->step_nth)) return true;
    value_kind kind = value_kind_of(s->values, x->result);
    bool good = true;
    switch (s->d->methods[op->method].returns) {
    case PLUMB_RETURNS_NOTHING: good = kind == KIND_NONE; break;
    case PLUMB_RETURNS_BOOL: good = kind == KIND_BOOL || kind == KIND_INT; break;
    case PLUMB_RETURNS_INTEGER: good = kind == KIND_INT; break;
    }
    if (kind == KIND_UNKNOWN) good = false;
    if (good) return true;
    text got = {0};
    value_print(s->values, x->result, &got);
    complain(s, "%s returns %.60s; expected the kind of result it declares", method_name(s, op), text_str(&got));
    text_free(&got);
    return false;
}

/* Done twice from the same state, with other garbage on the stack, it must do the same. */
static bool check_repeat(subject *s, const void *before, const plumb_operation *op, uint32_t choice, void *once,
                         effect *x) {
    void *twice = state_duplicate(s, before);
    scribble(0x00);
    *x = perform(s, once, op, choice);
    scribble(0xFF);
    effect y = perform(s, twice, op, choice);
    bool good = same_effect(s, op, x, &y, "from the same state; expected it to depend on nothing else");
    if (good && !(fence_stands(s, once) && fence_stands(s, twice)))
        good = complain(s, "%s writes behind its state of %zu bytes", method_name(s, op), s->d->state_size);
    if (good && x->legal != PLUMB_ILLEGAL && !states_equal(s, once, twice))
        good = complain(s,
                        "%s, done twice from the same state, leaves two different states: memory it did not set "
                        "(padding?), or something outside of the state",
                        method_name(s, op));
    state_drop(s, twice);
    return good && result_as_declared(s, op, x);
}

static bool declared_readonly(const subject *s, const plumb_operation *op, const effect *x, tuple_table *tuples) {
    if (s->d->methods[op->method].readonly) return true;
    if (!s->d->readonly) return false;
    plumb_operation done = *op;
    if (x->result != VALUE_UNKNOWN) done.result = plugin_value(tuples, s->values, x->result);
    return done.result.kind != PLUMB_UNKNOWN && s->d->readonly(&done, s->d->context);
}

static bool check_readonly(subject *s, const void *before, const plumb_operation *op, const void *after,
                           const effect *x) {
    if (x->legal == PLUMB_ILLEGAL) return true;
    tuple_table *tuples = tuple_table_new();
    bool good = !declared_readonly(s, op, x, tuples) || states_equal(s, before, after);
    tuple_table_free(tuples);
    return good || complain(s, "%s is declared read-only and changes the state", method_name(s, op));
}

/* apply says what an operation returns, step whether it may: they must mean the same. */
static bool check_step_agrees(subject *s, const void *before, const plumb_operation *op, const void *after,
                              const effect *x) {
    if (!s->d->step || !s->d->apply || s->d->step_nth || x->legal == PLUMB_ILLEGAL) return true;
    tuple_table *tuples = tuple_table_new();
    plumb_operation done = *op;
    done.result = plugin_value(tuples, s->values, x->result);
    void *state = state_duplicate(s, before);
    bool good = s->d->step(state, &done, s->d->context);
    if (!good) complain(s, "step refuses the result that apply gives for %s", method_name(s, op));
    else if (!(good = states_equal(s, state, after)))
        complain(s, "step and apply leave different states after %s", method_name(s, op));
    state_drop(s, state);
    tuple_table_free(tuples);
    return good;
}

static bool check_copy(subject *s, const void *state, const void *copy, uint64_t hash, const plumb_operation *op) {
    if (!s->d->copy) return true;
    if (!states_equal(s, state, copy) || s->d->hash(state, s->d->context) != hash)
        return complain(s,
                        "%s on a copy of a state changes the state itself; expected copy to share nothing that changes",
                        method_name(s, op));
    return true;
}

static bool check_fresh_copy(subject *s, const void *state, const void *copy) {
    if (!states_equal(s, state, copy) || !states_equal(s, copy, state))
        return complain(s, "a copy of a state is not equal to it");
    if (s->d->hash && s->d->hash(state, s->d->context) != s->d->hash(copy, s->d->context))
        return complain(s, "a copy of a state has another hash; expected equal states to have equal hashes");
    return true;
}

/* One operation from `before`; on success `*after` is the next state (NULL: it cannot happen). */
static bool check_operation(subject *s, const void *before, const plumb_operation *op, uint32_t choice, void **after,
                            effect *x) {
    void *witness = state_duplicate(s, before), *once = state_duplicate(s, before);
    uint64_t hash = s->d->hash ? s->d->hash(before, s->d->context) : 0;
    bool good = check_fresh_copy(s, before, witness) && check_repeat(s, before, op, choice, once, x) &&
                check_copy(s, before, witness, hash, op) && check_readonly(s, before, op, once, x) &&
                check_step_agrees(s, before, op, once, x);
    state_drop(s, witness);
    *after = once;
    if (good && x->legal != PLUMB_ILLEGAL) return true;
    state_drop(s, once);
    *after = NULL;
    return good;
}

/* ---- afterwards: the same again, in another order ---- */

static bool check_again(subject *s, const sample *seen) {
    void *state = state_duplicate(s, seen->before);
    effect x = perform(s, state, &seen->op, seen->choice);
    bool good = same_effect(s, &seen->op, &seen->effect, &x,
                            "later from the same state; expected nothing to be kept outside of it");
    if (good && seen->after && !states_equal(s, state, seen->after))
        good = complain(
            s, "%s leaves another state when it is done again later; expected nothing to be kept outside of it",
            method_name(s, &seen->op));
    state_drop(s, state);
    return good;
}

/* Equal states must look the same to hash and to every operation. */
static bool check_equal_pair(subject *s, const sample *a, const sample *b) {
    bool equal = states_equal(s, a->before, b->before);
    if (equal != states_equal(s, b->before, a->before)) return complain(s, "equal is not symmetric");
    if (!equal) return true;
    if (s->d->hash && s->d->hash(a->before, s->d->context) != s->d->hash(b->before, s->d->context))
        return complain(s, "two equal states have different hashes");
    void *state = state_duplicate(s, b->before);
    effect x = perform(s, state, &a->op, a->choice);
    bool good = same_effect(s, &a->op, &a->effect, &x, "from states that `equal` calls the same");
    state_drop(s, state);
    return good;
}

/* Operations of different parts do not see each other. */
static bool check_parts(subject *s, const void *before, const plumb_operation *a, const plumb_operation *b) {
    if (!s->d->partition || s->d->step_nth || !s->d->apply) return true;
    plumb_value part_a = s->d->partition(a, s->d->context), part_b = s->d->partition(b, s->d->context);
    if (plugin_value_equal(&part_a, &part_b)) return true;
    void *plain = state_duplicate(s, before), *after_a = state_duplicate(s, before);
    effect x = perform(s, plain, b, 0);
    bool good = perform(s, after_a, a, 0).legal == PLUMB_ILLEGAL;
    if (!good) {
        effect y = perform(s, after_a, b, 0);
        good = x.legal == y.legal && x.result == y.result;
        if (!good)
            complain(s, "%s changes what %s returns, though partition puts them in different parts", method_name(s, a),
                     method_name(s, b));
    }
    state_drop(s, plain);
    state_drop(s, after_a);
    return good;
}

/* ---- several together ---- */

enum { AT_ONCE = 3 };

typedef struct joint_effect {
    enum plumb_step legal;
    value result[AT_ONCE]; /* by operation, not by place; VALUE_UNKNOWN: it does not end */
} joint_effect;

typedef struct joint_step {
    plumb_operation op[AT_ONCE];
    uint32_t n;
    uint64_t begins, ends;
} joint_step;

/* At least one begins and one ends; where nothing lasts, all do. */
static joint_step random_joint_step(subject *s) {
    uint32_t most = s->d->together_most && s->d->together_most < AT_ONCE ? s->d->together_most : AT_ONCE;
    joint_step j = {.n = 1 + random_below(&s->r, most)};
    uint64_t all = (UINT64_C(1) << j.n) - 1;
    for (uint32_t i = 0; i < j.n; i++) j.op[i] = random_operation(s);
    j.begins = j.ends = all;
    if (!s->d->together_lasts) return j;
    j.begins = 1 + random_below(&s->r, (uint32_t)all);
    j.ends = 1 + random_below(&s->r, (uint32_t)all);
    return j;
}

/* The operations in the order of their places turned by `turn`. */
static joint_effect perform_jointly(const subject *s, void *state, const joint_step *j, uint32_t turn) {
    joint_step turned = {.n = j->n};
    plumb_value result[AT_ONCE] = {plumb_none(), plumb_none(), plumb_none()};
    for (uint32_t i = 0; i < j->n; i++) {
        uint32_t to = (i + turn) % j->n;
        turned.op[to] = j->op[i];
        turned.begins |= (j->begins >> i & 1) << to;
        turned.ends |= (j->ends >> i & 1) << to;
    }
    joint_effect x = {
        .legal = s->d->together(state, turned.op, turned.n, turned.begins, turned.ends, 0, result, s->d->context)};
    for (uint32_t i = 0; i < j->n; i++)
        x.result[i] = x.legal != PLUMB_ILLEGAL && j->ends >> i & 1
                          ? plugin_handle(s->values, &result[(i + turn) % j->n])
                          : VALUE_UNKNOWN;
    return x;
}

static bool same_results(const joint_effect *a, const joint_effect *b, uint32_t n) {
    bool same = (a->legal == PLUMB_ILLEGAL) == (b->legal == PLUMB_ILLEGAL);
    for (uint32_t i = 0; i < n && same; i++) same = a->result[i] == b->result[i];
    return same;
}

/* Done again it does the same; in another order too, unless there are choices, which may come in another order then. */
static bool check_joint_step(subject *s, const void *before, const joint_step *j) {
    void *once = state_duplicate(s, before), *again = state_duplicate(s, before);
    uint32_t turn = random_below(&s->r, j->n);
    scribble(0x00);
    joint_effect x = perform_jointly(s, once, j, 0);
    scribble(0xFF);
    joint_effect y = perform_jointly(s, again, j, x.legal == PLUMB_LEGAL_MORE ? 0 : turn);
    bool good = fence_stands(s, once) && fence_stands(s, again);
    if (!good) complain(s, "together writes behind its state of %zu bytes", s->d->state_size);
    else if (!(good = same_results(&x, &y, j->n) && (x.legal == PLUMB_ILLEGAL || states_equal(s, once, again))))
        complain(s, "together, on the same %u operations of the same state%s, does not do the same", j->n,
                 turn ? " in another order" : "");
    state_drop(s, once);
    state_drop(s, again);
    return good;
}

/* One operation alone is what apply does. */
static bool check_alone(subject *s, const void *before, const plumb_operation *op) {
    if (!s->d->apply || s->d->step_nth) return true;
    joint_step alone = {.op = {*op}, .n = 1, .begins = 1, .ends = 1};
    void *jointly = state_duplicate(s, before), *plainly = state_duplicate(s, before);
    joint_effect x = perform_jointly(s, jointly, &alone, 0);
    effect y = perform(s, plainly, op, 0);
    bool good = x.legal != PLUMB_LEGAL_MORE && (x.legal == PLUMB_ILLEGAL) == (y.legal == PLUMB_ILLEGAL) &&
                x.result[0] == y.result && (x.legal == PLUMB_ILLEGAL || states_equal(s, jointly, plainly));
    if (!good) complain(s, "together does with %s alone what apply does not", method_name(s, op));
    state_drop(s, jointly);
    state_drop(s, plainly);
    return good;
}

static bool check_together(subject *s, const void *before, const plumb_operation *op) {
    if (!s->d->together) return true;
    joint_step j = random_joint_step(s);
    return check_alone(s, before, op) && check_joint_step(s, before, &j);
}

/* ---- walking ---- */

static bool count_choices(subject *s, const void *state, const plumb_operation *op, uint32_t *count) {
    enum plumb_step legal = PLUMB_LEGAL_MORE;
    *count = 1;
    if (!s->d->step_nth) return true;
    for (*count = 0; legal == PLUMB_LEGAL_MORE; ++*count) {
        if (*count == MOST_CHOICES)
            return complain(s, "%s has more than %d outcomes", method_name(s, op), MOST_CHOICES);
        void *copy = state_duplicate(s, state);
        legal = perform(s, copy, op, *count).legal;
        state_drop(s, copy);
    }
    return true;
}

typedef struct samples {
    sample seen[SAMPLES];
    uint32_t count, offered;
} samples;

/* A random choice of all that was offered (reservoir sampling). */
static void keep_sample(subject *s, samples *all, const sample *one) {
    uint32_t at = all->count < SAMPLES ? all->count++ : random_below(&s->r, all->offered + 1);
    all->offered++;
    if (at >= SAMPLES) return;
    if (all->offered > SAMPLES) {
        state_drop(s, all->seen[at].before);
        state_drop(s, all->seen[at].after);
    }
    all->seen[at] = *one;
    all->seen[at].before = state_duplicate(s, one->before);
    all->seen[at].after = one->after ? state_duplicate(s, one->after) : NULL;
}

static void *initial_state(const subject *s) {
    void *state = state_new(s);
    if (s->d->init) s->d->init(state, s->d->context);
    return state;
}

static bool check_init(subject *s) {
    scribble(0x00);
    void *a = initial_state(s);
    scribble(0xFF);
    void *b = initial_state(s);
    bool good = true;
    if (!fence_stands(s, a)) good = complain(s, "init writes behind its state of %zu bytes", s->d->state_size);
    else if (!states_equal(s, a, b)) good = complain(s, "init makes two different states when it is called twice");
    state_drop(s, a);
    state_drop(s, b);
    return good;
}

static bool walk(subject *s, samples *all) {
    void *state = initial_state(s);
    bool good = true;
    for (unsigned i = 0; i < WALK_LENGTH && good; i++) {
        sample now = {.op = random_operation(s), .before = state};
        plumb_operation other = random_operation(s);
        uint32_t choices;
        good = check_parts(s, state, &now.op, &other) && count_choices(s, state, &now.op, &choices);
        if (!good) break;
        now.choice = random_below(&s->r, choices);
        good = check_together(s, state, &now.op) &&
               check_operation(s, state, &now.op, now.choice, &now.after, &now.effect);
        if (!good) break;
        keep_sample(s, all, &now);
        if (!now.after) continue;
        state_drop(s, state);
        state = now.after;
    }
    state_drop(s, state);
    return good;
}

static bool look_again(subject *s, const samples *all) {
    for (uint32_t i = all->count; i--;)
        if (!check_again(s, &all->seen[i])) return false;
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!check_equal_pair(s, &all->seen[i], &all->seen[k])) return false;
    return true;
}

bool plugin_selftest(const plumb_object *definition, const char *name, error *e) {
    subject s = {.d = definition,
                 .name = name,
                 .e = e,
                 .r = {.s = 1},
                 .values = values_new(),
                 .until = clock_seconds() + most_seconds};
    samples *all = MEM_NEW(samples);
    bool good = check_init(&s);
    for (unsigned w = 0; w < WALKS && good && (w < 2 || clock_seconds() < s.until); w++) good = walk(&s, all);
    good = good && look_again(&s, all);
    for (uint32_t i = 0; i < all->count; i++) {
        state_drop(&s, all->seen[i].before);
        state_drop(&s, all->seen[i].after);
    }
    free(all);
    values_free(s.values);
    return good;
}
