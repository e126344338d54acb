/* Serial runs (TEST.serial) of arbitrary bytes: they are refused with one line, or are an object whose states and
 * operations are all there. */
#include "object/serial_object.h"

#include "base/whole_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/dev/shm/fuzz-XXXXXX.serial"; /* in memory: it is written again and again */

static void require(int condition) {
    if (!condition) abort();
}

static void remove_file(void) { unlink(path); }

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    require(mkstemps(path, 7) >= 0);
    atexit(remove_file);
    return 0;
}

static void walk(const object *o, uint32_t state, unsigned depth) {
    operation op;
    for (uint32_t i = 0, next; depth && (next = serial_next(o, state, i, &op)) != UINT32_MAX; i++)
        if (i < 3) walk(o, next, depth - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    error e = {0};
    int fd = open(path, O_WRONLY | O_TRUNC);
    require(fd >= 0 && write_all_bytes(fd, p, n) && !close(fd));
    object *o = serial_open(path, &e);
    require(o || (e.code == EXIT_BAD_INPUT && !strchr(e.what, '\n')));
    if (o) walk(o, 0, 6);
    object_close(o);
    return 0;
}
