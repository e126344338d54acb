#include "drive/process_tree.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TREE_MOST = 4096 };

typedef struct tree_entry {
    pid_t process, parent;
} tree_entry;

/* /proc/PID/stat: "PID (name) state parent ..."; the name may hold anything. */
static bool parent_of(pid_t process, pid_t *parent) {
    char path[64], line[512], state;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "re");
    if (!f) return false;
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    const char *behind = strrchr(line, ')');
    int found = 0;
    bool good = behind && sscanf(behind + 1, " %c %d", &state, &found) == 2 && state != 'Z' && state != 'X';
    *parent = (pid_t)found;
    return good;
}

static unsigned all_processes(tree_entry *out) {
    DIR *d = opendir("/proc");
    unsigned n = 0;
    for (const struct dirent *e; d && n < TREE_MOST && (e = readdir(d));) {
        if (!isdigit((unsigned char)e->d_name[0])) continue;
        out[n].process = (pid_t)strtol(e->d_name, NULL, 10);
        n += parent_of(out[n].process, &out[n].parent);
    }
    if (d) closedir(d);
    return n;
}

static bool is_in(const pid_t *list, unsigned n, pid_t process) {
    for (unsigned i = 0; i < n; i++)
        if (list[i] == process) return true;
    return false;
}

/* The list grows while it is walked: parents stand before their children. */
static unsigned descendants(pid_t root, pid_t *list) {
    static _Thread_local tree_entry all[TREE_MOST];
    unsigned known = all_processes(all), n = 0;
    list[n++] = root;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < known && n < TREE_MOST; k++)
            if (all[k].parent == list[i] && !is_in(list, n, all[k].process)) list[n++] = all[k].process;
    return n;
}

unsigned tree_signal(pid_t root, bool with_root, int number) {
    static _Thread_local pid_t list[TREE_MOST];
    assert(root > 0);
    unsigned n = descendants(root, list), sent = 0;
    for (unsigned i = with_root ? 0 : 1; i < n; i++) sent += kill(list[i], number) == 0;
    return sent;
}

uint64_t tree_resident(pid_t root) {
    static _Thread_local pid_t list[TREE_MOST];
    unsigned n = descendants(root, list);
    uint64_t pages = 0;
    for (unsigned i = 0; i < n; i++) {
        char path[64];
        unsigned long whole, resident;
        snprintf(path, sizeof path, "/proc/%d/statm", (int)list[i]);
        FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%lu %lu", &whole, &resident) == 2) pages += resident;
        if (f) fclose(f);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
