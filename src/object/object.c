/* Opening an object from what the user wrote, and what is common to all objects. */
#include "object/object.h"

#include "base/nearest.h"
#include "object/initial.h"
#include "object/plugin.h"
#include "object/relax.h"
#include "object/run.h"
#include "object/serial_object.h"
#include "object/set_spec.h"
#include "object/trust.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static bool set_parameter(object *o, unsigned p, const char *number, size_t length, error *e) {
    const parameter *q = &o->type->parameters[p];
    char digits[32], *end;
    if (length == 0 || length >= sizeof digits)
        return error_set(e, EXIT_USAGE, "object %s: %s needs an integer", o->type->name, q->name);
    memcpy(digits, number, length);
    digits[length] = 0;
    errno = 0;
    long long i = strtoll(digits, &end, 10);
    if (*end || errno)
        return error_set(e, EXIT_USAGE, "object %s: %s is '%s'; expected an integer", o->type->name, q->name, digits);
    if (i < q->min || i > q->max)
        return error_set(e, EXIT_USAGE, "object %s: %s is %lld; expected %lld to %lld", o->type->name, q->name, i,
                         (long long)q->min, (long long)q->max);
    o->parameter[p] = i;
    return true;
}

/* name=value or, for the n-th, just value */
static bool parse_parameter(object *o, unsigned position, const char *s, size_t length, error *e) {
    const char *equals = memchr(s, '=', length);
    if (!equals) {
        if (position >= OBJECT_PARAMETERS || !o->type->parameters[position].name)
            return error_set(e, EXIT_USAGE, "object %s has no parameter for '%.*s'", o->type->name, (int)length, s);
        return set_parameter(o, position, s, length, e);
    }
    size_t name = (size_t)(equals - s);
    for (unsigned p = 0; p < OBJECT_PARAMETERS && o->type->parameters[p].name; p++)
        if (strlen(o->type->parameters[p].name) == name && memcmp(o->type->parameters[p].name, s, name) == 0)
            return set_parameter(o, p, equals + 1, length - name - 1, e);
    return error_set(e, EXIT_USAGE, "object %s has no parameter '%.*s'", o->type->name, (int)name, s);
}

static bool parse_parameters(object *o, const char *s, error *e) {
    if (!*s) return true;
    size_t length = strlen(s);
    if (s[0] != '(' || s[length - 1] != ')')
        return error_set(e, EXIT_USAGE, "object '%s': expected name(parameter=value)", o->name);
    const char *at = s + 1, *end = s + length - 1;
    for (unsigned position = 0; at < end; position++) {
        size_t n = strcspn(at, ",)");
        if (!parse_parameter(o, position, at, n, e)) return false;
        at += n + 1;
        at += strspn(at, " ");
    }
    return true;
}

static object *open_plugin(const char *path, const char *init, error *e) {
    if (!init) return plugin_open(path, e);
    error_set(e, EXIT_USAGE, "a plug-in takes no initial value");
    return NULL;
}

static object *open_serial(const char *what, const char *init, error *e) {
    if (!init) return serial_open(what, e);
    error_set(e, EXIT_USAGE, "serial runs take no initial value");
    return NULL;
}

bool pattern_file_named(const char *what) {
    size_t length = strlen(what);
    return length > 8 && !strcmp(what + length - 8, ".pattern");
}

static void unknown_object(const char *what, size_t length, error *e) {
    text names = {0};
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++)
        text_printf(&names, "%s %s ", t->name, t->aliases ? t->aliases : "");
    unknown_name("object", what, length, text_str(&names), e);
    text_free(&names);
}

bool theory_file_named(const char *what) {
    size_t length = strlen(what);
    return length > 4 && !strcmp(what + length - 4, ".thy");
}

object *object_open(const char *what, const char *init, error *e) {
    if (theory_file_named(what)) {
        error_set(e, EXIT_USAGE, "%s is a theory, which is no object here; expected a built-in object or a plug-in",
                  what);
        return NULL;
    }
    if (pattern_file_named(what)) {
        error_set(e, EXIT_USAGE,
                  "%s: bad patterns say what goes wrong, not what an operation does; expected an object, and this file "
                  "as --monitor of explore",
                  what);
        return NULL;
    }
    if (serial_named(what) || plugin_named(what)) {
        trust_file(what);
        return serial_named(what) ? open_serial(what, init, e) : open_plugin(what, init, e);
    }
    size_t length = strcspn(what, "(");
    const object_type *type = object_type_find(what, length);
    if (!type) {
        unknown_object(what, length, e);
        return NULL;
    }
    object *o = MEM_NEW(object);
    assert(type->method_count <= OBJECT_METHODS);
    o->type = type;
    o->init = o->initial = VALUE_NONE;
    if (type->together) o->criterion.kind = type->together->natural;
    text name = {0};
    text_printf(&name, "%s%s", type->name, what + length);
    o->name = name.at;
    for (unsigned p = 0; p < OBJECT_PARAMETERS; p++) o->parameter[p] = type->parameters[p].standard;
    bool good = parse_parameters(o, what + length, e);
    if (good && init) {
        o->init_text = mem_string(init);
        if (!type->takes_init) good = error_set(e, EXIT_USAGE, "object %s takes no initial value", type->name);
        else good = initial_check_text(init, e);
    }
    if (good) return o;
    object_close(o);
    return NULL;
}

void object_close(object *o) {
    if (!o) return;
    if (o->type->close) o->type->close(o);
    free(o->init_text);
    free(o->name);
    relax_free(o);
    initial_free(o);
    free(o);
}

const char *object_noun(const object *o) { return o->type->noun ? o->type->noun : o->type->name; }

void object_unknown_method(const object *o, const char *name, text *out) {
    text_printf(out, "unknown method '%.60s' of object %s; expected one of: ", name, o->name);
    for (unsigned k = 0; k < o->type->method_count; k++)
        text_printf(out, "%s%s", k ? ", " : "", o->type->methods[k].name);
    for (const object_type *t = o->type->wider; t; t = t->wider) {
        if (object_type_method(t, name) < 0) continue;
        text_printf(out, "; object %s has it", t->name);
        return;
    }
}

void object_spoken(const object *o, text *out) {
    text_add(out, object_noun(o));
    if (o->criterion.kind == CRITERION_LINEARIZABLE) return;
    text_add(out, " under ");
    criterion_print(&o->criterion, out);
}

/* The column that tells independent operations apart, besides their keys: NULL: none does. `own`: it has to be
 * freed. */
static value *part_column(const object *o, const history *h, value **own) {
    *own = NULL;
    if (!o->type->part) return o->type->parts_by_arg ? h->arg[0] : NULL;
    value *column = *own = MEM_ARRAY(value, h->n);
    for (uint32_t i = 0; i < h->n; i++) {
        operation op;
        history_operation(h, i, &op);
        column[i] = o->type->part(o, &op);
    }
    return column;
}

partition *object_partition(const object *o, const history *h) {
    value *own, *column = part_column(o, h, &own);
    partition *p = partition_by(h, h->key, column);
    free(own);
    return p;
}

uint32_t *object_part_numbers(const object *o, const history *h, uint32_t *count) {
    value *own, *column = part_column(o, h, &own);
    uint32_t *of = partition_numbers(h, h->key, column, count);
    free(own);
    return of;
}

const method *object_method(const object *o, const operation *op) {
    assert(op->method < o->type->method_count);
    return &o->type->methods[op->method];
}

bool object_changes_nothing(const object *o, const operation *op) {
    if (object_method(o, op)->role & ROLE_OBSERVES) return true;
    return op->res != VALUE_UNKNOWN && o->type->changes_nothing && o->type->changes_nothing(o, op);
}

bool object_negligible(const object *o, const operation *op) {
    return op->ret == RANK_NEVER && object_method(o, op)->role & ROLE_OBSERVES;
}

uint32_t object_run(const object *o, state *s, const operation_sequence *q) {
    uint32_t done = o->type->run ? o->type->run(o, s, q) : run_steps(o, s, q, o->type->step);
    assert(done <= q->n);
    return done;
}

bool object_may_end(const object *o, const state *s) { return !o->type->may_end || o->type->may_end(o, s); }

void object_describe(const object *o, const state *s, text *out) {
    if (o->type->describe) {
        o->type->describe(o, s, out);
        return;
    }
    text_char(out, '[');
    for (uint32_t i = 0; i < s->n; i++) {
        if (i) text_char(out, ' ');
        value_print(o->values, s->w[i], out);
    }
    text_char(out, ']');
}

void object_why_not(const object *o, const state *s, const operation *op, text *out) {
    if (o->type->why_not) {
        o->type->why_not(o, s, op, out);
        return;
    }
    text_add(out, "the state is ");
    object_describe(o, s, out);
}

void operation_print(const object *o, const operation *op, text *out) {
    const method *m = object_method(o, op);
    text_printf(out, "%s(", m->name);
    bool first = true;
    if (o->type->keyed) {
        value_print(o->values, op->key, out);
        first = false;
    }
    for (unsigned a = 0; a < op->nargs; a++) {
        if (!first) text_add(out, ", ");
        first = false;
        value_print(o->values, op->arg[a], out);
    }
    text_char(out, ')');
    if (op->ret == RANK_NEVER) {
        text_add(out, " pending");
    } else if (op->res != VALUE_NONE || m->result == RESULT_VALUE) {
        text_add(out, " -> ");
        value_print(o->values, op->res, out);
    }
}
