#include "object/relax.h"

#include "base/words.h"
#include "object/initial.h"
#include "object/regular.h"
#include "object/spurious.h"
#include "object/wide.h"

#include <assert.h>

static unsigned methods_with(const object_type *t, unsigned role) {
    unsigned count = 0;
    for (unsigned m = 0; m < t->method_count; m++) count += (t->methods[m].role & role) != 0;
    return count;
}

/* An order of elements: a line with ends, or priorities. */
static bool has_order(const object_type *t) {
    unsigned plain = t->words ? t->words->first : t->method_count;
    return (t->ends || t->better) && methods_with(t, ROLE_ADDS) + methods_with(t, ROLE_REMOVES) == plain;
}

bool relax_is_full(const object *o, uint32_t elements) {
    for (unsigned p = 0; p < OBJECT_PARAMETERS && o->type->parameters[p].name; p++)
        if (!strcmp(o->type->parameters[p].name, "capacity") && o->parameter[p]) return elements >= o->parameter[p];
    return false;
}

/* By priority: behind all that are worse; of equals, the oldest nearest to the end, or, where age does not matter, by
 * handle. */
static uint32_t place_by_priority(const object *o, const state *s, uint32_t first, uint32_t width, value v) {
    uint32_t low = 0, high = (s->n - first) / width;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        value there = s->w[first + middle * width];
        int c = o->type->better(o, there, v);
        bool stays_below = c < 0 || (c == 0 && !o->type->oldest_among_equals && there < v);
        if (stays_below) low = middle + 1;
        else high = middle;
    }
    assert(!low || o->type->better(o, s->w[first + (low - 1) * width], v) <= 0);
    assert(first + low * width == s->n || o->type->better(o, s->w[first + low * width], v) >= 0);
    return first + low * width;
}

uint32_t relax_place(const object *o, const state *s, uint32_t first, uint32_t width, const operation *op) {
    if (o->type->better) return place_by_priority(o, s, first, width, op->arg[0]);
    return relax_at_right(o, op->method) ? s->n : first;
}

static void copy_type(object *o) {
    assert(!o->relaxed); /* once */
    o->relaxed = MEM_NEW(object_type);
    *o->relaxed = *o->type;
    o->relaxed->urgency = NULL; /* hints for the strict object */
    o->relaxed->run = NULL;
    o->strict = o->type;
}

static bool relax_type(object *o, void (*relax)(object_type *)) {
    copy_type(o);
    relax(o->relaxed);
    if (o->type->words) o->words = wide_relax(o->relaxed);
    o->type = o->relaxed;
    return true;
}

static bool is_defined(const object_type *t, const criterion *c, error *e) {
    if (t->together) return true;
    return error_set(e, EXIT_USAGE, "criterion %s makes no sense for object %s: its operations take effect one by one",
                     criterion_type_of(c->kind)->name, t->name);
}

/* ---- criteria that services and sharded containers promise ---- */

static bool is_one_of(const object_type *t, const char *names) {
    return words_find(names, t->name, strlen(t->name)) >= 0;
}

static bool refuse(const object_type *t, const criterion *c, const char *why, error *e) {
    return error_set(e, EXIT_USAGE, "criterion %s is not defined for object %s: %s", criterion_type_of(c->kind)->name,
                     t->name, why);
}

/* Sequential consistency of parts says nothing of the whole: all keys, all elements have to be in one state. */
static bool relax_sequential(object *o, error *e) {
    const object_type *t = o->type;
    if (t->together || t->part) return refuse(t, &o->criterion, "its operations are not those of one state", e);
    while (t && (t->keyed || t->parts_by_arg)) t = t->wider;
    if (!t) return refuse(o->type, &o->criterion, "its keys are not in one state", e);
    return t == o->type || object_widen(o, t, e);
}

static bool relax_answers(object *o, error *e) {
    if (o->type->together) return refuse(o->type, &o->criterion, "its operations take effect together", e);
    copy_type(o);
    if (!relax_spurious(o, o->relaxed, e)) return false;
    o->type = o->relaxed;
    return true;
}

static bool relax_reads(object *o, error *e) {
    if (!is_one_of(o->type, "register swmr-register kv"))
        return refuse(o->type, &o->criterion, "it is about reads and plain writes of registers and keys", e);
    copy_type(o);
    relax_regular(o, o->relaxed);
    o->type = o->relaxed;
    return true;
}

static bool relax_promise(object *o, const criterion *c, error *e) {
    const object_type *t = o->type;
    switch (c->kind) {
    case CRITERION_SPURIOUS: return relax_answers(o, e);
    case CRITERION_SEQUENTIAL: return relax_sequential(o, e);
    case CRITERION_REGULAR:
    case CRITERION_SAFE: return relax_reads(o, e);
    case CRITERION_PRODUCER_FIFO:
        if (!is_one_of(t, "queue wide-queue")) return refuse(t, c, "it is about queues", e);
        return relax_type(o, relax_producer_fifo);
    case CRITERION_STALE:
        if (!is_one_of(t, "kv wide-kv register cas-register wide-register"))
            return refuse(t, c, "it is about reads of registers and keys", e);
        return relax_type(o, relax_stale);
    default:
        assert(c->kind == CRITERION_LOCAL);
        if (!t->by_value || !methods_with(t, ROLE_ADDS) || !methods_with(t, ROLE_REMOVES))
            return refuse(t, c, "it is about containers", e);
        return true;
    }
}

/* ---- quasi with a limit for each method ---- */

static bool find_limits(object *o, error *e) {
    const object_type *t = o->type;
    criterion *c = &o->criterion;
    bool given[CRITERION_METHODS] = {false};
    memset(c->of_method, 0, sizeof c->of_method);
    for (const char *list = c->answers; *list;) {
        char name[CRITERION_ANSWERS];
        uint32_t limit;
        if (!criterion_method_limit(&list, name, &limit, e)) return false;
        int m = object_type_method(t, name);
        if (m < 0) return error_set(e, EXIT_USAGE, "criterion quasi: object %s has no method '%s'", t->name, name);
        if (given[m]) return error_set(e, EXIT_USAGE, "criterion quasi: method %s has two limits; expected one", name);
        given[m] = true;
        c->of_method[m] = limit;
    }
    return true;
}

/* What is the plain criterion said by its methods is decided by the engines of that: adds in their order, all removals
 * alike. */
static bool is_plain_quasi(object *o) {
    const object_type *t = o->type;
    bool plain = true, first = true;
    uint32_t limit = 0;
    for (unsigned m = 0; m < t->method_count; m++) {
        uint32_t own = o->criterion.of_method[m];
        if (!(t->methods[m].role & ROLE_REMOVES)) plain &= own == 0;
        else plain &= first || own == limit;
        if (t->methods[m].role & ROLE_REMOVES) {
            limit = own;
            first = false;
        }
    }
    if (plain) o->criterion.limit[0] = o->criterion.limit[1] = limit;
    return plain;
}

static bool relax_line_by_method(object *o, error *e) {
    const object_type *t = o->type;
    if (is_plain_quasi(o)) return relax_type(o, relax_overtaking);
    if (t->words)
        return error_set(e, EXIT_USAGE,
                         "criterion quasi by methods is not defined for object %s: it has methods that "
                         "are said in terms of others",
                         t->name);
    for (unsigned m = 0; m < t->method_count; m++)
        if (t->better && t->methods[m].role & ROLE_ADDS && o->criterion.of_method[m])
            return error_set(e, EXIT_USAGE,
                             "criterion quasi: %s of object %s goes where its priority says; expected %s=0",
                             t->methods[m].name, t->name, t->methods[m].name);
    o->criterion.kind = CRITERION_BY_METHOD;
    return relax_type(o, relax_overtaking);
}

static bool can_move(const method *m) { return m->max_args == 0 && m->result != RESULT_VOID; }

static bool relax_results_by_method(object *o, error *e) {
    const object_type *t = o->type;
    bool any = false;
    if (t->together) return refuse(t, &o->criterion, "its operations take effect together", e);
    if (t->words) return refuse(t, &o->criterion, "it has methods that are said in terms of others", e);
    for (unsigned m = 0; m < t->method_count; m++) {
        const method *own = &t->methods[m];
        if (!o->criterion.answers[0] && can_move(own)) o->criterion.of_method[m] = o->criterion.limit[0];
        if (o->criterion.of_method[m] && !can_move(own))
            return error_set(
                e, EXIT_USAGE,
                "criterion quasi: %s of object %s %s; expected %s=0, since its results alone can come early "
                "or late",
                own->name, t->name, own->max_args ? "has arguments" : "returns nothing", own->name);
        any |= can_move(own);
    }
    if (!any) return refuse(t, &o->criterion, "none of its methods returns something and has no argument", e);
    o->criterion.kind = CRITERION_BY_METHOD;
    copy_type(o);
    relax_results(o, o->relaxed);
    o->type = o->relaxed;
    return true;
}

static bool relax_by_method(object *o, error *e) {
    static_assert((int)CRITERION_METHODS == (int)OBJECT_METHODS, "a limit for each method");
    o->criterion.kind = CRITERION_QUASI;
    if (!find_limits(o, e)) return false;
    if (!o->criterion.answers[0] && o->criterion.limit[0] != o->criterion.limit[1])
        return refuse(o->type, &o->criterion, "its elements have no order, so that nothing is overtaken", e);
    return has_order(o->type) ? relax_line_by_method(o, e) : relax_results_by_method(o, e);
}

bool object_relax(object *o, const criterion *c, error *e) {
    const object_type *t = o->type;
    const char *name = criterion_type_of(c->kind)->name;
    if (c->kind == CRITERION_LINEARIZABLE && !c->asked) return true;
    o->criterion = *c;
    if (c->kind == CRITERION_LINEARIZABLE) return true;
    if (criterion_is_together(c)) return is_defined(t, c, e);
    if (criterion_is_quasi(c) && (c->answers[0] || (!has_order(t) && o->extra))) return relax_by_method(o, e);
    if (c->kind > CRITERION_INTERVAL) return relax_promise(o, c, e);
    if (!has_order(t))
        return error_set(e, EXIT_USAGE, "criterion %s makes no sense for object %s: its elements have no order", name,
                         t->name);
    bool two_ends = methods_with(t, ROLE_REMOVES) > 1;
    if (two_ends && c->kind != CRITERION_QUASI)
        return error_set(e, EXIT_USAGE, "criterion %s is not defined for object %s: it has two ends", name, t->name);
    if (t->words && c->kind != CRITERION_QUASI && c->kind != CRITERION_OUT_OF_ORDER)
        return error_set(e, EXIT_USAGE,
                         "criterion %s is not defined for object %s: it is about adds and removals alone", name,
                         t->name);
    switch (c->kind) {
    case CRITERION_QUASI: return relax_type(o, relax_overtaking);
    case CRITERION_OUT_OF_ORDER: return relax_type(o, relax_out_of_order);
    default: return relax_type(o, relax_displacement);
    }
}

void relax_free(object *o) {
    free(o->relaxed);
    free(o->words);
    free(o->excused);
    o->relaxed = NULL;
    o->words = NULL;
    o->excused = NULL;
    o->strict = NULL;
}

bool object_widen(object *o, const object_type *wider, error *e) {
    bool was_relaxed = o->relaxed != NULL;
    if (o->init_text && !wider->takes_init)
        return error_set(e, EXIT_USAGE, "object %s takes no initial value, and the history has methods of it",
                         wider->name);
    initial_free(o); /* it is given its values again */
    relax_free(o);
    o->type = wider;
    return !was_relaxed || object_relax(o, &o->criterion, e);
}
