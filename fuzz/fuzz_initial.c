/* A file of initial values (--init @FILE) of arbitrary bytes: it is refused with one line, or is what an object begins
 * with. */
#include "cli/initial_option.h"

#include "base/whole_file.h"
#include "object/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void require(int condition) {
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    static const char *const types[] = {"kv", "register", "queue"};
    char path[64];
    error e = {0};
    text own = {0};
    const char *init;
    int fd = memfd_create("init", MFD_CLOEXEC);
    require(fd >= 0 && write_all_bytes(fd, p, n));
    snprintf(path, sizeof path, "@/proc/self/fd/%d", fd);
    bool good = initial_option(path, &own, &init, &e);
    require(good || (e.code && !strchr(e.what, '\n')));
    for (unsigned i = 0; good && i < sizeof types / sizeof *types; i++) {
        e = (error){0};
        object *o = object_open(types[i], init, &e);
        require(o || (e.code && !strchr(e.what, '\n')));
        object_close(o);
    }
    text_free(&own);
    close(fd);
    return 0;
}
