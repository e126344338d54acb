/* A theory meets an object: its methods are looked up among the object's, by name and alias; its constants become
 * values. */
#include "theory/theory.h"

#include "base/words.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <string.h>

static bool in_words(const char *words, const char *name) { return words_find(words, name, strlen(name)) >= 0; }

int theory_method(const theory *t, const char *name) {
    for (unsigned m = 0; m < t->methods; m++)
        if (!strcmp(t->method[m].name, name) || in_words(t->method[m].aliases, name)) return (int)m;
    return -1;
}

static value constant_value(const theory_constant *c, const object *o) {
    switch (c->kind) {
    case CONSTANT_INIT: return o->init;
    case CONSTANT_INT: return value_int(o->values, c->integer);
    case CONSTANT_BYTES: return value_bytes(o->values, c->bytes, strlen(c->bytes));
    default: return c->special;
    }
}

void theory_bind(const theory *t, const object *o, theory_binding *b) {
    memset(b, 0, sizeof *b);
    b->t = t;
    b->o = o;
    memset(b->method, NO_METHOD, sizeof b->method);
    for (unsigned m = 0; m < t->methods; m++) {
        int own = object_type_method(o->type, t->method[m].name);
        if (own >= 0) b->method[own] = (uint8_t)m;
    }
    for (unsigned m = 0; m < o->type->method_count; m++) {
        int named = b->method[m] == NO_METHOD ? theory_method(t, o->type->methods[m].name) : -1;
        if (named >= 0) b->method[m] = (uint8_t)named;
    }
    for (unsigned c = 0; c < t->constants; c++) b->constant[c] = constant_value(&t->constant[c], o);
    for (unsigned m = 0; m < OBJECT_METHODS; m++) assert(b->method[m] == NO_METHOD || b->method[m] < t->methods);
}

static bool result_fits(const theory_binding *b, const method *m, value res) {
    switch (m->result) {
    case RESULT_VOID: return res == VALUE_NONE;
    case RESULT_BOOL: return res == VALUE_TRUE || res == VALUE_FALSE;
    case RESULT_INT: return value_kind_of(b->o->values, res) == KIND_INT;
    default: return true;
    }
}

bool theory_covers(const theory_binding *b, const operation *op) {
    if (b->method[op->method] == NO_METHOD) return false;
    const method *m = &b->t->method[b->method[op->method]];
    if (op->nargs < m->min_args || op->nargs > m->max_args) return false;
    for (unsigned a = m->min_args; a < op->nargs; a++)
        if (op->arg[a] == VALUE_NONE) return false; /* as if it had been left out */
    return op->res == VALUE_UNKNOWN || result_fits(b, m, op->res);
}

static value priority(const values *v, value element) {
    size_t n;
    if (value_kind_of(v, element) != KIND_TUPLE) return element;
    const value *item = value_as_tuple(v, element, &n);
    return n ? item[0] : element;
}

bool theory_less(const values *v, value a, value b) { return value_compare(v, priority(v, a), priority(v, b)) < 0; }

/* ---- the theory of an object ---- */

static bool covers_all(const theory *t, const object *o, const history *h, const uint32_t *op, uint32_t n) {
    theory_binding b;
    theory_bind(t, o, &b);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (!theory_covers(&b, &view)) return false;
    }
    return true;
}

static const parameter *parameter_named(const theory *t, const char *name) {
    for (unsigned i = 0; i < THEORY_PARAMETERS && t->parameters[i].name; i++)
        if (!strcmp(t->parameters[i].name, name)) return &t->parameters[i];
    return NULL;
}

/* The parameters that theory and object have both are the object's; one that only the object has must be as usual.
 * Nothing where they are the theory's own. */
static bool parameters_of(const theory *t, const object *o, text *out) {
    bool others = false;
    for (unsigned p = 0; p < OBJECT_PARAMETERS && o->type->parameters[p].name; p++) {
        const parameter *q = &o->type->parameters[p], *theirs = parameter_named(t, q->name);
        int64_t is = o->parameter[p];
        if (theirs ? is < theirs->min || is > theirs->max : is != q->standard) return false;
        if (theirs) text_printf(out, "%s%s=%lld", out->size ? "," : "(", q->name, (long long)is);
        others |= theirs && is != theirs->standard;
    }
    if (out->size) text_char(out, ')');
    if (!others) text_clear(out);
    return true;
}

static theory *open_for(const char *name, const object *o, error *e) {
    theory *t = theory_open(name, e);
    if (!t) return NULL;
    text with = {0}, whole = {0};
    bool describes = parameters_of(t, o, &with);
    if (describes && with.size) {
        text_printf(&whole, "%s%s", name, text_str(&with));
        theory_free(t);
        t = theory_open(text_str(&whole), e);
    } else if (!describes) {
        theory_free(t);
        t = NULL;
    }
    text_free(&with);
    text_free(&whole);
    return t;
}

/* The theory names of a file, one call after another; NULL: no more. */
static const char *next_name(const char *at, char name[80]) {
    while (at) {
        if (!strncmp(at, "theory ", 7)) {
            at += 7;
            size_t n = strcspn(at, " \n#");
            if (n > 79) n = 79;
            memcpy(name, at, n);
            name[n] = 0;
            return at + n;
        }
        at = strchr(at, '\n');
        if (at) at++;
    }
    return NULL;
}

/* Does the theory whose items are at `at` say that it describes this object? Found in the text: reading every shipped
 * theory takes longer than most questions about small histories. */
static bool describes(const char *at, const char *object_name) {
    const char *end = strstr(at, "\ntheory "), *line = strstr(at, "\nobject ");
    char words[200];
    if (!line || (end && end < line)) return false;
    line += strlen("\nobject ");
    size_t n = strcspn(line, "\n#");
    if (n >= sizeof words) return true;
    memcpy(words, line, n);
    words[n] = 0;
    return in_words(words, object_name);
}

theory *theory_for(const object *o, const history *h, const uint32_t *op, uint32_t n, text *why) {
    const theory_file *f;
    const theory *own = theory_of_object(o);
    error e = {0};
    if (own) return theory_parse(own->source, o->type->name, "", &e);
    bool any = false;
    for (unsigned i = 0; (f = theory_file_at(i)); i++) {
        char name[80];
        for (const char *at = f->source; (at = next_name(at, name));) {
            if (!describes(at, o->type->name)) continue;
            theory *t = open_for(name, o, &e);
            if (t && covers_all(t, o, h, op, n)) return t;
            any = any || t;
            theory_free(t);
            e = (error){0};
        }
    }
    if (any) text_printf(why, "has no theory of %s that speaks of all these operations", o->name);
    else text_printf(why, "has no theory of object %s", o->name);
    return NULL;
}
