#include "observe/export.h"

#include "base/mem.h"
#include "observe/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporting {
    const char *object;
    unsigned k;
    bool promela;
    automaton *a;
    unsigned automata, states;
} exporting;

static void derive_all(exporting *x) {
    x->a = MEM_ARRAY(automaton, pattern_count());
    for (unsigned i = 0; i < pattern_count(); i++) {
        if (strcmp(pattern_at(i)->object, x->object)) continue;
        automaton *a = &x->a[x->automata++];
        automaton_derive(a, pattern_at(i));
        if (a->states > x->states) x->states = a->states;
    }
}

/* ---- what fills the places of a template ---- */

static void put_sentences(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++) text_printf(out, " *   %u %s: %s\n", i, x->a[i].of->name, x->a[i].of->sentence);
}

static void put_table(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++) {
        text_add(out, "    {");
        for (unsigned s = 0; s < x->a[i].states; s++) {
            text_add(out, s ? ",\n     {" : "{");
            for (unsigned c = 0; c < PATTERN_SYMBOLS; c++) text_printf(out, "%s%u", c ? ", " : "", x->a[i].next[s][c]);
            text_add(out, "}");
        }
        text_add(out, "},\n");
    }
}

static void put_letters(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++) text_printf(out, "%s{%d, %d}", i ? ", " : "", x->a[i].of->letter[0], x->a[i].of->letter[1]);
}

static void put_choices(const exporting *x, text *out) {
    for (unsigned i = 0; i < x->automata; i++)
        text_printf(out, "        :: monitor_pattern = %u; monitor_give(1, %d); monitor_give(2, %d)\n", i, x->a[i].of->letter[0], x->a[i].of->letter[1]);
}

static void put_has_miss(const exporting *x, text *out) {
    const char *before = "(";
    for (unsigned i = 0; i < x->automata; i++)
        if (x->a[i].of->letter[0] == LETTER_MISS) text_printf(out, "%smonitor_pattern == %u", before, i), before = " || ";
    text_add(out, *before == '(' ? "false" : ")");
}

static void put(const exporting *x, const char *what, text *out) {
    bool fifo = !strcmp(x->object, "queue");
    if (!strcmp(what, "OBJECT")) text_add(out, x->object);
    else if (!strcmp(what, "UPPER"))
        for (const char *p = x->object; *p; p++) text_char(out, (char)toupper((unsigned char)*p));
    else if (!strcmp(what, "SENTENCES")) put_sentences(x, out);
    else if (!strcmp(what, "PATTERNS")) text_printf(out, "%u", x->automata);
    else if (!strcmp(what, "STATES")) text_printf(out, "%u", x->states);
    else if (!strcmp(what, "TABLE")) put_table(x, out);
    else if (!strcmp(what, "LETTERS")) put_letters(x, out);
    else if (!strcmp(what, "CHOICES")) put_choices(x, out);
    else if (!strcmp(what, "HAS_MISS")) put_has_miss(x, out);
    else if (!strcmp(what, "ENDS")) text_add(out, !strcmp(x->object, "register") ? (x->promela ? "false" : "0") : (x->promela ? "true" : "1"));
    else if (!strcmp(what, "K")) text_printf(out, "%u", x->k);
    else if (!strcmp(what, "TAKE_C")) text_add(out, fifo ? "m->first++" : "--m->end");
    else if (!strcmp(what, "TAKE_PML")) text_add(out, fifo ? "monitor_first" : "monitor_count - 1");
    else if (!strcmp(what, "FIRST_PML")) text_add(out, fifo ? "(monitor_first + 1) % (MONITOR_VALUES + 1)" : "0");
    else abort();
}

/* @NAME@ is a place to fill in. */
static void fill(const exporting *x, const char *words, text *out) {
    for (const char *at; (at = strchr(words, '@')); ) {
        char name[32];
        size_t n = strcspn(at + 1, "@");
        text_bytes(out, words, (size_t)(at - words));
        snprintf(name, sizeof name, "%.*s", (int)n, at + 1);
        put(x, name, out);
        words = at + 1 + n + 1;
    }
    text_add(out, words);
}

static const char *template_words(const char *kind, bool promela) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s.in", kind, promela ? "pml" : "h");
    for (const template_file *f = monitor_templates; f->name; f++)
        if (!strcmp(f->name, name)) return f->words;
    return NULL;
}

bool monitor_export(const char *object, const char *kind, unsigned k, const char *to, text *out, error *e) {
    exporting x = {.object = object, .k = k, .promela = !strcmp(to, "promela")};
    const char *words = template_words(kind, x.promela);
    bool container = !strcmp(object, "queue") || !strcmp(object, "stack");
    if (!words) return error_set(e, EXIT_USAGE, "there is no monitor of kind %s for %s", kind, to);
    derive_all(&x);
    bool good = x.automata && (container || (!strcmp(kind, "pattern") && strcmp(object, "lock")));
    if (good) fill(&x, words, out);
    else error_set(e, EXIT_USAGE, "no monitor of kind %s to export for object %s; expected %s", kind, object, strcmp(kind, "pattern") ? "queue or stack" : "queue, stack or register");
    free(x.a);
    return good;
}
