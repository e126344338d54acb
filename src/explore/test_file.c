#include "explore/test_file.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "plumb schedule 1"

static void save_line(FILE *f, const char *key, const char *what) {
    if (what) fprintf(f, "%s: %s\n", key, what);
}

bool schedule_save(const char *path, const saved_schedule *s, error *e) {
    FILE *f = fopen(path, "w");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot write %s: %s", path, strerror(errno));
    fprintf(f, FIRST_LINE "\n");
    save_line(f, "sources", s->sources);
    save_line(f, "flags", s->flags);
    save_line(f, "object", s->object);
    save_line(f, "init", s->init);
    save_line(f, "threads", s->threads);
    save_line(f, "options", s->options);
    save_line(f, "choices", s->choices);
    if (fclose(f)) return error_set(e, EXIT_CANNOT_OPEN, "cannot write %s: %s", path, strerror(errno));
    return true;
}

static char **field_of(saved_schedule *s, const char *key, size_t n) {
    const struct { const char *key; char **field; } known[] = {{"sources", &s->sources}, {"flags", &s->flags}, {"object", &s->object},
                                                               {"init", &s->init},
                                                               {"threads", &s->threads}, {"options", &s->options}, {"choices", &s->choices}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].key) == n && !memcmp(known[i].key, key, n)) return known[i].field;
    return NULL;
}

static bool load_line(const char *path, unsigned number, const char *line, saved_schedule *out, error *e) {
    const char *colon = strstr(line, ": ");
    char **field = colon ? field_of(out, line, (size_t)(colon - line)) : NULL;
    if (number == 1) return !strcmp(line, FIRST_LINE) || error_set(e, EXIT_BAD_INPUT, "%s:1: not a schedule; expected \"" FIRST_LINE "\"", path);
    if (!field) return error_set(e, EXIT_BAD_INPUT, "%s:%u: unknown line; expected sources, flags, object, init, threads, options or choices", path, number);
    if (*field) return error_set(e, EXIT_BAD_INPUT, "%s:%u: said twice", path, number);
    *field = mem_string(colon + 2);
    return true;
}

bool schedule_load(const char *path, saved_schedule *out, error *e) {
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool good = true;
    *out = (saved_schedule){0};
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
    for (ssize_t n; good && (n = getline(&line, &room, f)) >= 0;) {
        line[strcspn(line, "\n")] = 0;
        good = load_line(path, ++number, line, out, e);
    }
    free(line);
    fclose(f);
    if (good && (!out->sources || !out->choices)) good = error_set(e, EXIT_BAD_INPUT, "%s: ends too early; expected lines sources and choices", path);
    if (!good) saved_schedule_free(out);
    return good;
}

void saved_schedule_free(saved_schedule *s) {
    free(s->sources);
    free(s->flags);
    free(s->object);
    free(s->init);
    free(s->threads);
    free(s->options);
    free(s->choices);
    *s = (saved_schedule){0};
}
