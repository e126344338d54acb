/* A folder as Jepsen writes it, of arbitrary bytes: whatever its log, test map and results say, the line about the
 * run is one line that cannot do anything to a terminal. The files are the input, cut at NUL bytes. */
#include "format/jepsen_store.h"

#include "base/whole_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void require(int condition) {
    if (!condition) abort();
}

static char folder[] = "/dev/shm/fuzz-store-XXXXXX"; /* in memory: it is written again and again */
static const char *const names[] = {"jepsen.log", "test.edn", "results.edn"};
enum { FILES = sizeof names / sizeof *names };

static void put(const char *name, const void *p, size_t n) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(fd >= 0 && write_all_bytes(fd, p, n) && !close(fd));
}

static void remove_folder(void) {
    char path[64];
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/history.edn", folder);
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    require(mkdtemp(folder) != NULL);
    atexit(remove_folder);
    put("history.edn", "", 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    for (unsigned i = 0; i < FILES; i++) {
        const uint8_t *end = n ? memchr(p, 0, n) : NULL;
        const size_t length = end && i + 1 < FILES ? (size_t)(end - p) : n, used = length + (end && i + 1 < FILES);
        put(names[i], p, length);
        p += used;
        n -= used;
    }
    jepsen_store s;
    require(jepsen_store_open(folder, &s));
    for (const char *c = text_str(&s.about); *c; c++) require((unsigned char)*c >= 32 && *c != 127);
    jepsen_store_free(&s);
    return 0;
}
