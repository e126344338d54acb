/* Checkpoints of arbitrary bytes: `plumb explore` refuses one with one line, or goes on from what it says; `plumb
 * monitor` refuses whatever this user did not write; work that is left is refused or taken. An input without its
 * first two lines is given those that fit. */
#include "explore/outside/checkpoint.h"
#include "explore/strategy/share.h"
#include "monitor/checkpoint.h"

#include "base/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void require(int condition) {
    if (!condition) abort();
}

static int hold(const void *p, size_t n, char path[64]) {
    int fd = memfd_create("checkpoint", MFD_CLOEXEC);
    require(fd >= 0 && write_all_bytes(fd, p, n));
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void refused_in_a_line(const error *e) { require(e->code == EXIT_BAD_INPUT && !strchr(e->what, '\n')); }

static checkpoint *explorer_opens(const char *path, error *e) {
    static char program[] = "fuzz", *argv[] = {program, NULL};
    const run_request how = run_request_standard;
    return checkpoint_open(path, "/dev/null", argv, &how, e);
}

/* The lines that an empty one begins with. */
static void add_beginning(text *out) {
    static text kept;
    char line[128];
    error e = {0};
    if (!kept.size) {
        char fresh[] = "/tmp/fuzz-checkpoint-XXXXXX";
        close(mkstemp(fresh));
        unlink(fresh);
        checkpoint *c = explorer_opens(fresh, &e);
        require(c && checkpoint_write(c, &e));
        checkpoint_close(c);
        FILE *f = fopen(fresh, "r");
        for (unsigned i = 0; i < 2; i++) {
            require(f && fgets(line, sizeof line, f));
            text_add(&kept, line);
        }
        fclose(f);
        unlink(fresh);
    }
    text_bytes(out, kept.at, kept.size);
}

static void to_explorer(const uint8_t *p, size_t n) {
    char path[64];
    error e = {0};
    text all = {0};
    add_beginning(&all);
    text_bytes(&all, (const char *)p, n);
    for (unsigned whole = 0; whole < 2; whole++) {
        int fd = whole ? hold(all.at, all.size, path) : hold(p, n, path);
        checkpoint *c = explorer_opens(path, &e);
        if (c) checkpoint_executions(c);
        else refused_in_a_line(&e);
        checkpoint_close(c);
        close(fd);
        e = (error){0};
    }
    text_free(&all);
}

static void to_monitor(const uint8_t *p, size_t n) {
    char path[64];
    error e = {0};
    bool found = false;
    text notes = {0};
    values *v = values_new();
    object *o = object_open("queue", NULL, &e);
    object_use_values(o, v);
    monitor *m = monitor_new(o, NULL, &e);
    int fd = hold(p, n, path);
    require(m && !monitor_load(m, path, false, &notes, &found, &e));
    refused_in_a_line(&e);
    close(fd);
    monitor_free(m);
    object_close(o);
    values_free(v);
    text_free(&notes);
}

/* What a checkpoint or a cluster says is left. */
static void to_strategy(const uint8_t *p, size_t n) {
    char *work = malloc(n + 1);
    memcpy(work, p, n);
    work[n] = '\0';
    share *s = share_new(1);
    require(s != NULL);
    share_load(s, 0, work);
    share_free(s);
    free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    setenv("XDG_STATE_HOME", "/dev/null/none", 1); /* no checkpoint is one's own */
    to_explorer(p, n);
    to_monitor(p, n);
    to_strategy(p, n);
    return 0;
}
