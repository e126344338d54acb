/* spurious(deq=empty,enq=full): such an answer is allowed whatever the state is while another operation overlaps, or,
 * with `when=always`, always (docs/CRITERIA.md, "spurious").
 *
 * Whether an operation is excused is a matter of the history, so it is found when the history is bound: an excused
 * operation becomes one of another method, of the same name, that observes and can come anywhere. */
#include "object/spurious.h"

#include <assert.h>
#include <string.h>

static bool answer_named(const char *name, size_t n, value *out) {
    static const struct {
        const char *word;
        value v;
    } known[] = {{"empty", VALUE_EMPTY}, {"full", VALUE_FULL}, {"false", VALUE_FALSE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == n && !memcmp(known[i].word, name, n)) {
            *out = known[i].v;
            return true;
        }
    return false;
}

typedef struct excuse {
    uint8_t method;
    value answer;
} excuse;

typedef struct excuses {
    excuse at[OBJECT_METHODS];
    unsigned n;
    bool always;
} excuses;

/* "deq=empty": one more; `when=always` is no method. */
static bool take_excuse(const object_type *t, const char *s, size_t length, excuses *x, error *e) {
    const char *equals = memchr(s, '=', length);
    size_t n = equals ? (size_t)(equals - s) : length;
    char name[CRITERION_ANSWERS];
    memcpy(name, s, n);
    name[n] = 0;
    if (!strcmp(name, "when")) {
        x->always = !strncmp(equals ? equals + 1 : "", "always", length - n - 1);
        return x->always || error_set(e, EXIT_USAGE, "criterion spurious: expected when=always");
    }
    int m = object_type_method(t, name);
    value answer;
    if (m < 0) return error_set(e, EXIT_USAGE, "criterion spurious: object %s has no method '%s'", t->name, name);
    if (!equals || !answer_named(equals + 1, length - n - 1, &answer))
        return error_set(e, EXIT_USAGE, "criterion spurious: expected %s=empty, %s=full or %s=false", name, name, name);
    if (x->n == OBJECT_METHODS - t->method_count)
        return error_set(e, EXIT_USAGE, "criterion spurious: too many answers");
    x->at[x->n++] = (excuse){(uint8_t)m, answer};
    return true;
}

static bool take_excuses(const object_type *t, const criterion *c, excuses *x, error *e) {
    *x = (excuses){.n = 0};
    for (const char *s = c->answers; *s;) {
        size_t n = strcspn(s, ",");
        if (!take_excuse(t, s, n, x, e)) return false;
        s += n;
        s += strspn(s, ", ");
    }
    return x->n || error_set(e, EXIT_USAGE, "criterion spurious: expected answers, such as spurious(deq=empty)");
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (op->method < o->strict->method_count) return o->strict->step(o, s, op, choice, res);
    *res = op->res;
    return step_if(choice == 0);
}

static void leave_out_excused(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
    }
}

bool relax_spurious(object *o, object_type *t, error *e) {
    excuses x;
    if (!take_excuses(o->type, &o->criterion, &x, e)) return false;
    o->excused = MEM_ARRAY(method, OBJECT_METHODS);
    memcpy(o->excused, t->methods, t->method_count * sizeof *o->excused);
    for (unsigned i = 0; i < x.n; i++) {
        method *twin = &o->excused[t->method_count + i];
        *twin = t->methods[x.at[i].method];
        twin->aliases = NULL;
        twin->result = RESULT_ANY;
        twin->role = ROLE_OBSERVES;
    }
    t->methods = o->excused;
    t->method_count += x.n;
    t->step = step;
    t->ends = NULL; /* by method */
    t->settle = NULL;
    if (t->leave_out == leave_out_by_value) return true; /* asks for roles and results alone */
    t->leave_out = leave_out_excused;
    t->by_value = false;
    t->looks_for = NULL;
    t->brings = NULL;
    return true;
}

/* Operations of one part, by call: does another overlap this one? */
static bool overlaps(const history *h, const uint32_t *op, uint32_t n, uint32_t i, uint32_t last_ret) {
    return last_ret > h->call[op[i]] || (i + 1 < n && h->call[op[i + 1]] < h->ret[op[i]]);
}

static void excuse_one(const excuses *x, unsigned plain, history *h, uint32_t i) {
    for (unsigned k = 0; k < x->n; k++)
        if (h->method[i] == x->at[k].method && h->res[i] == x->at[k].answer && !history_pending(h, i)) {
            h->method[i] = (uint8_t)(plain + k);
            return;
        }
}

void spurious_excuse(const object *o, history *h) {
    excuses x;
    error e = {0};
    bool good = take_excuses(o->strict, &o->criterion, &x, &e);
    assert(good);
    (void)good;
    partition *parts = object_partition(o, h);
    for (uint32_t p = 0; p < parts->count; p++) {
        uint32_t n, last_ret = 0;
        const uint32_t *op = partition_ops(parts, p, &n);
        for (uint32_t i = 0; i < n; i++) {
            bool excused = x.always || overlaps(h, op, n, i, last_ret);
            if (h->ret[op[i]] > last_ret) last_ret = h->ret[op[i]];
            if (excused) excuse_one(&x, o->strict->method_count, h, op[i]);
        }
    }
    partition_free(parts);
}
