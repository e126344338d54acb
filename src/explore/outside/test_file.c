#include "explore/outside/test_file.h"

#include "base/mem.h"
#include "base/whole_file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "plumb schedule 1"

static void save_line(text *out, const char *key, const char *what) {
    assert(!what || !strchr(what, '\n')); /* one line each */
    if (what) text_printf(out, "%s: %s\n", key, what);
}

void schedule_text(const saved_schedule *s, text *out) {
    assert(s->sources && s->choices); /* schedule_load wants these */
    text_add(out, FIRST_LINE "\n");
    save_line(out, "sources", s->sources);
    save_line(out, "flags", s->flags);
    save_line(out, "arguments", s->arguments);
    save_line(out, "object", s->object);
    save_line(out, "init", s->init);
    save_line(out, "threads", s->threads);
    save_line(out, "options", s->options);
    save_line(out, "choices", s->choices);
}

bool schedule_save(const char *path, const saved_schedule *s, error *e) {
    text all = {0};
    schedule_text(s, &all);
    bool good = whole_file_write(path, all.at, all.size, e);
    text_free(&all);
    return good;
}

static char **field_of(saved_schedule *s, const char *key, size_t n) {
    const struct {
        const char *key;
        char **field;
    } known[] = {{"sources", &s->sources}, {"flags", &s->flags},        {"object", &s->object},
                 {"init", &s->init},       {"threads", &s->threads},    {"options", &s->options},
                 {"choices", &s->choices}, {"arguments", &s->arguments}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].key) == n && !memcmp(known[i].key, key, n)) return known[i].field;
    return NULL;
}

static bool load_line(const char *path, unsigned number, const char *line, saved_schedule *out, error *e) {
    const char *colon = strstr(line, ": ");
    char **field = colon ? field_of(out, line, (size_t)(colon - line)) : NULL;
    if (number == 1)
        return !strcmp(line, FIRST_LINE) ||
               error_set(e, EXIT_BAD_INPUT, "%s:1: not a schedule; expected \"" FIRST_LINE "\"", path);
    if (!line[0]) return true; /* what is copied from a page may have some */
    if (!field)
        return error_set(
            e, EXIT_BAD_INPUT,
            "%s:%u: unknown line; expected sources, flags, arguments, object, init, threads, options or choices", path,
            number);
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
    if (good && (!out->sources || !out->choices))
        good = error_set(e, EXIT_BAD_INPUT, "%s: ends too early; expected lines sources and choices", path);
    if (!good) saved_schedule_free(out);
    assert(!good || (out->sources && out->choices));
    return good;
}

void saved_schedule_free(saved_schedule *s) {
    FREE_ALL(s->sources, s->flags, s->arguments, s->object, s->init, s->threads, s->options, s->choices);
    *s = (saved_schedule){0};
}
