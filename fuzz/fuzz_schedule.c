/* A schedule of arbitrary bytes: `plumb replay` refuses it with one line, or would ask for --trust, with a line that
 * cannot do anything to a terminal; and what was read is written as it was. Nothing is run here. */
#include "explore/outside/schedule_trust.h"

#include "base/whole_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void require(int condition) {
    if (!condition) abort();
}

static bool load(const void *p, size_t n, saved_schedule *out, error *e) {
    char path[64];
    int fd = memfd_create("schedule", MFD_CLOEXEC);
    require(fd >= 0 && write_all_bytes(fd, p, n));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    bool good = schedule_load(path, out, e);
    close(fd);
    return good;
}

static void one_harmless_line(const error *e) {
    for (const char *c = e->what; *c; c++) require((unsigned char)*c >= 32 && *c != 127);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    saved_schedule s, again;
    error e = {0};
    text written = {0}, twice = {0};
    setenv("XDG_STATE_HOME", "/dev/null/none", 1); /* no schedule is one's own */
    if (!load(p, n, &s, &e)) {
        require(e.code == EXIT_BAD_INPUT && !strchr(e.what, '\n'));
        return 0;
    }
    require(!schedule_may_run(&s, "fuzz", &e) && e.code == EXIT_BAD_INPUT);
    one_harmless_line(&e);
    schedule_text(&s, &written);
    e = (error){0};
    require(load(written.at, written.size, &again, &e));
    schedule_text(&again, &twice);
    require(!strcmp(text_str(&written), text_str(&twice)));
    saved_schedule_free(&again);
    saved_schedule_free(&s);
    text_free(&written);
    text_free(&twice);
    return 0;
}
