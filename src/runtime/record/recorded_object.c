#include "runtime/record/recorded_object.h"

#include <plumbline/object.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- built-in objects: name(parameter=value, ...) ---- */

/* The parameter that this is a value of: the named one, or the one at this position. */
static const parameter *find_parameter(const object_type *t, const char *name, size_t length, unsigned position) {
    for (unsigned p = 0; p < OBJECT_PARAMETERS && t->parameters[p].name; p++) {
        const char *own = t->parameters[p].name;
        if (name ? strlen(own) == length && !memcmp(own, name, length) : p == position) return &t->parameters[p];
    }
    return NULL;
}

static bool check_parameter(const object_type *t, const char *at, size_t length, unsigned position, error *e) {
    const char *equals = memchr(at, '=', length), *number = equals ? equals + 1 : at;
    const parameter *p = find_parameter(t, equals ? at : NULL, (size_t)(number - at) - (equals != NULL), position);
    char *end;
    if (!p) return error_set(e, EXIT_USAGE, "object %s has no parameter for '%.*s'", t->name, (int)length, at);
    errno = 0;
    long long i = strtoll(number, &end, 10);
    if (errno || end == number || end != at + length || i < p->min || i > p->max)
        return error_set(e, EXIT_USAGE, "object %s: %s is '%.*s'; expected an integer from %lld to %lld", t->name,
                         p->name, (int)(at + length - number), number, (long long)p->min, (long long)p->max);
    return true;
}

static bool check_parameters(const object_type *t, const char *s, error *e) {
    if (!*s) return true;
    const char *end = s + strlen(s) - 1;
    if (*s != '(' || *end != ')')
        return error_set(e, EXIT_USAGE, "object '%s%s': expected name(parameter=value)", t->name, s);
    unsigned position = 0;
    for (const char *at = s + 1; at < end; position++) {
        size_t n = strcspn(at, ",)");
        if (!check_parameter(t, at, n, position, e)) return false;
        at += n + 1;
        at += strspn(at, " ");
    }
    return true;
}

static bool open_built_in(recorded_object *o, const char *what, const char *init, error *e) {
    size_t length = strcspn(what, "(");
    const object_type *t = object_type_find(what, length);
    if (!t) return error_set(e, EXIT_USAGE, "unknown object '%s'; `plumb objects` lists them", what);
    if (init && !t->takes_init) return error_set(e, EXIT_USAGE, "object %s takes no initial value", t->name);
    o->type = t;
    return check_parameters(t, what + length, e);
}

/* ---- objects of the user's own ---- */

static bool add_method(recorded_object *o, const char *name, const char *aliases) {
    if (!name || o->own.method_count == OBJECT_METHODS) return false;
    o->methods[o->own.method_count++] = (method){.name = name, .aliases = aliases};
    return true;
}

/* As object/plugin.c finds it. Definitions made for an older header are shorter; methods were always there. */
static const plumb_object *find_definition(void *library) {
    const plumb_object *variable = dlsym(library, "plumb_object_definition");
    const plumb_object *(*get)(void);
    void *symbol = variable ? NULL : dlsym(library, "plumb_object_get");
    memcpy(&get, &symbol, sizeof get); /* ISO C has no cast from object to function pointers */
    const plumb_object *d = variable ? variable : symbol ? get() : NULL;
    return d && d->struct_size >= offsetof(plumb_object, apply) && d->methods ? d : NULL;
}

static bool open_plugin(recorded_object *o, const char *path, error *e) {
    char with_folder[4096];
    snprintf(with_folder, sizeof with_folder, "%s%s", strchr(path, '/') ? "" : "./", path);
    o->library = dlopen(with_folder, RTLD_NOW | RTLD_LOCAL);
    if (!o->library) return error_set(e, EXIT_CANNOT_OPEN, "cannot load plug-in: %.400s", dlerror());
    const plumb_object *d = find_definition(o->library);
    if (!d)
        return error_set(e, EXIT_BAD_INPUT, "%s: no plumb_object_definition in it; expected one, or plumb_object_get()",
                         path);
    for (unsigned m = 0; m < d->method_count; m++)
        if (!add_method(o, d->methods[m].name, d->methods[m].aliases))
            return error_set(e, EXIT_BAD_INPUT, "%s: method %u has no name, or there are more than %d", path, m,
                             OBJECT_METHODS);
    return true;
}

/* "enq/1 deq/0": the names, each ended in place. */
static bool take_serial_methods(recorded_object *o, char *names) {
    for (char *save, *p = strtok_r(names, " \n", &save); p; p = strtok_r(NULL, " \n", &save)) {
        p[strcspn(p, "/")] = 0;
        if (!*p || !add_method(o, p, NULL)) return false;
    }
    return true;
}

/* The line "methods ..." behind "program NAME" (object/serial_object.h); `program` NULL: the first one. */
static bool read_serial_methods(recorded_object *o, FILE *f, const char *program) {
    size_t room = 0;
    bool found = false;
    while (getline(&o->line, &room, f) >= 0) {
        if (!strncmp(o->line, "program", 7)) {
            o->line[strcspn(o->line, "\n")] = 0;
            found = !program || (o->line[7] ? !strcmp(o->line + 8, program) : !*program);
        } else if (found && !strncmp(o->line, "methods ", 8)) {
            return take_serial_methods(o, o->line + 8);
        }
    }
    return false;
}

static bool open_serial(recorded_object *o, const char *what, const char *end_of_path, error *e) {
    char path[4096];
    snprintf(path, sizeof path, "%.*s", (int)(end_of_path - what), what);
    FILE *f = fopen(path, "re");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
    bool good = read_serial_methods(o, f, *end_of_path ? end_of_path + 1 : NULL);
    fclose(f);
    return good || error_set(e, EXIT_BAD_INPUT, "%s: no serial runs of that program in it", path);
}

/* Where the path of "queue.serial" or "queue.serial:enq(1) | deq" ends; NULL: it is none. */
static const char *serial_path_end(const char *what) {
    const char *suffix = ".serial";
    for (const char *p = what; (p = strstr(p, suffix)); p++)
        if (!p[strlen(suffix)] || p[strlen(suffix)] == ':') return p + strlen(suffix);
    return NULL;
}

/* ---- theory files: the names of the methods, and nothing of the axioms ---- */

static bool ends_in(const char *what, const char *end) {
    size_t length = strlen(what), n = strlen(end);
    return length > n && !strcmp(what + length - n, end);
}

static bool is_theory(const char *what) { return ends_in(what, ".thy"); }

static char *read_whole(const char *path, error *e) {
    FILE *f = fopen(path, "re");
    size_t room = 0;
    char *words = NULL;
    if (!f || getdelim(&words, &room, 0, f) < 0)
        error_set(e, f ? EXIT_BAD_INPUT : EXIT_CANNOT_OPEN, f ? "%s: nothing in it" : "cannot open %s", path);
    if (f) fclose(f);
    return words;
}

/* Items begin their lines. A method that is declared again is the same one. */
static const char *item_word(const char *line, const char *word) {
    size_t n = strlen(word);
    return !strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\t') ? line + n + strspn(line + n, " \t") : NULL;
}

static bool is_declared(const recorded_object *o, const char *name) {
    for (unsigned m = 0; m < o->own.method_count; m++)
        if (!strcmp(o->methods[m].name, name)) return true;
    return false;
}

/* A base that is not of the file would have methods that are not in sight. order and atomic have none. */
static bool base_is_known(const char *theory_line, const char *path, error *e) {
    const char *extends = strstr(theory_line, "extends");
    if (!extends) return true;
    const char *base = extends + 7 + strspn(extends + 7, " \t");
    size_t n = strcspn(base, " \t\r(");
    bool known = (n == 5 && !memcmp(base, "order", 5)) || (n == 6 && !memcmp(base, "atomic", 6));
    return known || error_set(e, EXIT_USAGE,
                              "%s extends %.*s: a recorder reads the methods that the file itself declares; expected a "
                              "theory that extends atomic",
                              path, (int)n, base);
}

/* Methods of the last theory of the file, which is the one that is meant. */
static bool open_theory(recorded_object *o, const char *path, error *e) {
    o->line = read_whole(path, e);
    if (!o->line) return false;
    for (char *save, *line = strtok_r(o->line, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *name = (char *)(uintptr_t)item_word(line, "method");
        if (item_word(line, "theory")) {
            o->own.method_count = 0;
            if (!base_is_known(line, path, e)) return false;
        }
        if (!name) continue;
        name[strcspn(name, " \t(")] = 0;
        if (!is_declared(o, name) && !add_method(o, name, NULL))
            return error_set(e, EXIT_BAD_INPUT, "%s: more than %d methods", path, OBJECT_METHODS);
    }
    return o->own.method_count || error_set(e, EXIT_BAD_INPUT, "%s: no methods in it; expected method NAME(...)", path);
}

static bool is_plugin(const char *what) { return strchr(what, '/') || ends_in(what, ".so"); }

bool recorded_object_open(recorded_object *o, const char *what, const char *init, error *e) {
    const char *serial_end = serial_path_end(what);
    if (ends_in(what, ".pattern"))
        return error_set(e, EXIT_USAGE,
                         "%s: bad patterns say what goes wrong, not what an operation does; expected an object", what);
    if (!serial_end && !is_plugin(what) && !is_theory(what)) return open_built_in(o, what, init, e);
    if (init && !is_theory(what)) return error_set(e, EXIT_USAGE, "plug-ins and serial runs take no initial value");
    o->own.methods = o->methods;
    o->type = &o->own;
    if (is_theory(what)) return open_theory(o, what, e);
    return serial_end ? open_serial(o, what, serial_end, e) : open_plugin(o, what, e);
}

void recorded_object_close(recorded_object *o) {
    if (o->library) dlclose(o->library);
    free(o->line);
    *o = (recorded_object){0};
}
