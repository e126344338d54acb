/* Binding a history to an object: names become numbers, kinds are checked, results are brought to one form. */
#include "history/history_check.h"
#include "object/initial.h"
#include "object/local.h"
#include "object/regular.h"
#include "object/spurious.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool bind_error(error *e, const history *h, uint32_t i, const char *file, const char *what) {
    return error_set(e, EXIT_BAD_INPUT, "%s:%u: %s", file, h->line ? h->line[i] : 0, what);
}

static unsigned first_unknown(const object_type *t, const history *h) {
    unsigned m = 0;
    while (m < h->methods && object_type_method(t, h->method_name[m]) >= 0) m++;
    return m;
}

/* The least wide of the object's types that has all methods of the history; as it was when none has. */
static bool take_wider(object *o, const history *h, error *e) {
    const object_type *t = o->type;
    while (t && first_unknown(t, h) < h->methods) t = t->wider;
    return !t || t == o->type || object_widen(o, t, e); /* its initial values are read afterwards */
}

static bool map_methods(const object *o, history *h, const char *file, uint8_t map[256], error *e) {
    for (unsigned m = 0; m < h->methods; m++) {
        int index = object_type_method(o->type, h->method_name[m]);
        if (index < 0) {
            text wrong = {0};
            object_unknown_method(o, h->method_name[m], &wrong);
            error_set(e, EXIT_BAD_INPUT, "%s:%u: %s", file, h->method_line[m], text_str(&wrong));
            text_free(&wrong);
            return false;
        }
        map[m] = (uint8_t)index;
    }
    return true;
}

/* A method's arguments without its key: for keyed objects the first argument is the key unless the file has keys of its
 * own. */
static bool take_keys(const object *o, history *h, const char *file, error *e) {
    if (!o->type->keyed || h->key || h->n == 0) return true;
    for (uint32_t i = 0; i < h->n; i++) {
        if (h->nargs[i] == 0) return bind_error(e, h, i, file, "the key is missing; expected it as first argument");
        h->nargs[i]--;
    }
    h->key = h->arg[0];
    assert(h->key); /* every operation had an argument */
    for (unsigned a = 0; a + 1 < HISTORY_MAX_ARGS; a++) h->arg[a] = h->arg[a + 1];
    h->arg[HISTORY_MAX_ARGS - 1] = NULL;
    return true;
}

static void make_column(history *h, unsigned a) {
    if (h->arg[a]) return;
    h->arg[a] = MEM_ARRAY(value, h->n);
    for (uint32_t k = 0; k < h->n; k++) h->arg[a][k] = VALUE_NONE;
}

/* The other way round, where all keys are in one state. */
static bool give_keys(const object *o, history *h, const char *file, error *e) {
    if (!o->type->key_inside || !h->key) return true;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) make_column(h, a);
    for (uint32_t i = 0; i < h->n; i++) {
        if (h->key[i] == VALUE_NONE) continue;
        if (h->nargs[i] == HISTORY_MAX_ARGS) return bind_error(e, h, i, file, "too many arguments beside the key");
        for (unsigned a = h->nargs[i]++; a > 0; a--) h->arg[a][i] = h->arg[a - 1][i];
        h->arg[0][i] = h->key[i];
    }
    free(h->key);
    h->key = NULL;
    return true;
}

/* One argument that stands for several, as the object says. */
static bool spread_out(const object *o, const method *m, history *h, uint32_t i) {
    value arg[HISTORY_MAX_ARGS];
    if (!o->type->spread || h->nargs[i] != 1) return false;
    unsigned n = o->type->spread(h->values, m, h->arg[0][i], arg);
    for (unsigned a = 0; a < n; a++) {
        make_column(h, a);
        h->arg[a][i] = arg[a];
    }
    if (n) h->nargs[i] = (uint8_t)n;
    return n;
}

/* [old new] as one argument is two arguments: testers write compare-and-set that way. */
static bool spread_pair(history *h, uint32_t i) {
    if (h->nargs[i] != 1 || value_kind_of(h->values, h->arg[0][i]) != KIND_TUPLE) return false;
    size_t size;
    const value *item = value_as_tuple(h->values, h->arg[0][i], &size);
    if (size != 2) return false;
    make_column(h, 1);
    h->arg[0][i] = item[0];
    h->arg[1][i] = item[1];
    h->nargs[i] = 2;
    return true;
}

static bool bind_arguments(const object *o, const method *m, history *h, uint32_t i, const char *file, error *e) {
    if (h->nargs[i] < m->min_args && !spread_out(o, m, h, i) && m->min_args == 2) spread_pair(h, i);
    if (h->nargs[i] < m->min_args || h->nargs[i] > m->max_args) {
        char what[160];
        if (m->min_args == m->max_args)
            snprintf(what, sizeof what, "%s has %u arguments; expected %u", m->name, h->nargs[i], m->min_args);
        else
            snprintf(what, sizeof what, "%s has %u arguments; expected %u to %u", m->name, h->nargs[i], m->min_args,
                     m->max_args);
        return bind_error(e, h, i, file, what);
    }
    unsigned integers = m->arg == ARG_INT ? h->nargs[i] : m->arg == ARG_INT_FIRST;
    for (unsigned a = 0; a < integers; a++) {
        if (value_kind_of(h->values, h->arg[a][i]) == KIND_INT) continue;
        text t = {0};
        text_printf(&t, "argument of %s is ", m->name);
        value_print(h->values, h->arg[a][i], &t);
        text_add(&t, "; expected an integer");
        bind_error(e, h, i, file, text_str(&t));
        text_free(&t);
        return false;
    }
    return true;
}

static const char *result_expectation(result_kind kind) {
    switch (kind) {
    case RESULT_VOID: return "no result";
    case RESULT_VALUE: return "a value";
    case RESULT_REMOVED: return "a value or empty";
    case RESULT_BOOL: return "true or false";
    case RESULT_MAYBE_BOOL: return "true, false or nothing";
    case RESULT_INT: return "an integer";
    case RESULT_MAYBE_INT: return "an integer or nothing";
    case RESULT_ANY: return "a result";
    }
    return "?";
}

/* Testers write the completion of a compare-and-set that succeeded with its arguments in place of a result. */
static bool repeats_arguments(const values *t, const operation *op) {
    if (value_kind_of(t, op->res) != KIND_TUPLE) return false;
    size_t size;
    const value *item = value_as_tuple(t, op->res, &size);
    if (size != op->nargs) return false;
    for (unsigned a = 0; a < size; a++)
        if (item[a] != op->arg[a]) return false;
    return true;
}

/* The one form of a result, or VALUE_UNKNOWN when the method cannot have returned this. */
static value normal_result(const method *m, values *t, const operation *op) {
    value r = op->res;
    value_kind kind = value_kind_of(t, r);
    switch (m->result) {
    case RESULT_VOID:
        if (r == VALUE_FULL || r == VALUE_FALSE) return VALUE_FULL;
        return r == VALUE_NONE || r == VALUE_TRUE || (op->nargs && r == op->arg[0]) ? VALUE_NONE : VALUE_UNKNOWN;
    case RESULT_REMOVED: return r == VALUE_NONE ? VALUE_EMPTY : r;
    case RESULT_ANY: return r;
    case RESULT_VALUE: /* nothing to be empty or full: a reader took the string for the constant */
        if (r == VALUE_EMPTY) return value_bytes(t, "empty", 5);
        if (r == VALUE_FULL) return value_bytes(t, "full", 4);
        return r;
    case RESULT_MAYBE_BOOL:
        if (r == VALUE_NONE) return r; /* fall through */
    case RESULT_BOOL:
        if (kind == KIND_BOOL) return r;
        if (repeats_arguments(t, op)) return VALUE_TRUE;
        if (kind == KIND_INT && (value_as_int(t, r) | 1) == 1) return value_bool(value_as_int(t, r) == 1);
        return VALUE_UNKNOWN;
    case RESULT_MAYBE_INT:
        if (r == VALUE_NONE) return r; /* fall through */
    case RESULT_INT: return kind == KIND_INT ? r : VALUE_UNKNOWN;
    }
    return VALUE_UNKNOWN;
}

static bool bind_one_result(const method *m, values *t, operation *op, text *wrong) {
    value r = normal_result(m, t, op);
    if (r == VALUE_UNKNOWN || (r == VALUE_FULL && m->result == RESULT_VOID && !(m->role & ROLE_ADDS))) {
        text_printf(wrong, "%s returned ", m->name);
        value_print(t, op->res, wrong);
        text_printf(wrong, "; expected %s", result_expectation(m->result));
        return false;
    }
    op->res = r;
    return true;
}

static bool bind_result(const method *m, history *h, uint32_t i, const char *file, error *e) {
    value r = h->res[i];
    if (history_pending(h, i) || (r == VALUE_NONE && m->result == RESULT_VOID)) return true;
    if (value_is_small_int(r) && (m->result == RESULT_REMOVED || m->result == RESULT_VALUE)) return true;
    operation op;
    text wrong = {0};
    history_operation(h, i, &op);
    bool good = bind_one_result(m, h->values, &op, &wrong);
    if (good) h->res[i] = op.res;
    else bind_error(e, h, i, file, text_str(&wrong));
    text_free(&wrong);
    return good;
}

/* ---- what the object asks beyond kinds ---- */

static bool check_operation(const object *o, const operation *op, text *wrong) {
    return !o->type->check_operation || o->type->check_operation(o, op, wrong);
}

static bool check_operations(const object *o, const history *h, const char *file, error *e) {
    text wrong = {0};
    bool good = true;
    for (uint32_t i = 0; i < h->n && good && o->type->check_operation; i++) {
        operation op;
        history_operation(h, i, &op);
        good = check_operation(o, &op, &wrong) || bind_error(e, h, i, file, text_str(&wrong));
    }
    text_free(&wrong);
    return good;
}

bool object_check_init(const object *o, const char *file, error *e) {
    text wrong = {0};
    bool good = initial_check(o, &wrong);
    if (!good) error_set(e, EXIT_USAGE, "%s%s%s", file ? file : "", file ? ": " : "", text_str(&wrong));
    text_free(&wrong);
    return good;
}

/* ---- one operation at a time ---- */

static void take_key(operation *op) {
    assert(op->nargs > 0);
    op->key = op->arg[0];
    op->nargs--;
    for (unsigned a = 0; a + 1 < HISTORY_MAX_ARGS; a++) op->arg[a] = op->arg[a + 1];
    op->arg[HISTORY_MAX_ARGS - 1] = VALUE_NONE;
}

static void spread_one(const values *t, operation *op) {
    size_t size;
    if (op->nargs != 1 || value_kind_of(t, op->arg[0]) != KIND_TUPLE) return;
    const value *item = value_as_tuple(t, op->arg[0], &size);
    if (size != 2) return;
    op->nargs = 2;
    op->arg[1] = item[1];
    op->arg[0] = item[0];
}

bool object_bind_call(const object *o, operation *op, text *wrong) {
    const method *m = object_method(o, op);
    if (o->type->keyed && op->key == VALUE_NONE) {
        if (!op->nargs) {
            text_add(wrong, "the key is missing; expected it as first argument");
            return false;
        }
        take_key(op);
    }
    if (o->type->key_inside && op->key != VALUE_NONE && op->nargs < HISTORY_MAX_ARGS) {
        for (unsigned a = op->nargs++; a > 0; a--) op->arg[a] = op->arg[a - 1];
        op->arg[0] = op->key;
        op->key = VALUE_NONE;
    }
    if (op->nargs == 1 && m->min_args > 1 && o->type->spread) {
        unsigned n = o->type->spread(o->values, m, op->arg[0], op->arg);
        if (n) op->nargs = (uint8_t)n;
    }
    if (op->nargs < m->min_args && m->min_args == 2) spread_one(o->values, op);
    if (op->nargs < m->min_args || op->nargs > m->max_args) {
        text_printf(wrong, "%s has %u arguments; expected %u", m->name, op->nargs, m->min_args);
        if (m->min_args != m->max_args) text_printf(wrong, " to %u", m->max_args);
        return false;
    }
    unsigned integers = m->arg == ARG_INT ? op->nargs : m->arg == ARG_INT_FIRST;
    for (unsigned a = 0; a < integers; a++) {
        if (value_kind_of(o->values, op->arg[a]) == KIND_INT) continue;
        text_printf(wrong, "argument of %s is ", m->name);
        value_print(o->values, op->arg[a], wrong);
        text_add(wrong, "; expected an integer");
        return false;
    }
    operation open = *op;
    open.res = VALUE_UNKNOWN;
    return check_operation(o, &open, wrong);
}

bool object_bind_return(const object *o, operation *op, text *wrong) {
    return bind_one_result(object_method(o, op), o->values, op, wrong) && check_operation(o, op, wrong);
}

void object_use_values(object *o, values *v) {
    o->values = v;
    initial_use_values(o);
}

/* ---- the usual case ----
 * Most operations of a long history are as they should be: the right number of arguments, a result that needs no
 * change. They are told from the others by two numbers of their method; only the others are looked at closely. */

enum { CLASS_SMALL_INT = 6, CLASS_OTHER = 7 }; /* below: the constants of history/value.h, in their order */

/* Without a branch: methods alternate, so it would be mispredicted. */
static inline unsigned result_class(value v) {
    uint32_t constant = v - VALUE_SPECIAL; /* small integers wrap around */
    unsigned other = CLASS_OTHER - (constant >> 31);
    return constant < CLASS_SMALL_INT ? constant : other;
}

typedef struct usual {
    uint8_t method; /* of the object */
    uint8_t nargs;
    uint8_t results; /* by class: bits of those that stay as they are */
} usual;

#define CLASS_BIT(v) (1u << ((v)-VALUE_SPECIAL))

static unsigned usual_results(const method *m) {
    unsigned integer = 1u << CLASS_SMALL_INT, boolean = CLASS_BIT(VALUE_FALSE) | CLASS_BIT(VALUE_TRUE);
    switch (m->result) {
    case RESULT_VOID: return CLASS_BIT(VALUE_NONE);
    case RESULT_REMOVED: return integer | CLASS_BIT(VALUE_EMPTY);
    case RESULT_VALUE: return integer | CLASS_BIT(VALUE_NONE);
    case RESULT_BOOL: return boolean;
    case RESULT_MAYBE_BOOL: return boolean | CLASS_BIT(VALUE_NONE);
    case RESULT_INT: return integer;
    case RESULT_MAYBE_INT: return integer | CLASS_BIT(VALUE_NONE);
    case RESULT_ANY: return integer | boolean | CLASS_BIT(VALUE_NONE) | CLASS_BIT(VALUE_EMPTY);
    }
    return 0;
}

/* Methods with arguments of a certain kind have no usual case. */
static usual usual_of(const object *o, uint8_t number) {
    const method *m = &o->type->methods[number];
    return (usual){number, m->min_args, (uint8_t)(m->arg == ARG_VALUE ? usual_results(m) : 0)};
}

static bool bind_operations(const object *o, history *h, const uint8_t map[256], const char *file, error *e) {
    usual by_name[256];
    for (unsigned m = 0; m < h->methods; m++) by_name[m] = usual_of(o, map[m]);
    uint8_t *number = h->method;
    const uint8_t *nargs = h->nargs;
    const value *res = h->res;
    for (uint32_t i = 0, n = h->n; i < n; i++) {
        usual u = by_name[number[i]];
        number[i] = u.method;
        if (nargs[i] == u.nargs && u.results >> result_class(res[i]) & 1) continue;
        const method *m = &o->type->methods[u.method];
        if (!bind_arguments(o, m, h, i, file, e) || !bind_result(m, h, i, file, e)) return false;
    }
    return true;
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
/* A bound history is as the object's methods say, for all operations the usual case took as for the others. */
static void check_bound(const object *o, const history *h) {
    assert(h->methods == o->type->method_count && (!o->type->keyed || h->key || !h->n));
    for (uint32_t i = 0; i < h->n; i++) {
        operation op;
        history_operation(h, i, &op);
        const method *m = object_method(o, &op);
        assert(op.nargs >= m->min_args && op.nargs <= m->max_args);
        unsigned integers = m->arg == ARG_INT ? op.nargs : m->arg == ARG_INT_FIRST;
        for (unsigned a = 0; a < integers; a++) assert(value_kind_of(h->values, op.arg[a]) == KIND_INT);
        assert(history_pending(h, i) || normal_result(m, h->values, &op) == op.res);
    }
    history_check(h);
}
#endif

/* What a criterion asks of the whole history before anything is judged. */
static bool bind_criterion(const object *o, history *h, const char *file, error *e) {
    if (o->criterion.kind == CRITERION_SPURIOUS) spurious_excuse(o, h);
    if (criterion_is_of_reads(&o->criterion)) regular_excuse(o, h);
    if (o->criterion.kind == CRITERION_LOCAL) return local_split(o, h, file, e);
    if (o->criterion.kind == CRITERION_SEQUENTIAL && h->n && (h->key || !h->client))
        return error_set(e, EXIT_BAD_INPUT, "%s: criterion sequential: expected operations of one object%s", file,
                         h->key ? ", without keys of their own" : ", with clients");
    return true;
}

bool object_bind(object *o, history *h, const char *file, error *e) {
    uint8_t map[256] = {0};
    if (!take_wider(o, h, e)) return false;
    object_use_values(o, h->values);
    if (!map_methods(o, h, file, map, e) || !take_keys(o, h, file, e) || !give_keys(o, h, file, e) ||
        !bind_operations(o, h, map, file, e))
        return false;
    for (unsigned m = 0; m < h->methods; m++) free(h->method_name[m]);
    h->methods = o->type->method_count;
    h->method_name = MEM_GROW(h->method_name, char *, h->methods);
    for (unsigned m = 0; m < h->methods; m++) h->method_name[m] = mem_string(o->type->methods[m].name);
    h->method_line = MEM_GROW(h->method_line, uint32_t, h->methods);
    memset(h->method_line, 0, h->methods * sizeof *h->method_line);
    if (!object_check_init(o, file, e) || !check_operations(o, h, file, e)) return false;
    if (o->type->check && !o->type->check(o, h, file, e)) return false;
    if (!bind_criterion(o, h, file, e)) return false;
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    check_bound(o, h);
#endif
    if (!h->keep_lines) {
        free(h->line); /* messages about the file end here */
        h->line = NULL;
    }
    return true;
}
