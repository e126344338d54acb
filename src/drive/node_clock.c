#include "drive/node_clock.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *node_clock_library(void) {
    static char path[256];
    glob_t found = {0};
    if (!*path && glob("/usr/lib/*/faketime/libfaketimeMT.so.1", 0, NULL, &found) == 0)
        snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
    globfree(&found);
    return path;
}

/* The file is read whenever the time is asked for: a jump is seen at once. */
void node_clock_words(const char *folder, unsigned node, clock_words *out) {
    snprintf(out->room[0], sizeof out->room[0], "env");
    snprintf(out->room[1], sizeof out->room[1], "LD_PRELOAD=%s", node_clock_library());
    snprintf(out->room[2], sizeof out->room[2], "FAKETIME_TIMESTAMP_FILE=%s/n%u.clock", folder, node + 1);
    snprintf(out->room[3], sizeof out->room[3], "FAKETIME_NO_CACHE=1");
    snprintf(out->room[4], sizeof out->room[4], "FAKETIME_DONT_FAKE_MONOTONIC=1");
}

/* A server never sees a part of the file. */
bool node_clock_set(const char *folder, unsigned node, int seconds, text *why) {
    char path[600], next[610];
    snprintf(path, sizeof path, "%s/n%u.clock", folder, node + 1);
    snprintf(next, sizeof next, "%s.next", path);
    FILE *f = fopen(next, "we");
    bool good = f && fprintf(f, "%+d\n", seconds) > 0;
    good = f && fclose(f) == 0 && good && !chmod(next, 0644) && !rename(next, path);
    if (!good) text_printf(why, "%s: %s", path, strerror(errno));
    return good;
}
