/* The state is the sequence of operations so far, each as method, client, arguments and result. A step is legal while
 * the sequence may be the beginning of a model, and a history may end where it is one; so theories need not be closed
 * under prefixes. States are long and never meet again: for small histories.
 *
 * A pending operation may return any value that occurs in the sequence or in the theory, or one that does not occur at
 * all. */
#include "theory/theory_object.h"

#include "object/run.h"
#include "object/trust.h"
#include "theory/evaluate.h"

#include <assert.h>
#include <string.h>

typedef struct own {
    theory *t;
    object_type type;
    method method[THEORY_METHODS]; /* of the type */
} own;

static void close_own(object *o) {
    own *w = o->extra;
    theory_free(w->t);
    free(w);
}

const theory *theory_of_object(const object *o) { return o->type->close == close_own ? ((own *)o->extra)->t : NULL; }

/* ---- sequences as words ---- */

enum { AT_METHOD, AT_CLIENT, AT_RESULT, AT_ARGUMENTS, WIDTH = AT_ARGUMENTS + HISTORY_MAX_ARGS };

static void push_operation(const object *o, state *s, const operation *op, value res) {
    state_push(s, (uint32_t)op->method | (uint32_t)op->nargs << 8);
    state_push(s, o->type->sees_clients ? op->client : 0);
    state_push(s, res);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) state_push(s, op->arg[a]);
    assert(s->n % WIDTH == 0); /* AT_METHOD, AT_CLIENT, AT_RESULT, then the arguments */
}

static operation *sequence_of(const state *s, uint32_t *n) {
    assert(s->n % WIDTH == 0);
    *n = s->n / WIDTH;
    operation *op = MEM_ARRAY(operation, *n + 1);
    for (uint32_t i = 0; i < *n; i++) {
        const uint32_t *w = s->w + i * WIDTH;
        op[i] = (operation){.index = i,
                            .call = 2 * i,
                            .ret = 2 * i + 1,
                            .client = w[AT_CLIENT],
                            .res = w[AT_RESULT],
                            .key = VALUE_NONE};
        op[i].method = (uint8_t)(w[AT_METHOD] & 255);
        op[i].nargs = (uint8_t)(w[AT_METHOD] >> 8);
        memcpy(op[i].arg, w + AT_ARGUMENTS, sizeof op[i].arg);
    }
    return op;
}

typedef bool question(const theory_binding *b, const operation *op, uint32_t n);

static bool is_model(const theory_binding *b, const operation *op, uint32_t n) {
    return theory_is_model(b, op, n, NULL);
}

static bool ask(const object *o, const state *s, question *holds) {
    theory_binding b;
    uint32_t n;
    operation *op = sequence_of(s, &n);
    theory_bind(theory_of_object(o), o, &b);
    bool answer = holds(&b, op, n);
    free(op);
    return answer;
}

/* ---- what a pending operation may return ---- */

static bool fits_kind(const object *o, result_kind kind, value v) {
    switch (kind) {
    case RESULT_VOID: return v == VALUE_NONE;
    case RESULT_BOOL: return v == VALUE_TRUE || v == VALUE_FALSE;
    case RESULT_INT: return value_kind_of(o->values, v) == KIND_INT;
    default: return true;
    }
}

static void add_result(const object *o, const operation *op, state *results, value v) {
    if (!fits_kind(o, object_method(o, op)->result, v)) return;
    for (uint32_t i = 0; i < results->n; i++)
        if (results->w[i] == v) return;
    state_push(results, v);
}

static void add_wanted_results(const object *o, const state *s, const operation *op, state *results) {
    theory_binding b;
    wanted_results w;
    state next = {0};
    uint32_t n;
    if (!theory_of_object(o)->counts) return;
    theory_bind(theory_of_object(o), o, &b);
    state_copy(&next, s);
    push_operation(o, &next, op, VALUE_UNKNOWN);
    operation *sequence = sequence_of(&next, &n);
    theory_wanted_results(&b, sequence, n, &w);
    for (uint32_t i = 0; i < w.n; i++) add_result(o, op, results, value_int(o->values, w.at[i]));
    free(sequence);
    state_free(&next);
}

static void possible_results(const object *o, const state *s, const operation *op, state *results) {
    static const value always[] = {VALUE_NONE, VALUE_EMPTY, VALUE_TRUE, VALUE_FALSE};
    const int64_t nowhere = INT64_C(0x51ab17e0c0ffee);
    if (op->res != VALUE_UNKNOWN) {
        state_push(results, op->res);
        return;
    }
    theory_binding b;
    theory_bind(theory_of_object(o), o, &b);
    result_kind kind = object_method(o, op)->result;
    unsigned simple = kind == RESULT_VOID || kind == RESULT_BOOL     ? 4
                      : kind == RESULT_REMOVED || kind == RESULT_ANY ? 2
                                                                     : 1;
    for (unsigned i = 0; i < simple; i++) add_result(o, op, results, always[i]);
    if (simple == 4) return;
    for (unsigned c = 0; c < b.t->constants; c++) add_result(o, op, results, b.constant[c]);
    for (unsigned a = 0; a < op->nargs; a++) add_result(o, op, results, op->arg[a]);
    for (uint32_t i = 0; i < s->n; i++)
        if (i % WIDTH >= AT_RESULT) add_result(o, op, results, s->w[i]);
    add_wanted_results(o, s, op, results);
    add_result(o, op, results, value_int(o->values, nowhere));
}

/* ---- the object ---- */

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    state results = {0};
    uint32_t length = s->n;
    step_result found = STEP_ILLEGAL;
    possible_results(o, s, op, &results);
    for (uint32_t i = 0; i < results.n && found == STEP_ILLEGAL; i++) {
        s->n = length;
        push_operation(o, s, op, results.w[i]);
        if (!ask(o, s, theory_may_begin) || choice--) continue;
        *res = results.w[i];
        found = i + 1 < results.n ? STEP_LEGAL_MORE : STEP_LEGAL;
    }
    state_free(&results);
    return found;
}

/* What begins a model has beginnings that do, so all operations are asked about at once. Where that fails, or an
 * operation does not say what it returned, they are gone through one by one. */
static uint32_t run(const object *o, state *s, const operation_sequence *q) {
    if (q->part) return run_steps(o, s, q, step);
    uint32_t length = s->n, known = 0;
    for (; known < q->n; known++) {
        operation op;
        history_operation(q->h, q->op[known], &op);
        if (q->res) op.res = q->res[known];
        if (op.res == VALUE_UNKNOWN) break;
        push_operation(o, s, &op, op.res);
    }
    if (known == q->n && ask(o, s, theory_may_begin)) return q->n;
    s->n = length;
    return run_steps(o, s, q, step);
}

static bool may_end(const object *o, const state *s) { return ask(o, s, is_model); }

static void describe(const object *o, const state *s, text *out) {
    uint32_t n;
    operation *op = sequence_of(s, &n);
    text_add(out, n ? "after" : "at the beginning");
    for (uint32_t i = 0; i < n; i++) {
        text_add(out, i ? ", " : " ");
        operation_print(o, &op[i], out);
    }
    free(op);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    state next = {0};
    theory_binding b;
    uint32_t n;
    state_copy(&next, s);
    push_operation(o, &next, op, op->res);
    operation *sequence = sequence_of(&next, &n);
    theory_bind(theory_of_object(o), o, &b);
    const char *axiom_name = theory_failing_axiom(&b, sequence, n);
    if (axiom_name) text_printf(out, "axiom %s does not hold ", axiom_name);
    else text_add(out, "no match makes all axioms hold ");
    describe(o, s, out);
    free(sequence);
    state_free(&next);
}

static bool uses_init(const theory *t) {
    for (unsigned c = 0; c < t->constants; c++)
        if (t->constant[c].kind == CONSTANT_INIT) return true;
    return false;
}

static bool speaks_of_empty(const theory *t) {
    for (unsigned c = 0; c < t->constants; c++)
        if (t->constant[c].kind == CONSTANT_VALUE && t->constant[c].special == VALUE_EMPTY) return true;
    return false;
}

/* Where the axioms speak of `empty`, a value that is empty is that constant and not a string of that name. */
static void set_methods(own *w) {
    memcpy(w->method, w->t->method, sizeof w->method);
    for (unsigned m = 0; m < w->t->methods && speaks_of_empty(w->t); m++)
        if (w->method[m].result == RESULT_VALUE) w->method[m].result = RESULT_ANY;
}

static uint32_t every_method(const theory *t) {
    return t->methods == 32 ? UINT32_MAX : (UINT32_C(1) << t->methods) - 1;
}

static bool check_theory(const theory *t, const char *name, const char *init_text, error *e) {
    if (t->methods == 0)
        return error_set(e, EXIT_BAD_INPUT, "%s: theory %s has no methods; expected method NAME(...)", name, t->name);
    if (!theory_is_total(t))
        return error_set(e, EXIT_BAD_INPUT,
                         "%s: theory %s does not order all operations; expected one that extends atomic (of regular "
                         "and safe registers: --object register --criterion regular, or safe)",
                         name, t->name);
    if (t->keyed && t->keyed != every_method(t))
        return error_set(e, EXIT_BAD_INPUT,
                         "%s: some methods of theory %s begin with a key and some do not; expected all or none", name,
                         t->name);
    if (init_text && !uses_init(t)) return error_set(e, EXIT_USAGE, "theory %s takes no initial value", t->name);
    return true;
}

object *theory_object(theory *t, const char *name, const char *init_text, error *e) {
    if (!check_theory(t, name, init_text, e)) {
        theory_free(t);
        return NULL;
    }
    own *w = MEM_NEW(own);
    object *o = MEM_NEW(object);
    w->t = t;
    set_methods(w);
    o->name = mem_string(name);
    if (init_text) o->init_text = mem_string(init_text);
    w->type = (object_type){
        .name = o->name, /* never the name of a built-in object, which engines of its own would take it for */
        .summary = t->summary,
        .methods = w->method,
        .method_count = t->methods,
        .takes_init = uses_init(t),
        .sees_clients = t->sees_clients,
        .keyed = t->keyed != 0,
        .init = init,
        .step = step,
        .run = run,
        .step_weight = 100,
        .may_end = theory_open_ended(t) ? may_end : NULL,
        .describe = describe,
        .why_not = why_not,
        .close = close_own,
    };
    o->type = &w->type;
    o->extra = w;
    return o;
}

object *specification_open(const char *what, const char *init_text, error *e) {
    if (!theory_named(what)) return object_open(what, init_text, e);
    theory *t = theory_open(what, e);
    object *o = t ? theory_object(t, what, init_text, e) : NULL;
    if (o) trust_file(what);
    return o;
}

object *specification_from_data(const char *what, const char *init_text, error *e) {
    if (theory_named(what) && file_is_trusted(what)) return specification_open(what, init_text, e);
    return object_open_from_data(what, init_text, e);
}

object *specification_of_file(const char *path, const char *named, const char *hint, const char *init,
                              const char *given, error *e) {
    error wrong = {0};
    bool own_init = init && init != given;
    object *o = named ? specification_open(named, init, &wrong) : specification_from_data(hint, init, &wrong);
    if (!o && named && !own_init) *e = wrong;
    else if (!o)
        error_set(e, EXIT_BAD_INPUT, "%s: what it says of its %s: %s", path, named ? "initial value" : "object",
                  wrong.what);
    return o;
}
