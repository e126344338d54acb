/* Drivers: shared objects that are loaded when they are used. */
#include "base/budget.h"
#include "base/mem.h"
#include "base/words.h"
#include "drive/service.h"
#include "drive/world.h"
#include "explore/compile/places.h"
#include "object/plugin_value.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define READY_SECONDS 30

struct service_driver {
    void *library;
    const plumb_driver *d;
};

typedef struct driver_service {
    service s;
    service_driver *driver;
    driver_world world;
    void *inner;
    tuple_table *tuples;
} driver_service;

typedef struct driver_link {
    driver_service *of;
    void *inner;
} driver_link;

/* ---- loading ---- */

static const char not_built[] =
    "driver %s is not there: it is built where its client library is installed (tools/install-deps.sh --services)";

static bool find_driver(const char *name, text *path, error *e) {
    if (strchr(name, '/')) {
        text_add(path, name);
        return true;
    }
    for (const char *p = name; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '-'))
            return error_set(e, EXIT_USAGE, "driver '%s'; expected a name such as redis, or a path with a /", name);
    return place_of_driver(name, path) || error_set(e, EXIT_CANNOT_OPEN, not_built, name);
}

static bool check_driver(const plumb_driver *d, const char *path, error *e) {
    if (!d) return error_set(e, EXIT_BAD_INPUT, "%s: no plumb_driver_definition; expected a driver", path);
    if (d->struct_size != sizeof *d)
        return error_set(e, EXIT_BAD_INPUT, "%s: struct_size is %zu; expected %zu: made for another plumbline", path,
                         d->struct_size, sizeof *d);
    if (!d->name || !d->object_count || !d->start || !d->open || !d->apply || !d->close)
        return error_set(e, EXIT_BAD_INPUT, "%s: expected a name, objects, start, open, apply and close", path);
    return true;
}

service_driver *driver_load(const char *name, error *e) {
    text path = {0};
    service_driver *d = MEM_NEW(service_driver);
    bool good = find_driver(name, &path, e);
    if (good && !(d->library = dlopen(text_str(&path), RTLD_NOW | RTLD_LOCAL)))
        good = error_set(e, EXIT_CANNOT_OPEN, "driver %s cannot be loaded: %s", name, dlerror());
    if (good) d->d = dlsym(d->library, "plumb_driver_definition");
    good = good && check_driver(d->d, text_str(&path), e);
    text_free(&path);
    if (good) return d;
    driver_unload(d);
    return NULL;
}

void driver_unload(service_driver *d) {
    if (!d) return;
    if (d->library) dlclose(d->library);
    free(d);
}

const plumb_driver *driver_definition(const service_driver *d) { return d->d; }

/* ---- what was asked for ---- */

static const plumb_driver_object *find_object(const plumb_driver *d, const char *name) {
    for (uint32_t i = 0; i < d->object_count; i++)
        if (!strcmp(d->objects[i].object, name)) return &d->objects[i];
    return NULL;
}

static bool no_such_object(const plumb_driver *d, const char *name, error *e) {
    text all = {0};
    for (uint32_t i = 0; i < d->object_count; i++) text_printf(&all, "%s%s", i ? ", " : "", d->objects[i].object);
    error_set(e, EXIT_USAGE, "driver %s has no object %s; expected one of %s", d->name, name, text_str(&all));
    text_free(&all);
    return false;
}

static const plumb_driver_option *find_option(const plumb_driver *d, const char *word, size_t n) {
    for (uint32_t i = 0; i < d->option_count; i++)
        if (strlen(d->options[i].name) == n && !strncmp(d->options[i].name, word, n)) return &d->options[i];
    return NULL;
}

static bool check_option(const plumb_driver *d, const char *word, size_t n, error *e) {
    const char *equals = memchr(word, '=', n);
    size_t name = equals ? (size_t)(equals - word) : n;
    const plumb_driver_option *o = equals ? find_option(d, word, name) : NULL;
    text all = {0};
    for (uint32_t i = 0; i < d->option_count; i++) text_printf(&all, "%s%s", i ? ", " : "", d->options[i].name);
    bool good = o != NULL;
    if (!good)
        error_set(e, EXIT_USAGE, "--set %.*s: driver %s has no such option; expected NAME=VALUE with NAME one of %s",
                  (int)n, word, d->name, d->option_count ? text_str(&all) : "none");
    text_free(&all);
    if (good && o->choices && words_find(o->choices, equals + 1, n - name - 1) < 0)
        good = error_set(e, EXIT_USAGE, "--set %.*s: expected one of %s", (int)n, word, o->choices);
    return good;
}

static bool check_options(const plumb_driver *d, const char *set, error *e) {
    for (const char *p = set; p && *p;) {
        size_t n = strcspn(p, " ");
        if (n && !check_option(d, p, n, e)) return false;
        p += n;
        p += strspn(p, " ");
    }
    return true;
}

bool driver_settle(const service_driver *of, service_settings *s, error *e) {
    const plumb_driver *d = of->d;
    if (!s->object) s->object = d->objects[0].object;
    if (!find_object(d, s->object)) return no_such_object(d, s->object, e);
    if (s->at && s->nodes) return error_set(e, EXIT_USAGE, "--at: the nodes run already; expected it without --nodes");
    if (!s->nodes) s->nodes = d->standard_nodes;
    uint32_t most = d->most_nodes < KEEPER_NODES ? d->most_nodes : KEEPER_NODES;
    if (s->nodes > most)
        return error_set(e, EXIT_USAGE, "--nodes %u: driver %s starts at most %u", s->nodes, d->name, most);
    return check_options(d, s->set, e);
}

/* ---- the service ---- */

static service_link *open_link(service *s, uint32_t client, text *why) {
    driver_service *d = (driver_service *)s;
    char said[400] = "";
    void *inner = d->driver->d->open(d->inner, client, said, sizeof said);
    if (!inner) text_add(why, said);
    if (!inner) return NULL;
    driver_link *l = MEM_NEW(driver_link);
    *l = (driver_link){d, inner};
    return (service_link *)l;
}

static enum plumb_outcome apply_link(service_link *link, const operation *op, value *res, text *why) {
    driver_link *l = (driver_link *)link;
    driver_service *d = l->of;
    char said[400] = "";
    plumb_value result = plumb_none();
    plumb_request r = {.method = d->s.method[op->method], .nargs = op->nargs};
    r.key = plugin_value(d->tuples, d->s.values, op->key);
    for (unsigned a = 0; a < op->nargs; a++) r.arg[a] = plugin_value(d->tuples, d->s.values, op->arg[a]);
    enum plumb_outcome o = d->driver->d->apply(l->inner, &r, &result, said, sizeof said);
    if (o == PLUMB_OUTCOME_DONE) *res = plugin_handle(d->s.values, &result);
    else text_add(why, said);
    return o;
}

static void close_link(service_link *link) {
    driver_link *l = (driver_link *)link;
    l->of->driver->d->close(l->inner);
    free(l);
}

static bool node_ready(service *s, uint32_t node) {
    driver_service *d = (driver_service *)s;
    return d->driver->d->ready(d->inner, node);
}

static void stop_driver(service *s) {
    driver_service *d = (driver_service *)s;
    if (d->inner && d->driver->d->stop) d->driver->d->stop(d->inner);
    tuple_table_free(d->tuples);
    free(d);
}

static void number_methods(service *s, const plumb_driver *d, const char *named) {
    const char *words = find_object(d, named)->methods;
    for (unsigned m = 0; m < OBJECT_METHODS; m++) s->method[m] = SERVICE_LACKS;
    for (unsigned m = 0; m < s->o->type->method_count; m++) {
        int found = words_find(words, s->o->type->methods[m].name, strlen(s->o->type->methods[m].name));
        if (found >= 0) s->method[m] = (uint16_t)found;
    }
}

/* The last line that it printed: why it does not run is mostly there. */
static void add_last_line(const char *folder, uint32_t node, text *out) {
    char path[600], line[300], last[300] = "";
    snprintf(path, sizeof path, "%s/n%u.log", folder, node + 1);
    FILE *f = fopen(path, "re");
    for (bool begins = true; f && fgets(line, sizeof line, f); begins = strchr(line, '\n') != NULL)
        if (begins && line[strspn(line, " \t\r\n")]) memcpy(last, line, sizeof last);
    if (f) fclose(f);
    last[strcspn(last, "\r\n")] = '\0';
    if (*last) text_add(out, "; it said: ");
    text_printable(out, last);
}

static bool start_nodes(driver_service *d, const char *folder, error *e) {
    char said[400] = "";
    text why = {0};
    const plumb_driver *p = d->driver->d;
    d->inner = p->start(&d->world.w, said, sizeof said);
    if (!d->inner) return error_set(e, EXIT_CANNOT_OPEN, "drive: %s does not start: %s", p->name, said);
    for (uint32_t n = 0; n < d->s.nodes; n++)
        if (!service_wait(&d->s, n, READY_SECONDS, &why)) {
            add_last_line(folder, n, &why);
            error_set(e, EXIT_CANNOT_OPEN, "drive: %s does not answer: %s", p->name, text_str(&why));
            text_free(&why);
            return false;
        }
    text_free(&why);
    if (p->prepare && !p->prepare(d->inner, said, sizeof said))
        return error_set(e, EXIT_CANNOT_OPEN, "drive: %s cannot be prepared: %s", p->name, said);
    return true;
}

service *driver_start(service_driver *of, const service_settings *s, keeper *k, const object *o, values *v, error *e) {
    driver_service *d = MEM_NEW(driver_service);
    d->driver = of;
    d->tuples = tuple_table_new();
    d->s = (service){.settings = *s,
                     .keeper = k,
                     .values = v,
                     .o = o,
                     .nodes = s->at ? 0 : s->nodes,
                     .open = open_link,
                     .apply = apply_link,
                     .close = close_link,
                     .ready = of->d->ready ? node_ready : NULL,
                     .stop = stop_driver};
    number_methods(&d->s, of->d, s->object);
    if (driver_world_open(&d->world, of->d, s, k, e) && start_nodes(d, s->folder, e)) return &d->s;
    stop_driver(&d->s);
    return NULL;
}

void service_stop(service *s) {
    if (s) s->stop(s);
}

bool service_wait(service *s, uint32_t node, double seconds, text *why) {
    double deadline = clock_seconds() + seconds;
    while (clock_seconds() < deadline) {
        text_clear(why);
        if (!keeper_lives(s->keeper, node, why)) return false;
        if (!s->ready || s->ready(s, node)) return true;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    text_printf(why, "it runs, but was not ready within %g s", seconds);
    return false;
}
