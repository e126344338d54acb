#include "object/trust.h"

#include "base/mem.h"
#include "object/plugin.h"
#include "object/serial_object.h"

#include <pthread.h>
#include <string.h>

typedef struct trusted_file {
    struct trusted_file *next;
    char name[];
} trusted_file;

static struct trusted_files {
    pthread_mutex_t lock;
    trusted_file *first; /* never freed: as many as there are different plug-ins */
} trusted = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_listed(const char *what) {
    for (const trusted_file *f = trusted.first; f; f = f->next)
        if (!strcmp(f->name, what)) return true;
    return false;
}

/* Of no pool: it outlives the call that brings it. */
static trusted_file *new_entry(const char *what) {
    size_t size = strlen(what) + 1;
    trusted_file *f = mem_shell(sizeof *f + size);
    if (!f) mem_exhausted("out of memory");
    memcpy(f->name, what, size);
    return f;
}

void trust_file(const char *what) {
    if (file_is_trusted(what)) return;
    trusted_file *f = new_entry(what);
    pthread_mutex_lock(&trusted.lock);
    f->next = trusted.first;
    trusted.first = f;
    pthread_mutex_unlock(&trusted.lock);
}

bool file_is_trusted(const char *what) {
    pthread_mutex_lock(&trusted.lock);
    bool found = is_listed(what);
    pthread_mutex_unlock(&trusted.lock);
    return found;
}

object *object_open_from_data(const char *what, const char *init, error *e) {
    bool is_file = plugin_named(what) || serial_named(what) || theory_file_named(what);
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
