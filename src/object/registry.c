/* The list of built-in objects, and finding one by name. A new object is one file and one line here. */
#include "object/object.h"

#include "object/types.h"

#include <string.h>

static const object_type *const types[] = {
#define OBJECT_TYPE(name) &object_type_##name,
#include "object/types.def"
#undef OBJECT_TYPE
};

const object_type *object_type_at(unsigned i) { return i < sizeof types / sizeof *types ? types[i] : NULL; }

static char plain(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* tryLock, try_lock and try-lock are one word. */
static bool same_word(const char *a, size_t na, const char *b, size_t nb) {
    size_t i = 0, j = 0;
    for (;;) {
        while (i < na && (a[i] == '_' || a[i] == '-')) i++;
        while (j < nb && (b[j] == '_' || b[j] == '-')) j++;
        if (i == na || j == nb) return i == na && j == nb;
        if (plain(a[i++]) != plain(b[j++])) return false;
    }
}

static bool in_words(const char *words, const char *name, size_t length) {
    for (const char *w = words; w && *w;) {
        size_t n = strcspn(w, " ");
        if (same_word(w, n, name, length)) return true;
        w += n + strspn(w + n, " ");
    }
    return false;
}

const object_type *object_type_find(const char *name, size_t length) {
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++)
        if (in_words(t->name, name, length) || in_words(t->aliases, name, length)) return t;
    static const char prefix[] = "atomic-"; /* Violin's names: atomic-queue, atomic-stack */
    size_t skip = sizeof prefix - 1;
    if (length > skip && memcmp(name, prefix, skip) == 0) return object_type_find(name + skip, length - skip);
    return NULL;
}

int object_type_own_method(const object_type *t, const char *name) {
    size_t length = strlen(name);
    for (unsigned m = 0; m < t->method_count; m++)
        if (in_words(t->methods[m].name, name, length)) return (int)m;
    return -1;
}

int object_type_method(const object_type *t, const char *name) {
    int own = object_type_own_method(t, name);
    if (own >= 0) return own;
    size_t length = strlen(name);
    for (unsigned m = 0; m < t->method_count; m++)
        if (in_words(t->methods[m].aliases, name, length)) return (int)m;
    return -1;
}
