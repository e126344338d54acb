/* The list of built-in objects, and finding one by name. A new object is one file and one line here. */
#include "object/object.h"

#include "object/types.h"

#include <string.h>

static const object_type *const types[] = {
#define OBJECT_TYPE(name) &object_type_##name,
#include "object/types.def"
#undef OBJECT_TYPE
};

const object_type *object_type_at(unsigned i) {
    return i < sizeof types / sizeof *types ? types[i] : NULL;
}

static bool in_words(const char *words, const char *name, size_t length) {
    for (const char *w = words; w && *w;) {
        size_t n = strcspn(w, " ");
        if (n == length && memcmp(w, name, n) == 0) return true;
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

int object_type_method(const object_type *t, const char *name) {
    size_t length = strlen(name);
    for (unsigned m = 0; m < t->method_count; m++)
        if (in_words(t->methods[m].name, name, length) || in_words(t->methods[m].aliases, name, length)) return (int)m;
    return -1;
}

static bool has_all_methods(const object_type *t, const history *h) {
    for (unsigned m = 0; m < h->methods; m++)
        if (object_type_method(t, h->method_name[m]) < 0) return false;
    return true;
}

const object_type *object_infer(const history *h, const char *file, error *e) {
    const object_type *found = NULL, *t;
    text names = {0};
    unsigned count = 0;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        if (!has_all_methods(t, h)) continue;
        found = t;
        text_printf(&names, "%s%s", count++ ? ", " : "", t->name);
    }
    if (count != 1) {
        found = NULL;
        if (h->n == 0) error_set(e, EXIT_BAD_INPUT, "%s: no operations; say which object with --object", file);
        else if (count == 0) error_set(e, EXIT_BAD_INPUT, "%s:%u: no object has all methods of this history (%s, ...); say which with --object", file, h->method_line[0], h->method_name[0]);
        else error_set(e, EXIT_BAD_INPUT, "%s: the methods fit several objects (%s); say which with --object", file, text_str(&names));
    }
    text_free(&names);
    return found;
}
