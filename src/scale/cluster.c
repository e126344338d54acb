#include "scale/cluster.h"

#include "explore/compile/places.h"

#include <dlfcn.h>
#include <string.h>

static bool find_carrier(const char *url, text *path, error *e) {
    static const char *const schemes[] = {"nats://", "tls://"};
    for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (!strncmp(url, schemes[i], strlen(schemes[i])))
            return place_of_transport("nats", path) ||
                   error_set(e, EXIT_CANNOT_OPEN,
                             "--cluster %s: the NATS transport is not there: it is built where libnats-dev is "
                             "installed (tools/install-deps.sh --services)",
                             url);
    return error_set(e, EXIT_USAGE, "--cluster %s: expected nats://HOST:PORT, tls://HOST:PORT or file:FOLDER", url);
}

static bool load_carrier(cluster *c, const char *url, error *e) {
    text path = {0};
    bool good = find_carrier(url, &path, e);
    if (good && !(c->library = dlopen(text_str(&path), RTLD_NOW | RTLD_LOCAL)))
        good = error_set(e, EXIT_CANNOT_OPEN, "--cluster %s: cannot be loaded: %s", url, dlerror());
    if (good && !(c->type = dlsym(c->library, "plumb_transport_definition")))
        good = error_set(e, EXIT_CANNOT_OPEN, "%s: no plumb_transport_definition", text_str(&path));
    if (good && c->type->struct_size != sizeof *c->type)
        good = error_set(e, EXIT_CANNOT_OPEN, "%s: made for another plumbline", text_str(&path));
    text_free(&path);
    return good;
}

bool cluster_open(cluster *c, const transport_settings *s, error *e) {
    char why[TRANSPORT_WHY] = "no memory";
    *c = (cluster){0};
    if (!strncmp(s->url, "file:", 5)) c->type = &transport_file;
    else if (!load_carrier(c, s->url, e)) {
        cluster_close(c);
        return false;
    }
    c->t = c->type->open(s, why, sizeof why);
    if (c->t) return true;
    cluster_close(c);
    return error_set(e, EXIT_CANNOT_OPEN, "--cluster %s", why);
}

/* libnats has threads that outlive connections: what was loaded stays until the process ends. */
void cluster_close(cluster *c) {
    if (c->t) c->type->close(c->t);
    *c = (cluster){0};
}

bool cluster_is_name(const char *name) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t n = strlen(name);
    return n > 0 && n <= 60 && strspn(name, allowed) == n;
}
