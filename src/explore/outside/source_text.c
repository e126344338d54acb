#include "explore/outside/source_text.h"

#include "base/mem.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_BYTES = 4 << 20 };

typedef struct source_file {
    char *path;
    text bytes; /* empty: cannot be shown */
} source_file;

struct source_text {
    struct timespec compiled;
    source_file *file;
    unsigned files;
};

source_text *source_text_new(const char *binary) {
    source_text *s = MEM_NEW(source_text);
    struct stat of;
    if (!stat(binary, &of)) s->compiled = of.st_mtim;
    return s;
}

void source_text_free(source_text *s) {
    for (unsigned i = 0; i < s->files; i++) {
        free(s->file[i].path);
        text_free(&s->file[i].bytes);
    }
    free(s->file);
    free(s);
}

static bool changed_since(const source_text *s, const struct stat *of) {
    if (of->st_mtim.tv_sec != s->compiled.tv_sec) return of->st_mtim.tv_sec > s->compiled.tv_sec;
    return of->st_mtim.tv_nsec > s->compiled.tv_nsec;
}

static void read_whole(const source_text *s, const char *path, text *out) {
    struct stat of;
    char piece[4096];
    FILE *f = !stat(path, &of) && S_ISREG(of.st_mode) && of.st_size <= SOURCE_BYTES && !changed_since(s, &of)
                  ? fopen(path, "r")
                  : NULL;
    for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;) text_bytes(out, piece, n);
    if (f) fclose(f);
}

static const text *whole_file(source_text *s, const char *path) {
    for (unsigned i = 0; i < s->files; i++)
        if (!strcmp(s->file[i].path, path)) return &s->file[i].bytes;
    s->file = MEM_GROW(s->file, source_file, s->files + 1);
    assert(path && *path);
    source_file *f = &s->file[s->files++];
    *f = (source_file){.path = mem_string(path)};
    read_whole(s, path, &f->bytes);
    return &f->bytes;
}

bool source_text_line(source_text *s, const char *file, unsigned line, text *out) {
    const text *all = whole_file(s, file);
    const char *p = text_str(all), *end = p + all->size;
    for (unsigned at = 1; p && at < line; at++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    if (!p || p == end || !line) return false;
    assert(p < end && line >= 1);
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    while (p < stop && isspace((unsigned char)*p)) p++;
    while (stop > p && isspace((unsigned char)stop[-1])) stop--;
    text_bytes(out, p, (size_t)(stop - p));
    return stop > p;
}
