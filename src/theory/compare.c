#include "theory/compare.h"

#include "theory/evaluate.h"

#include <assert.h>
#include <string.h>

enum { MOST_LETTERS = 256, MOST_LENGTH = 16 };

typedef struct possible_states { /* the object's own answer: the states it may be in */
    state *at;
    uint32_t n, room;
} possible_states;

typedef struct comparing {
    theory_binding b;
    const comparison_settings *s;
    budget *budget;
    unsigned ticks;
    operation letter[MOST_LETTERS];
    uint32_t letters;
    operation word[MOST_LENGTH]; /* as the theory sees it: a key is the first argument */
    uint32_t length;             /* of the histories looked at now */
    possible_states *now;        /* by key; of an object without keys there is one */
    uint32_t keys;
    comparison *out;
} comparing;

/* A keyed object's methods have one argument less than those of a theory that speaks of keys. A theory without is about
 * one key. */
static bool has_key(const comparing *c, const operation *op) {
    return c->keys > 1 && op->nargs > c->b.o->type->methods[op->method].max_args;
}

/* The operation as the object sees it. */
static operation for_object(const comparing *c, operation op) {
    if (!has_key(c, &op)) return op;
    op.key = op.arg[0];
    op.nargs--;
    for (unsigned a = 0; a + 1 < HISTORY_MAX_ARGS; a++) op.arg[a] = op.arg[a + 1];
    op.arg[HISTORY_MAX_ARGS - 1] = VALUE_NONE;
    return op;
}

static uint32_t key_number(const comparing *c, const operation *op) {
    if (!has_key(c, op)) return 0;
    for (uint32_t k = 0; k < c->keys; k++)
        if (value_int(c->b.o->values, k + 1) == op->arg[0]) return k;
    return 0;
}

/* ---- the alphabet: methods with arguments and results, clients where they matter ---- */

static bool add_letters(comparing *c, operation op, const value *result, uint32_t results, uint32_t clients) {
    for (uint32_t r = 0; r < results; r++) {
        for (uint32_t k = 0; k < clients; k++) {
            if (c->letters == MOST_LETTERS) return false;
            op.res = result[r];
            op.client = k;
            assert(op.nargs <= HISTORY_MAX_ARGS);
            if (theory_covers(&c->b, &op)) c->letter[c->letters++] = op;
        }
    }
    return true;
}

/* One that names what it removes may say whether it was there. */
static uint32_t results_of(const comparing *c, const method *m, uint32_t nargs, uint32_t count, value *out) {
    const object *o = c->b.o;
    uint32_t n = 0;
    switch (m->result) {
    case RESULT_VOID: out[n++] = VALUE_NONE; break;
    case RESULT_MAYBE_BOOL: out[n++] = VALUE_NONE; break;
    case RESULT_BOOL: break;
    case RESULT_INT:
    case RESULT_MAYBE_INT: /* sizes and sums begin at zero */
        if (m->result == RESULT_MAYBE_INT) out[n++] = VALUE_NONE;
        for (uint32_t i = 0; i <= count; i++) out[n++] = value_int(o->values, i);
        break;
    default:
        if (m->result == RESULT_REMOVED || m->result == RESULT_ANY) out[n++] = VALUE_EMPTY;
        if (m->result == RESULT_VALUE || m->result == RESULT_ANY) out[n++] = o->init;
        for (uint32_t i = 0; i < count; i++) out[n++] = value_int(o->values, i + 1);
    }
    if (m->result == RESULT_BOOL || m->result == RESULT_MAYBE_BOOL || (m->result == RESULT_REMOVED && nargs)) {
        out[n++] = VALUE_TRUE;
        out[n++] = VALUE_FALSE;
    }
    return n;
}

static bool add_method(comparing *c, unsigned m, uint32_t nargs, uint32_t count) {
    const object *o = c->b.o;
    value result[MOST_LETTERS + 4];
    uint32_t results = results_of(c, &o->type->methods[m], nargs, count, result), words = 1;
    uint32_t clients = c->b.t->sees_clients ? (c->s->clients ? c->s->clients : 2) : 1;
    for (uint32_t a = 0; a < nargs; a++) words *= count;
    for (uint32_t w = 0; w < words; w++) {
        operation op = {.method = (uint8_t)m,
                        .nargs = (uint8_t)nargs,
                        .key = VALUE_NONE,
                        .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE}};
        for (uint32_t a = 0, left = w; a < nargs; a++, left /= count)
            op.arg[a] = value_int(o->values, left % count + 1);
        if (!add_letters(c, op, result, results, clients)) return false;
    }
    return true;
}

static bool make_alphabet(comparing *c, error *e) {
    const object *o = c->b.o;
    uint32_t count = c->s->values ? c->s->values : 2;
    if (count > MOST_LETTERS) return error_set(e, EXIT_USAGE, "%u values; expected at most %d", count, MOST_LETTERS);
    for (unsigned m = 0; m < o->type->method_count; m++) {
        if (c->b.method[m] == NO_METHOD) continue;
        const method *theirs = &c->b.t->method[c->b.method[m]];
        for (uint32_t nargs = theirs->min_args; nargs <= theirs->max_args; nargs++)
            if (!add_method(c, m, nargs, count))
                return error_set(e, EXIT_USAGE, "more than %d different operations; expected fewer values",
                                 MOST_LETTERS);
    }
    return c->letters ||
           error_set(e, EXIT_USAGE, "theory %s and object %s have no method in common", c->b.t->name, o->name);
}

/* ---- the object's own answer ---- */

static void possible_free(possible_states *s) {
    for (uint32_t i = 0; i < s->n; i++) state_free(&s->at[i]);
    free(s->at);
}

static void possible_add(possible_states *to, state *s) {
    for (uint32_t i = 0; i < to->n; i++) {
        if (!state_equal(&to->at[i], s)) continue;
        state_free(s);
        return;
    }
    if (to->n == to->room) to->at = MEM_GROW(to->at, state, to->room = 2 * to->room + 1);
    to->at[to->n++] = *s;
}

static void possible_step(const object *o, const possible_states *from, const operation *op, possible_states *to) {
    *to = (possible_states){0};
    for (uint32_t i = 0; i < from->n; i++) {
        step_result r = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
            state next = {0};
            value res;
            state_copy(&next, &from->at[i]);
            r = o->type->step(o, &next, op, choice, &res);
            if (r == STEP_ILLEGAL) state_free(&next);
            else possible_add(to, &next);
        }
    }
}

static bool may_end(const object *o, const possible_states *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if (object_may_end(o, &s->at[i])) return true;
    return false;
}

static bool all_may_end(const comparing *c) {
    for (uint32_t k = 0; k < c->keys; k++)
        if (!may_end(c->b.o, &c->now[k])) return false;
    return true;
}

static bool object_refuses(const comparing *c) {
    for (uint32_t k = 0; k < c->keys; k++)
        if (c->now[k].n == 0) return true;
    return false;
}

static void begin_states(comparing *c) {
    c->now = mem_zero(c->keys, sizeof *c->now);
    for (uint32_t k = 0; k < c->keys; k++) {
        state initial = {0};
        c->b.o->type->init(c->b.o, &initial);
        possible_add(&c->now[k], &initial);
    }
}

/* ---- all words of one length ---- */

static void write_difference(comparing *c, bool theory_accepts) {
    comparison *out = c->out;
    out->equal = false;
    out->theory_accepts = theory_accepts;
    for (uint32_t i = 0; i < c->length; i++) {
        if (i) text_char(&out->difference, ' ');
        operation seen = for_object(c, c->word[i]);
        operation_print(c->b.o, &seen, &out->difference);
        if (c->b.t->sees_clients) text_printf(&out->difference, " by client %u", c->word[i].client);
        if (i + 1 < c->length) text_char(&out->difference, ';');
    }
    const char *axiom_name = theory_accepts ? NULL : theory_failing_axiom(&c->b, c->word, c->length);
    if (axiom_name) text_add(&out->axiom, axiom_name);
}

static uint64_t words_of(const comparing *c, uint32_t length) {
    uint64_t words = 1;
    while (length--) words *= c->letters;
    return words;
}

static bool refused_for_good(const comparing *c, uint32_t at) {
    return c->s->by_beginnings && object_refuses(c) && !theory_may_begin(&c->b, c->word, at);
}

static bool compare_word(comparing *c) {
    bool legal = all_may_end(c), model = theory_is_model(&c->b, c->word, c->length, NULL);
    c->out->histories++;
    c->out->legal += legal;
    if (legal == model) return !budget_tick(c->budget, &c->ticks);
    write_difference(c, model);
    return false;
}

static bool compare_words(comparing *c, uint32_t at) {
    assert(at <= c->length && c->length <= MOST_LENGTH);
    if (at == c->length) return compare_word(c);
    bool go_on = true;
    for (uint32_t l = 0; l < c->letters && go_on; l++) {
        operation *op = &c->word[at];
        *op = c->letter[l];
        op->index = at;
        op->call = 2 * at;
        op->ret = 2 * at + 1;
        operation seen = for_object(c, *op);
        possible_states *now = &c->now[key_number(c, op)], before = *now;
        possible_step(c->b.o, &before, &seen, now);
        if (refused_for_good(c, at + 1)) c->out->histories += words_of(c, c->length - at - 1);
        else go_on = compare_words(c, at + 1);
        possible_free(now);
        *now = before;
    }
    return go_on;
}

static uint32_t longest(const comparing *c) {
    if (c->s->length) return c->s->length < MOST_LENGTH ? c->s->length : MOST_LENGTH;
    uint64_t most = c->s->histories ? c->s->histories : 100000, words = 1;
    uint32_t length = 0;
    while (length < MOST_LENGTH && words * c->letters <= most) {
        words *= c->letters;
        length++;
    }
    return length ? length : 1;
}

/* ---- methods of one side only ---- */

static void add_name(text *to, const char *name) { text_printf(to, "%s%s", to->size ? ", " : "", name); }

static bool theory_method_used(const theory_binding *b, unsigned m) {
    for (unsigned own = 0; own < b->o->type->method_count; own++)
        if (b->method[own] == m) return true;
    return false;
}

static bool is_own(const comparing *c, unsigned m) {
    return !c->s->own || object_type_own_method(c->s->own, c->b.o->type->methods[m].name) >= 0;
}

/* A history with such an operation belongs to one side only. */
static void find_unshared(comparing *c) {
    const theory_binding *b = &c->b;
    for (unsigned m = 0; m < b->t->methods; m++)
        if (!theory_method_used(b, m)) add_name(&c->out->only_theory, b->t->method[m].name);
    for (unsigned m = 0; m < b->o->type->method_count; m++)
        if (b->method[m] == NO_METHOD && is_own(c, m)) add_name(&c->out->only_object, b->o->type->methods[m].name);
    if (!c->s->common && (c->out->only_theory.size || c->out->only_object.size)) c->out->equal = false;
}

static bool speaks_of_keys(const theory_binding *b) {
    for (unsigned m = 0; m < b->o->type->method_count; m++)
        if (b->method[m] != NO_METHOD && b->t->method[b->method[m]].max_args > b->o->type->methods[m].max_args)
            return true;
    return false;
}

bool theory_compare(const theory *t, const object *o, const comparison_settings *s, budget *b, comparison *out,
                    error *e) {
    comparing *c = MEM_NEW(comparing);
    *out = (comparison){.equal = true};
    c->s = s;
    c->budget = b;
    c->out = out;
    theory_bind(t, o, &c->b);
    c->keys = o->type->keyed && speaks_of_keys(&c->b) ? (s->values > 1 ? s->values : 2) : 1;
    out->keys = o->type->keyed ? c->keys : 0;
    bool good = make_alphabet(c, e);
    if (good) find_unshared(c);
    begin_states(c);
    uint32_t most = good ? longest(c) : 0;
    out->letters = c->letters;
    for (c->length = 0; good && out->equal && c->length <= most && !budget_spent(b); c->length++)
        if (compare_words(c, 0)) out->length = c->length;
    out->complete = !out->equal || (good && out->length == most);
    for (uint32_t k = 0; k < c->keys; k++) possible_free(&c->now[k]);
    free(c->now);
    free(c);
    return good;
}

void comparison_free(comparison *c) {
    text_free(&c->difference);
    text_free(&c->axiom);
    text_free(&c->only_theory);
    text_free(&c->only_object);
}
