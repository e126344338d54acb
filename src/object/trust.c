#include "object/trust.h"

#include "base/mem.h"
#include "object/plugin.h"
#include "object/serial_object.h"

#include <pthread.h>
#include <string.h>

static struct trusted_files {
    pthread_mutex_t lock;
    char **name; /* never freed: as many as there are different plug-ins */
    uint32_t n;
} trusted = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_listed(const char *what) {
    for (uint32_t i = 0; i < trusted.n; i++)
        if (!strcmp(trusted.name[i], what)) return true;
    return false;
}

void trust_file(const char *what) {
    pthread_mutex_lock(&trusted.lock);
    if (!is_listed(what)) {
        trusted.name = MEM_GROW(trusted.name, char *, trusted.n + 1);
        trusted.name[trusted.n++] = mem_string(what);
    }
    pthread_mutex_unlock(&trusted.lock);
}

bool file_is_trusted(const char *what) {
    pthread_mutex_lock(&trusted.lock);
    bool found = is_listed(what);
    pthread_mutex_unlock(&trusted.lock);
    return found;
}

object *object_open_from_data(const char *what, const char *init, error *e) {
    bool is_file = plugin_named(what) || serial_named(what);
    if (!is_file || file_is_trusted(what)) {
        object *o = object_open(what, init, e);
        if (!o && e->code == EXIT_USAGE) e->code = EXIT_BAD_INPUT;
        return o;
    }
    error_set(
        e, EXIT_BAD_INPUT,
        "the object is the file '%.200s', which data cannot make us open; expected a built-in object, or the same "
        "file named on the command line or by the program",
        what);
    return NULL;
}
