#include "cli/inputs.h"

#include "base/mem.h"
#include "cli/supervise.h"
#include "format/format.h"
#include "format/jepsen_store.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(char ***list, uint32_t *n, const char *path) {
    assert(path && *n < UINT32_MAX);
    if ((*n & (*n - 1)) == 0) *list = MEM_GROW(*list, char *, *n ? *n * 2 : 1);
    (*list)[(*n)++] = mem_string(path);
}

static void add_input(inputs *in, const char *path, bool independent) {
    if ((in->n & (in->n - 1)) == 0) in->independent = MEM_GROW(in->independent, bool, in->n ? in->n * 2 : 1);
    in->independent[in->n] = independent;
    add(&in->path, &in->n, path);
}

static bool recognised(const char *path) {
    error e = {0};
    input *in = input_open(path, &e);
    if (!in) return false;
    const char *p;
    size_t n = input_peek(in, &p, 64 << 10);
    int best = 0;
    const format *f;
    for (unsigned i = 0; n && (f = format_at(i)); i++) {
        int sure = f->sniff ? f->sniff(p, n) : 0;
        if (sure > best) best = sure;
    }
    input_close(in);
    return best > 0;
}

static bool is_directory(const char *path, bool follow) {
    struct stat s;
    return (follow ? stat(path, &s) : lstat(path, &s)) == 0 && S_ISDIR(s.st_mode);
}

static bool is_file(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static bool add_store(inputs *in, const char *directory) {
    jepsen_store s;
    if (!jepsen_store_open(directory, &s)) return false;
    add_input(in, s.history, s.independent);
    text_printable(&in->about, directory);
    text_printf(&in->about, ": %s\n", text_str(&s.about));
    jepsen_store_free(&s);
    return true;
}

static void walk(inputs *in, const char *directory) {
    if (add_store(in, directory)) return;
    struct dirent **entry;
    int n = scandir(directory, &entry, NULL, by_name);
    if (n < 0) {
        add_input(in, directory, false); /* reading it will say why it cannot be opened */
        return;
    }
    for (int i = 0; i < n; i++) {
        text path = {0};
        size_t length = strlen(directory);
        text_printf(&path, "%s%s%s", directory, length && directory[length - 1] == '/' ? "" : "/", entry[i]->d_name);
        bool itself = !strcmp(entry[i]->d_name, ".") || !strcmp(entry[i]->d_name, "..");
        if (!itself && !supervise_interrupted()) {
            if (is_directory(path.at, false)) walk(in, path.at);
            else if (is_file(path.at) && recognised(path.at)) add_input(in, path.at, false);
            else if (!is_directory(path.at, true)) add(&in->skipped, &in->skipped_n, path.at);
        }
        text_free(&path);
        free(entry[i]);
    }
    free(entry);
}

void inputs_gather(inputs *in, char **operand, unsigned operands) {
    *in = (inputs){0};
    for (unsigned i = 0; i < operands; i++) {
        bool directory = strcmp(operand[i], "-") && is_directory(operand[i], true);
        if (directory && add_store(in, operand[i])) continue; /* one input, told as a file is */
        if (directory) {
            in->any_directory = true;
            walk(in, operand[i]);
        } else {
            add_input(in, operand[i], false);
        }
    }
}

void inputs_free(inputs *in) {
    for (uint32_t i = 0; i < in->n; i++) free(in->path[i]);
    for (uint32_t i = 0; i < in->skipped_n; i++) free(in->skipped[i]);
    free(in->path);
    free(in->independent);
    text_free(&in->about);
    free(in->skipped);
}
