/* Which object do these methods belong to, when neither the user nor the file says?
 *
 * A type fits when it has every method of the history with as many arguments as the history's operations have.
 *   1. Among the types that have them all by their own names: the one whose methods the others have as well. So
 *      write and read mean a register although a cas-register has them too, and add(x), remove(x) mean a set.
 *   2. Otherwise the only type that has them by name or alias.
 * Types marked `named_only` are candidates to be named in the error, never the answer: add(x) with remove() may be a
 * queue, a stack or a multiset, and a wrong guess would be a wrong verdict. */
#include "object/object.h"

enum { MAX_CANDIDATES = 64, MAX_METHODS = 256 };

typedef struct arities {
    uint8_t least[MAX_METHODS], most[MAX_METHODS];
} arities;

static void find_arities(const history *h, arities *a) {
    memset(a->least, UINT8_MAX, sizeof a->least);
    memset(a->most, 0, sizeof a->most);
    for (uint32_t i = 0; i < h->n; i++) {
        uint8_t m = h->method[i], n = h->nargs[i];
        if (n < a->least[m]) a->least[m] = n;
        if (n > a->most[m]) a->most[m] = n;
    }
}

static bool fits(const object_type *t, const history *h, const arities *a,
                 int (*find)(const object_type *, const char *)) {
    int key = t->key_inside && h->key ? -1 : t->keyed && !h->key;
    for (unsigned m = 0; m < h->methods; m++) {
        int found = find(t, h->method_name[m]);
        if (found < 0) return false;
        if (a->least[m] > a->most[m]) continue; /* all its operations were dropped */
        const method *own = &t->methods[found];
        int apart = t->key_inside && !own->max_args ? 0 : key;    /* of all keys */
        bool pair = own->min_args == 2 && a->least[m] == 1 + key; /* [old new] as one argument */
        bool as_one = t->spread && own->min_args > 1 && a->least[m] == 1;
        if ((a->least[m] < own->min_args + apart && !pair && !as_one) || a->most[m] > own->max_args + apart)
            return false;
    }
    return true;
}

typedef struct type_candidates {
    const object_type *type[MAX_CANDIDATES];
    unsigned count;
} type_candidates;

/* Types that are inferred last count only when no other fits. */
static type_candidates find_candidates(const history *h, const arities *a,
                                       int (*find)(const object_type *, const char *)) {
    type_candidates c = {.count = 0};
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)) && c.count < MAX_CANDIDATES; i++)
        if (fits(t, h, a, find)) c.type[c.count++] = t;
    unsigned first = 0;
    for (unsigned i = 0; i < c.count; i++)
        if (!c.type[i]->inferred_last) c.type[first++] = c.type[i];
    if (first) c.count = first;
    return c;
}

static bool has_methods_of(const object_type *t, const object_type *smaller) {
    for (unsigned m = 0; m < smaller->method_count; m++)
        if (object_type_own_method(t, smaller->methods[m].name) < 0) return false;
    return true;
}

/* Not counting the types that are named only. */
static const object_type *smallest(const type_candidates *c) {
    for (unsigned i = 0; i < c->count; i++) {
        bool in_all = !c->type[i]->named_only;
        for (unsigned k = 0; k < c->count && in_all; k++)
            in_all = c->type[k]->named_only || has_methods_of(c->type[k], c->type[i]);
        if (in_all) return c->type[i];
    }
    return NULL;
}

/* A method that no object at all has; h->methods: each is some object's. */
static unsigned stranger(const history *h) {
    unsigned m = 0, i = 0;
    for (const object_type *t; m < h->methods && (t = object_type_at(i));) {
        bool known = object_type_method(t, h->method_name[m]) >= 0;
        m += known;
        i = known ? 0 : i + 1;
    }
    return m;
}

static const object_type *refuse(const type_candidates *c, const history *h, const char *file, error *e) {
    text names = {0};
    for (unsigned i = 0; i < c->count; i++) text_printf(&names, "%s%s", i ? ", " : "", c->type[i]->name);
    if (h->n == 0) error_set(e, EXIT_BAD_INPUT, "%s: no operations; say which object it is of", file);
    else if (c->count == 0 && stranger(h) < h->methods)
        error_set(e, EXIT_BAD_INPUT,
                  "%s:%u: unknown method '%.60s'; expected one of an object that `plumb objects` lists", file,
                  h->method_line[stranger(h)], h->method_name[stranger(h)]);
    else if (c->count == 0)
        error_set(e, EXIT_BAD_INPUT, "%s:%u: no object has all methods of this history (%.60s, ...); say which it is",
                  file, h->method_line[0], h->method_name[0]);
    else
        error_set(e, EXIT_BAD_INPUT, "%s: the methods do not tell which object this is (they fit %s); say which it is",
                  file, text_str(&names));
    text_free(&names);
    return NULL;
}

const object_type *object_infer(const history *h, const char *file, error *e) {
    arities a;
    find_arities(h, &a);
    type_candidates own = find_candidates(h, &a, object_type_own_method),
                    any = find_candidates(h, &a, object_type_method);
    if (h->n == 0) return refuse(&any, h, file, e);
    const object_type *t = smallest(&own);
    if (t) return t;
    if (any.count == 1 && !any.type[0]->named_only) return any.type[0];
    return refuse(&any, h, file, e);
}
