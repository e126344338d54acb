/* Finding a theory by its name, by its file, or by the object it describes. */
#include "theory/shipped.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const theory_file *theory_file_at(unsigned i) { return shipped_theories[i].name ? &shipped_theories[i] : NULL; }

bool theory_named(const char *what) { return theory_file_named(what); }

/* A line "theory NAME" in this file? */
static bool file_has(const char *source, const char *name, size_t length) {
    for (const char *line = source; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, "theory ", 7) != 0) continue;
        const char *at = line + 7 + strspn(line + 7, " ");
        if (strcspn(at, " \n#") == length && !memcmp(at, name, length)) return true;
    }
    return false;
}

const char *theory_source(const char *name) {
    const theory_file *f;
    for (unsigned i = 0; (f = theory_file_at(i)); i++)
        if (file_has(f->source, name, strlen(name))) return f->source;
    return NULL;
}

static theory *open_shipped(const char *what, error *e) {
    size_t length = strcspn(what, "(");
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)(length < 79 ? length : 79), what);
    if (!theory_source(name)) {
        error_set(e, EXIT_USAGE,
                  "unknown theory '%s'; `plumb theory` lists the shipped ones, and a file's name ends in .thy", name);
        return NULL;
    }
    text file = {0};
    text_printf(&file, "%s.thy", name);
    theory *t = theory_parse_named(theory_source(name), text_str(&file), name, what + length, e);
    text_free(&file);
    return t;
}

static theory *open_file(const char *path, error *e) {
    enum { MOST = 1 << 20 };
    char *source = mem_alloc(MOST + 1); /* before the file is open: memory may run out here */
    FILE *f = fopen(path, "rb");
    if (!f) {
        error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
        free(source);
        return NULL;
    }
    size_t n = fread(source, 1, MOST + 1, f);
    bool bad = ferror(f);
    fclose(f);
    theory *t = NULL;
    if (bad) error_set(e, EXIT_CANNOT_OPEN, "cannot read %s: %s", path, strerror(errno));
    else if (n > MOST) error_set(e, EXIT_BAD_INPUT, "%s: more than a megabyte; expected a theory", path);
    else if (memchr(source, 0, n)) error_set(e, EXIT_BAD_INPUT, "%s: a zero byte in it; expected text", path);
    if (!e->code) {
        source[n] = 0;
        t = theory_parse(source, path, "", e);
        if (t && !theory_makes_sense(t, path, e)) {
            theory_free(t);
            t = NULL;
        }
    }
    free(source);
    return t;
}

theory *theory_open(const char *what, error *e) {
    return theory_named(what) ? open_file(what, e) : open_shipped(what, e);
}
