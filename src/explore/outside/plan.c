#include "explore/outside/plan.h"

#include "explore/model/role.h"
#include "observe/observer.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <plumbline/test.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROLES_MOST = 32, DRAWN_LENGTH = 6 };

static bool parse_range(const char *what, const char *given, unsigned least, unsigned most, unsigned *low,
                        unsigned *high, error *e) {
    char *end;
    unsigned long a = strtoul(given, &end, 10), b = a;
    if (*end == '-') b = strtoul(end + 1, &end, 10);
    if (*end || a < least || b < a || b > most)
        return error_set(e, EXIT_USAGE, "--%s %s: expected a number or a range like 2-3, from %u to %u", what, given,
                         least, most);
    assert(least <= most);
    *low = (unsigned)a;
    *high = (unsigned)b;
    return true;
}

/* The first item of a kind; NULL: there is none. */
static const char *declared(const declarations *d, enum plumb_item_kind kind) {
    for (unsigned i = 0; i < d->items; i++)
        if (d->item[i].kind == kind) return d->item[i].words;
    return NULL;
}

/* Every declared operation must be a method of the object. */
static bool operations_known(const declarations *d, const object *o, error *e) {
    for (unsigned i = 0; i < d->items; i++) {
        const declared_item *item = &d->item[i];
        if (item->kind != PLUMB_ITEM_OPERATION || object_type_method(o->type, item->words) >= 0) continue;
        text methods = {0};
        for (unsigned m = 0; m < o->type->method_count; m++) text_printf(&methods, " %s", o->type->methods[m].name);
        error_set(e, EXIT_BAD_INPUT, "%s:%u: '%s' is not a method of object %s; expected one of:%s", item->file,
                  item->line, item->words, o->name, text_str(&methods));
        text_free(&methods);
        return false;
    }
    return true;
}

/* Longer names do not fit into the programs that are made. */
static bool names_fit(const declarations *d, error *e) {
    for (unsigned i = 0; i < d->items; i++)
        if (d->item[i].kind == PLUMB_ITEM_OPERATION && strlen(d->item[i].words) >= PROGRAM_NAME)
            return error_set(e, EXIT_BAD_INPUT, "%s:%u: '%s' is too long a name; expected less than %d characters",
                             d->item[i].file, d->item[i].line, d->item[i].words, PROGRAM_NAME);
    return true;
}

/* What goes into a queue is told apart by its number; where order or equality of values matters to the object, small
 * ranges. */
static program_operation operation_of(const declared_item *item, const object *o) {
    program_operation op = {.nargs = item->nargs};
    assert(item->nargs <= PROGRAM_ARGS && strlen(item->words) < sizeof op.name);
    snprintf(op.name, sizeof op.name, "%s", item->words);
    for (unsigned a = 0; a < PROGRAM_ARGS; a++) {
        op.low[a] = 1;
        op.high[a] = 2;
        op.drawn_high[a] = 3;
    }
    int m = o ? object_type_method(o->type, item->words) : -1;
    bool adds = m >= 0 && o->type->methods[m].role & ROLE_ADDS;
    bool ordered = o && !strncmp(o->type->name, "pqueue", 6);
    op.initial = op.adds = adds;
    op.removes = m >= 0 && o->type->methods[m].role & ROLE_REMOVES && !item->nargs;
    op.fresh = item->nargs == 1 && o && !o->type->parts_by_arg && !o->type->keyed && !ordered &&
               (adds || !strcmp(item->words, "write"));
    return op;
}

static unsigned capacity_of(const object *o) {
    for (unsigned i = 0; o && i < OBJECT_PARAMETERS; i++)
        if (o->type->parameters[i].name && !strcmp(o->type->parameters[i].name, "capacity"))
            return (unsigned)o->parameter[i];
    return 0;
}

/* With serial runs, or with runs that are out of order. */
static bool runs_are_compared(const explore_settings *s) {
    return s->serial || s->golden || s->how.criterion || s->quasi || s->measure;
}

static void contracts_of(const declarations *d, program_operation *op) {
    unsigned role = 0;
    for (unsigned i = 0; i < d->items; i++) {
        op->waits |= d->item[i].kind == PLUMB_ITEM_WAITS && !strcmp(d->item[i].words, op->name);
        if (d->item[i].kind != PLUMB_ITEM_ONE_THREAD) continue;
        if (role < ROLES_MOST && role_has(d->item[i].words, op->name)) op->roles |= UINT32_C(1) << role;
        role++;
    }
}

static bool is_operation(const declarations *d, const char *name, size_t n) {
    for (unsigned i = 0; i < d->items; i++)
        if (d->item[i].kind == PLUMB_ITEM_OPERATION && strlen(d->item[i].words) == n &&
            !memcmp(d->item[i].words, name, n))
            return true;
    return false;
}

/* A contract of an operation that there is not would be kept by every program. */
static bool roles_known(const declarations *d, error *e) {
    unsigned roles = 0;
    for (unsigned i = 0; i < d->items; i++) {
        if (d->item[i].kind != PLUMB_ITEM_ONE_THREAD) continue;
        if (++roles > ROLES_MOST)
            return error_set(e, EXIT_BAD_INPUT, "%s:%u: more than %d PLUMB_ONE_THREAD", d->item[i].file,
                             d->item[i].line, ROLES_MOST);
        size_t n;
        for (const char *at = d->item[i].words, *name; (name = role_next(&at, &n));)
            if (!is_operation(d, name, n))
                return error_set(e, EXIT_BAD_INPUT, "%s:%u: PLUMB_ONE_THREAD: '%.*s' is not a declared operation",
                                 d->item[i].file, d->item[i].line, (int)n, name);
    }
    return true;
}

static bool space_of(const explore_settings *s, const declarations *d, const object *o, program_space *out, error *e) {
    *out = (program_space){
        .min_threads = 2, .max_threads = 3, .min_length = 1, .max_length = 3, .capacity = capacity_of(o)};
    for (unsigned i = 0; i < d->items && out->ops < PROGRAM_OPERATIONS; i++)
        if (d->item[i].kind == PLUMB_ITEM_OPERATION) out->op[out->ops++] = operation_of(&d->item[i], o);
    for (unsigned k = 0; k < out->ops; k++) contracts_of(d, &out->op[k]);
    if (s->operations && !programs_restrict(out, s->operations, e)) return false;
    if (s->thread_range &&
        !parse_range("threads", s->thread_range, 1, PROGRAM_THREADS, &out->min_threads, &out->max_threads, e))
        return false;
    if (s->length_range &&
        !parse_range("length", s->length_range, 1, PROGRAM_LENGTH, &out->min_length, &out->max_length, e))
        return false;
    out->drawn_length = s->length_range || out->max_length > DRAWN_LENGTH ? out->max_length : DRAWN_LENGTH;
    for (unsigned k = 0; k < out->ops; k++)
        if (out->op[k].initial) out->max_initial = 2;
    out->drains = runs_are_compared(s);
    assert(out->min_threads <= out->max_threads && out->min_length <= out->max_length && out->ops);
    return true;
}

static bool monitor_fits(const char *what, const object *o, error *e) {
    if (!o)
        return error_set(e, EXIT_USAGE,
                         "--monitor %s: there is no object to monitor; expected --object, or PLUMB_OBJECT in the test",
                         what);
    observer *m = observer_asked(!strcmp(what, "agree") ? "pattern" : what, o, e);
    observer_close(m);
    return m;
}

/* ---- is the test well-formed? ---- */

static unsigned calls_of(const char *threads, const object *o, unsigned role) {
    unsigned n = 0;
    for (const char *p = threads; *p;) {
        size_t blank = strspn(p, " \t|:"), length = strcspn(p + blank, " \t|:(");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, p + blank);
        int m = length ? object_type_method(o->type, name) : -1;
        n += m >= 0 && o->type->methods[m].role & role;
        p += blank + length;
        if (*p == '(') {
            p += strcspn(p, ")");
            p += *p == ')';
        }
    }
    return n;
}

/* Section V.D of the Round-Up paper. Leftovers are never mistaken for a violation here (docs/CRITERIA.md); but they
 * are never looked at. */
static void note_leftovers(const char *threads, const object *o, text *notes) {
    unsigned in = calls_of(threads, o, ROLE_ADDS), out = calls_of(threads, o, ROLE_REMOVES);
    if (in <= out) return;
    text_printf(
        notes,
        "the test \"%s\" is not well-formed: it puts %u in and takes %u out. What stays inside is never seen, so an "
        "element that is lost, doubled or "
        "out of order there goes unnoticed; operations behind another colon are done at the end and can take it out\n",
        threads, in, out);
}

static bool criterion_fits(const explore_settings *s, const plan *p, object *o, error *e) {
    assert(!s->measure || p->criterion.kind == CRITERION_QUASI);
    const criterion *c = &p->criterion;
    if (c->kind == CRITERION_LINEARIZABLE) return true;
    if (!o && s->serial && criterion_is_quasi(c) && !s->measure) return true; /* of the serial runs themselves */
    if (!o && s->serial)
        return error_set(e, EXIT_USAGE, "criterion %s is not defined for serial runs; expected linearizable or quasi",
                         criterion_type_of(c->kind)->name);
    if (!o)
        return error_set(e, EXIT_USAGE,
                         "a criterion other than linearizable needs an object, or, for quasi, serial runs; expected "
                         "--object, PLUMB_OBJECT in the test, or --serial");
    if (s->how.monitor)
        return error_set(e, EXIT_USAGE,
                         "--monitor is for linearizability; expected it without --criterion, --quasi and --measure");
    if (s->serial && criterion_is_of_reads(c))
        return error_set(e, EXIT_USAGE, "--serial compares runs, which criterion %s does not; expected one of them",
                         criterion_type_of(c->kind)->name);
    bool explored = criterion_is_quasi(c) || criterion_is_of_reads(c) || c->kind == CRITERION_OUT_OF_ORDER ||
                    c->kind == CRITERION_STALE;
    if (!explored)
        return error_set(e, EXIT_USAGE,
                         "criterion %s is for recorded histories; expected linearizable, quasi, out-of-order, stale, "
                         "regular or safe",
                         criterion_type_of(c->kind)->name);
    return object_relax(o, c, e);
}

/* Which accesses happened before which, and which threads waited on the way, is what a state does not remember. */
static bool states_fit(const explore_settings *s, error *e) {
    if (strcmp(s->how.strategy, "states")) return true;
    if (s->how.races)
        return error_set(e, EXIT_USAGE,
                         "--strategy states does not look for data races: a state does not say what "
                         "happened before; expected --races with another strategy");
    if (strcmp(s->how.progress, "none"))
        return error_set(e, EXIT_USAGE,
                         "--strategy states does not judge --progress: a state does not say who waited; "
                         "expected another strategy");
    return true;
}

const char *buffers_lack(const explore_settings *s) {
    return s->how.monitor                    ? "--monitor"
           : s->serial                       ? "--serial"
           : s->measure                      ? "--measure"
           : s->quasi || s->how.criterion    ? "--criterion"
           : strcmp(s->how.progress, "none") ? "--progress"
                                             : NULL;
}

/* What does not know of store buffers is refused by name. */
static bool buffers_fit(const explore_settings *s, error *e) {
    const char *named = s->how.strategy;
    if (!strcmp(named, "graphs") || !strcmp(named, "states"))
        return error_set(e, EXIT_USAGE,
                         "--model tso explores interleavings of store buffers; expected it without --strategy %s",
                         named);
    const char *other = buffers_lack(s);
    return !other ||
           error_set(e, EXIT_USAGE, "%s does not know when a store has reached memory; expected it without --model tso",
                     other);
}

const char *graphs_lack(const explore_settings *s, const declarations *d) {
    const char *other = s->how.monitor                    ? "--monitor"
                        : s->serial                       ? "--serial"
                        : s->measure                      ? "--measure"
                        : s->quasi || s->how.criterion    ? "--criterion"
                        : strcmp(s->how.progress, "none") ? "--progress"
                        : s->checkpoint                   ? "--checkpoint"
                        : !strcmp(s->how.reuse, "choose") ? "--reuse choose"
                                                          : NULL;
    for (unsigned i = 0; i < d->items && !other; i++)
        if (d->item[i].kind == PLUMB_ITEM_INVARIANT) other = "PLUMB_INVARIANT";
    return other;
}

/* What execution graphs are not for is refused by name. */
static bool model_fits(const explore_settings *s, const declarations *d, const char *object_name, error *e) {
    const char *model = s->how.model, *named = s->how.strategy;
    const bool graphs = !strcmp(model, "rc11") || !strcmp(model, "ra") || !strcmp(named, "graphs");
    if (!strcmp(model, "tso")) return buffers_fit(s, e);
    if (!graphs) return true;
    if (strcmp(named, "auto") && strcmp(named, "graphs"))
        return error_set(e, EXIT_USAGE, "--model %s explores execution graphs; expected it without --strategy %s",
                         model, named);
    const char *other = graphs_lack(s, d);
    if (!strcmp(model, "sc") && object_name)
        return error_set(
            e, EXIT_USAGE,
            "--strategy graphs does not check histories under sc; expected --model rc11, or --object none");
    return !other || error_set(e, EXIT_USAGE, "%s is for interleavings; expected it without --model %s", other, model);
}

void plan_free(plan *p) { text_free(&p->notes); }

bool plan_make(const explore_settings *s, const criterion *asked, const declarations *d, plan *p, error *e) {
    unsigned operations = 0;
    *p = (plan){.object = s->how.object ? s->how.object : declared(d, PLUMB_ITEM_OBJECT),
                .init = s->how.init ? s->how.init : declared(d, PLUMB_ITEM_INITIAL),
                .criterion = *asked};
    if (p->object && !strcmp(p->object, "none")) p->object = NULL;
    if (s->golden && !s->serial)
        return error_set(e, EXIT_USAGE,
                         "--golden says whose serial runs are the specification; expected --serial as well");
    if (!model_fits(s, d, p->object, e)) return false;
    if (s->serial && s->how.monitor)
        return error_set(e, EXIT_USAGE, "--serial and --monitor are two ways to check; expected one");
    if (!states_fit(s, e)) return false;
    if (s->serial && declared(d, PLUMB_ITEM_SIGNAL))
        return error_set(e, EXIT_USAGE,
                         "--serial compares with operations that nothing interrupts; expected it without PLUMB_SIGNAL");
    for (unsigned i = 0; i < d->items; i++) {
        operations += d->item[i].kind == PLUMB_ITEM_OPERATION;
        p->has_symmetry |= d->item[i].kind == PLUMB_ITEM_SYMMETRY;
        if (d->item[i].kind == PLUMB_ITEM_THREADS && p->threads_n < PLAN_PROGRAMS && !s->operations)
            p->threads[p->threads_n++] = d->item[i].words;
    }
    if (s->how.threads) {
        p->threads[0] = s->how.threads;
        p->threads_n = 1;
    }
    p->makes_programs = !p->threads_n && operations && (!d->has_main || s->operations);
    if (!p->makes_programs && !p->threads_n && !d->has_main)
        return error_set(
            e, EXIT_BAD_INPUT,
            "the test has neither operations nor a main; expected PLUMB_OP(...) or main (see plumbline/test.h)");
    object *o = p->object ? specification_open(p->object, p->init, e) : NULL;
    bool good = (!p->object || (o && operations_known(d, o, e))) && roles_known(d, e);
    if (good && o && criterion_is_together(&o->criterion))
        good = error_set(
            e, EXIT_USAGE,
            "object %s: its operations take effect together; expected one whose operations can be explored one by one",
            o->name);
    if (good && p->makes_programs) good = names_fit(d, e) && space_of(s, d, o, &p->space, e);
    if (good && s->how.monitor) good = monitor_fits(s->how.monitor, o, e);
    for (unsigned i = 0; good && o && runs_are_compared(s) && i < p->threads_n; i++)
        note_leftovers(p->threads[i], o, &p->notes);
    good = good && criterion_fits(s, p, o, e);
    assert(p->threads_n <= PLAN_PROGRAMS && !(p->makes_programs && p->threads_n));
    assert(!good || !s->how.monitor || p->object);
    object_close(o);
    return good;
}
