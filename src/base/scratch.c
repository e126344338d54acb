#include "base/scratch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void pattern_of(const char *name, text *path) {
    const char *where = getenv("TMPDIR");
    assert(!path->size);
    assert(name && *name && !strchr(name, '/'));
    text_printf(path, "%s/%s-XXXXXX", where && *where ? where : "/tmp", name);
}

bool scratch_directory(const char *name, text *path, error *e) {
    pattern_of(name, path);
    if (mkdtemp(path->at)) return true;
    error_set(e, EXIT_CANNOT_OPEN, "cannot make a directory %s: %s", path->at, strerror(errno));
    text_free(path);
    return false;
}

bool scratch_file(const char *name, text *path, error *e) {
    pattern_of(name, path);
    int fd = mkstemp(path->at);
    if (fd >= 0) { close(fd); return true; }
    error_set(e, EXIT_CANNOT_OPEN, "cannot write %s: %s", path->at, strerror(errno));
    text_free(path);
    return false;
}
