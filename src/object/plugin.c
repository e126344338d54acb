/* A plug-in as an object like all others. A flat state is its bytes as state words; a state with pointers is kept in a
 * table and is one word, its number there. Every call gets a copy at an address aligned for anything. */
#include "object/plugin.h"

#include "base/pool.h"
#include "object/plugin_state.h"
#include "object/plugin_value.h"
#include "object/selftest.h"
#include "object/set_spec.h"

#include <dlfcn.h>
#include <stdalign.h>
#include <string.h>

typedef struct plugin {
    void *library; /* NULL: in memory already */
    plumb_object definition;
    object_type type;
    method methods[OBJECT_METHODS];
    tuple_table *tuples;
    plugin_states *states; /* NULL: states are flat */
    set_spec together;
    pool_cleanup cleanup; /* the library, and what its states own */
} plugin;

static plugin *plugin_of(const object *o) { return o->extra; }

/* ---- states ---- */

typedef struct scratch_state { /* a state to work on */
    alignas(max_align_t) char room[256];
    void *at;
    const plugin *of;
    pool_cleanup cleanup;
} scratch_state;

static void release_scratch(void *scratch) {
    const scratch_state *s = scratch;
    s->of->definition.release(s->at, s->of->definition.context);
}

static void *scratch_begin(const plugin *p, scratch_state *s) {
    size_t size = p->definition.state_size;
    s->at = s->room;
    if (size > sizeof s->room) s->at = mem_zero(1, size);
    else memset(s->room, 0, size);
    s->of = p;
    s->cleanup = (pool_cleanup){.what = NULL};
    if (p->states && p->definition.release) pool_at_failure(&s->cleanup, release_scratch, s);
    return s->at;
}

static void *scratch_load(const plugin *p, scratch_state *s, const state *from) {
    scratch_begin(p, s);
    if (p->states) p->definition.copy(s->at, plugin_states_at(p->states, from->w[0]), p->definition.context);
    else if (from->n) memcpy(s->at, from->w, p->definition.state_size);
    return s->at;
}

static void scratch_end(scratch_state *s) {
    pool_forget(&s->cleanup);
    if (s->at != s->room) free(s->at);
}

static void scratch_drop(const plugin *p, scratch_state *s) {
    if (p->states && p->definition.release) p->definition.release(s->at, p->definition.context);
    scratch_end(s);
}

static void scratch_store(const plugin *p, scratch_state *s, state *to) {
    if (p->states) {
        uint32_t number = plugin_states_keep(p->states, s->at);
        pool_forget(&s->cleanup); /* it is the table's now */
        state_set(to, &number, 1);
    } else {
        uint32_t words = (uint32_t)((p->definition.state_size + 3) / 4);
        state_reserve(to, words);
        to->n = words;
        if (words) {
            to->w[words - 1] = 0; /* what is behind the last byte */
            memcpy(to->w, s->at, p->definition.state_size);
        }
    }
    scratch_end(s);
}

/* ---- steps ---- */

static plumb_operation view_of(const object *o, const operation *op, value result) {
    plugin *p = plugin_of(o);
    plumb_operation view = {.method = op->method, .client = op->client, .nargs = op->nargs};
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) view.arg[a] = plugin_value(p->tuples, o->values, op->arg[a]);
    view.result = plugin_value(p->tuples, o->values, result);
    return view;
}

static void init(const object *o, state *s) {
    const plugin *p = plugin_of(o);
    scratch_state work;
    scratch_begin(p, &work);
    if (p->definition.init) p->definition.init(work.at, p->definition.context);
    scratch_store(p, &work, s);
}

/* As binding brings the results of a history to one form. */
static value normal_result(const object *o, const operation *op, const plumb_value *v) {
    value r = plugin_handle(o->values, v);
    switch (o->type->methods[op->method].result) {
    case RESULT_VOID: return r == VALUE_FULL ? r : VALUE_NONE;
    case RESULT_BOOL: return v->kind == PLUMB_INT ? value_bool(v->as.integer != 0) : r;
    case RESULT_REMOVED: return r == VALUE_NONE ? VALUE_EMPTY : r;
    default: return r;
    }
}

static step_result step_result_of(enum plumb_step taken) {
    return taken == PLUMB_ILLEGAL ? STEP_ILLEGAL : taken == PLUMB_LEGAL_MORE ? STEP_LEGAL_MORE : STEP_LEGAL;
}

static step_result run(const object *o, void *at, const operation *op, uint32_t choice, value *res) {
    const plumb_object *d = &plugin_of(o)->definition;
    plumb_value result = plumb_none();
    bool known = op->res != VALUE_UNKNOWN;
    if (d->step && (known || (!d->apply && !d->step_nth))) {
        plumb_operation view = view_of(o, op, op->res);
        *res = op->res;
        return step_if(choice == 0 && d->step(at, &view, d->context));
    }
    plumb_operation view = view_of(o, op, VALUE_UNKNOWN);
    step_result r = STEP_ILLEGAL;
    if (d->step_nth) {
        r = step_result_of(d->step_nth(at, &view, choice, &result, d->context));
    } else if (choice == 0) {
        result = d->apply(at, &view, d->context);
        r = step_if(result.kind != PLUMB_NEVER);
    }
    if (r != STEP_ILLEGAL) *res = normal_result(o, op, &result);
    return r;
}

/* Choices of the plug-in that do not have the operation's result are passed over, so that every choice seen from
 * outside is a legal one. */
static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    const plugin *p = plugin_of(o);
    uint32_t left = choice;
    for (uint32_t inner = 0;; inner++) {
        scratch_state work;
        scratch_load(p, &work, s);
        step_result r = run(o, work.at, op, inner, res);
        bool fits = r != STEP_ILLEGAL && operation_fits(op, *res);
        if (fits && left == 0) {
            scratch_store(p, &work, s);
            return r;
        }
        left -= fits;
        scratch_drop(p, &work);
        if (r != STEP_LEGAL_MORE) return STEP_ILLEGAL;
    }
}

static bool all_fit(const object *o, const together *t, const plumb_value *result, value *res) {
    for (uint32_t i = 0; i < t->n; i++) {
        if (!together_ends(t, i)) continue;
        res[i] = normal_result(o, t->op[i], &result[i]);
        if (!operation_fits(t->op[i], res[i])) return false;
    }
    return true;
}

static step_result step_together(const object *o, state *s, const together *t, uint32_t choice, value *res) {
    const plugin *p = plugin_of(o);
    plumb_operation view[TOGETHER_MAX];
    uint32_t left = choice;
    for (uint32_t i = 0; i < t->n; i++) view[i] = view_of(o, t->op[i], t->op[i]->res);
    for (uint32_t inner = 0;; inner++) {
        plumb_value result[TOGETHER_MAX];
        scratch_state work;
        for (uint32_t i = 0; i < t->n; i++) result[i] = plumb_none();
        scratch_load(p, &work, s);
        step_result r = step_result_of(
            p->definition.together(work.at, view, t->n, t->begins, t->ends, inner, result, p->definition.context));
        bool fits = r != STEP_ILLEGAL && all_fit(o, t, result, res);
        if (fits && left == 0) {
            scratch_store(p, &work, s);
            return r;
        }
        left -= fits;
        scratch_drop(p, &work);
        if (r != STEP_LEGAL_MORE) return STEP_ILLEGAL;
    }
}

/* ---- the optional parts ---- */

static bool changes_nothing(const object *o, const operation *op) {
    const plumb_object *d = &plugin_of(o)->definition;
    plumb_operation view = view_of(o, op, op->res);
    return d->readonly(&view, d->context);
}

static value part(const object *o, const operation *op) {
    const plumb_object *d = &plugin_of(o)->definition;
    plumb_operation view = view_of(o, op, op->res);
    plumb_value key = d->partition(&view, d->context);
    return plugin_handle(o->values, &key);
}

static void add_text(const char *written, int length, text *out) {
    if (length > 0) text_add(out, written);
}

static void describe(const object *o, const state *s, text *out) {
    const plugin *p = plugin_of(o);
    char written[400] = "";
    if (!p->definition.describe) {
        text_printf(out, "a state of %zu bytes", p->definition.state_size);
        return;
    }
    scratch_state work;
    scratch_load(p, &work, s);
    add_text(written, p->definition.describe(work.at, written, sizeof written, p->definition.context), out);
    scratch_drop(p, &work);
}

/* Without a reason of the plug-in's own: what it would have returned. */
static void say_result(const object *o, const state *s, const operation *op, text *out) {
    state next = {0};
    operation pending = *op;
    value res = VALUE_UNKNOWN;
    pending.res = VALUE_UNKNOWN;
    state_copy(&next, s);
    if (step(o, &next, &pending, 0, &res) == STEP_ILLEGAL || res == VALUE_UNKNOWN) {
        text_printf(out, "%s cannot happen here", object_method(o, op)->name);
    } else {
        text_printf(out, "%s would have returned ", object_method(o, op)->name);
        value_print(o->values, res, out);
    }
    state_free(&next);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    const plugin *p = plugin_of(o);
    char written[400] = "";
    if (!p->definition.why) {
        say_result(o, s, op, out);
        return;
    }
    plumb_operation view = view_of(o, op, op->res);
    scratch_state work;
    scratch_load(p, &work, s);
    add_text(written, p->definition.why(work.at, &view, written, sizeof written, p->definition.context), out);
    scratch_drop(p, &work);
}

/* Called when the object is bound to a history: what was kept pointed into another one. */
static bool forget(const object *o, const history *h, const char *file, error *e) {
    plugin *p = plugin_of(o);
    (void)h;
    (void)file;
    (void)e;
    pool_link *before = pool_beside(p); /* they live as long as it does */
    tuple_table *tuples = tuple_table_new();
    plugin_states *states = p->states ? plugin_states_new(&p->definition) : NULL;
    pool_beside_end(before);
    tuple_table_free(p->tuples);
    p->tuples = tuples;
    if (p->states) {
        plugin_states_free(p->states);
        p->states = states;
    }
    return true;
}

static void free_plugin(void *what) {
    plugin *p = what;
    pool_forget(&p->cleanup);
    if (p->states) plugin_states_free(p->states);
    if (p->tuples) tuple_table_free(p->tuples);
    if (p->library) dlclose(p->library);
    free(p);
}

static void close_plugin(object *o) {
    if (plugin_of(o)) free_plugin(plugin_of(o));
}

/* ---- opening ---- */

bool plugin_named(const char *what) {
    size_t length = strlen(what);
    return strchr(what, '/') || (length > 3 && !strcmp(what + length - 3, ".so"));
}

/* A definition made for an older header is shorter: what it lacks is zero. One made for a newer header may be longer,
 * if it does not use what is new. */
static bool take_definition(const plumb_object *from, plumb_object *to, const char *name, error *e) {
    size_t least = offsetof(plumb_object, apply) + sizeof from->apply, size = from->struct_size;
    if (size < least)
        return error_set(e, EXIT_BAD_INPUT, "%s: struct_size is %zu; expected sizeof(plumb_object)", name, size);
    for (size_t i = sizeof *to; i < size; i++)
        if (((const char *)from)[i]) return error_set(e, EXIT_BAD_INPUT, "%s: made for a newer plumbline", name);
    memset(to, 0, sizeof *to);
    memcpy(to, from, size < sizeof *to ? size : sizeof *to);
    return true;
}

static bool check_method(const plumb_method *m, const char *name, unsigned index, error *e) {
    if (!m->name || !*m->name) return error_set(e, EXIT_BAD_INPUT, "%s: method %u has no name", name, index);
    if (m->min_args > m->max_args || m->max_args > HISTORY_MAX_ARGS)
        return error_set(e, EXIT_BAD_INPUT,
                         "%s: method %.40s takes %u to %u arguments; expected at most %d, and min <= max", name,
                         m->name, m->min_args, m->max_args, HISTORY_MAX_ARGS);
    if (m->arguments > PLUMB_TAKES_VALUES || m->returns > PLUMB_RETURNS_REMOVED)
        return error_set(e, EXIT_BAD_INPUT, "%s: method %.40s has an unknown kind of arguments or result", name,
                         m->name);
    return true;
}

static bool check_definition(const plumb_object *d, const char *name, error *e) {
    if (!d->name) return error_set(e, EXIT_BAD_INPUT, "%s: the object has no name", name);
    if (!d->methods || d->method_count == 0 || d->method_count > OBJECT_METHODS)
        return error_set(e, EXIT_BAD_INPUT, "%s: %u methods; expected 1 to %d", name, d->method_count, OBJECT_METHODS);
    if (!d->apply && !d->step && !d->step_nth)
        return error_set(e, EXIT_BAD_INPUT, "%s: expected one of apply, step and step_nth", name);
    if (!d->copy != !d->equal || !d->copy != !d->hash || (d->release && !d->copy))
        return error_set(e, EXIT_BAD_INPUT, "%s: expected all of copy, equal and hash, or none", name);
    if (d->state_size > 1 << 20)
        return error_set(e, EXIT_BAD_INPUT, "%s: state_size is %zu; expected at most a megabyte", name, d->state_size);
    for (unsigned m = 0; m < d->method_count; m++)
        if (!check_method(&d->methods[m], name, m, e)) return false;
    return true;
}

static method translate(const plumb_method *m) {
    static const result_kind results[] = {
        [PLUMB_RETURNS_VALUE] = RESULT_ANY,       [PLUMB_RETURNS_NOTHING] = RESULT_VOID,
        [PLUMB_RETURNS_BOOL] = RESULT_BOOL,       [PLUMB_RETURNS_INTEGER] = RESULT_INT,
        [PLUMB_RETURNS_REMOVED] = RESULT_REMOVED,
    };
    return (method){
        .name = m->name,
        .aliases = m->aliases,
        .min_args = (uint8_t)m->min_args,
        .max_args = (uint8_t)m->max_args,
        .arg = m->arguments == PLUMB_TAKES_INTEGERS ? ARG_INT : ARG_VALUE,
        .result = results[m->returns],
        .role = m->readonly ? ROLE_OBSERVES : 0,
    };
}

/* Never that of a built-in object: engines and monitors of its own would take it for that one. */
static const char *name_of_type(const char *name) { return object_type_find(name, strlen(name)) ? "a plug-in" : name; }

static void fill_type(plugin *p) {
    const plumb_object *d = &p->definition;
    for (unsigned m = 0; m < d->method_count; m++) p->methods[m] = translate(&d->methods[m]);
    p->type = (object_type){
        .name = name_of_type(d->name),
        .summary = d->summary ? d->summary : "a plug-in",
        .methods = p->methods,
        .method_count = d->method_count,
        .sees_clients = d->sees_clients,
        .init = init,
        .step = step,
        .changes_nothing = d->readonly ? changes_nothing : NULL,
        .part = d->partition ? part : NULL,
        .describe = describe,
        .why_not = why_not,
        .check = forget,
        .close = close_plugin,
    };
    if (!d->together) return;
    p->together = (set_spec){.natural = d->together_lasts ? CRITERION_INTERVAL : CRITERION_SET,
                             .intervals = d->together_lasts,
                             .most = d->together_most,
                             .step = step_together};
    p->type.together = &p->together;
}

/* `name` begins its messages. The definition must outlive the object. */
static object *plugin_from(const plumb_object *definition, const char *name, error *e) {
    plugin *p = MEM_NEW(plugin);
    pool_at_failure(&p->cleanup, free_plugin, p);
    bool good = take_definition(definition, &p->definition, name, e) && check_definition(&p->definition, name, e);
    if (!good || !plugin_selftest(&p->definition, name, e)) {
        free_plugin(p);
        return NULL;
    }
    p->tuples = tuple_table_new();
    if (p->definition.copy) p->states = plugin_states_new(&p->definition);
    fill_type(p);
    object *o = MEM_NEW(object);
    o->type = &p->type;
    o->name = mem_string(p->definition.name);
    o->extra = p;
    if (p->type.together) o->criterion.kind = p->together.natural;
    return o;
}

static const plumb_object *find_definition(void *library) {
    const plumb_object *variable = dlsym(library, "plumb_object_definition");
    if (variable) return variable;
    const plumb_object *(*get)(void);
    void *symbol = dlsym(library, "plumb_object_get");
    memcpy(&get, &symbol, sizeof get); /* ISO C has no cast from object to function pointers */
    return symbol ? get() : NULL;
}

static void close_library(void *library) { dlclose(library); }

object *plugin_open(const char *path, error *e) {
    pool_cleanup cleanup;
    text name = {0};
    text_printf(&name, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *library = dlopen(text_str(&name), RTLD_NOW | RTLD_LOCAL);
    text_free(&name);
    if (!library) {
        error_set(e, EXIT_CANNOT_OPEN, "cannot load plug-in: %.400s", dlerror());
        return NULL;
    }
    pool_at_failure(&cleanup, close_library, library);
    const plumb_object *definition = find_definition(library);
    object *o = NULL;
    if (definition) o = plugin_from(definition, path, e);
    else
        error_set(e, EXIT_BAD_INPUT, "%s: no plumb_object_definition in it; expected one, or plumb_object_get()", path);
    pool_forget(&cleanup);
    if (o) plugin_of(o)->library = library;
    else dlclose(library);
    return o;
}
