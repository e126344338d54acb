/* The tables as text: --help, manual page. */
#include "cli/option.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

static void wrap(text *out, const char *words, size_t column) {
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, " "), start = out->size;
        while (start && out->at[start - 1] != '\n') start--;
        if (out->size - start + n >= HELP_WIDTH) text_char(out, '\n');
        else if (w != words) text_char(out, ' ');
        text_pad(out, column);
        text_bytes(out, w, n);
        w += n + strspn(w + n, " ");
    }
}

void option_choices(const option *o, const char *separator, text *out) {
    for (const char *w = o->choices; *w;) {
        size_t n = strcspn(w, " ");
        if (w != o->choices) text_add(out, separator);
        text_bytes(out, w, n);
        w += n + strspn(w + n, " ");
    }
}

bool option_offers_choices(const option *o) { return o->kind == OPTION_CHOICE || o->kind == OPTION_WORD; }

static void argument_text(const option *o, text *out) {
    assert(o->kind != OPTION_FLAG);
    if (option_offers_choices(o)) {
        option_choices(o, "|", out);
    } else {
        assert(o->argument);
        text_add(out, o->argument);
    }
}

static void help_line(const option *o, text *out) {
    assert(o->name && o->help && *o->help);
    text_add(out, "  ");
    if (o->letter) text_printf(out, "-%c, ", o->letter);
    text_printf(out, "--%s", o->name);
    if (o->kind != OPTION_FLAG) {
        text_char(out, ' ');
        argument_text(o, out);
    }
    text words = {0};
    text_add(&words, o->help);
    if (o->standard) text_printf(&words, " (default: %s)", o->standard);
    text_add(out, "  ");
    wrap(out, text_str(&words), HELP_COLUMN);
    text_char(out, '\n');
    text_free(&words);
}

void options_help(const command *c, text *out) {
    for (const option *o = c->options; o && o->name; o++) help_line(o, out);
    text_add(out, "  -h, --help");
    text_pad(out, HELP_COLUMN);
    text_add(out, "print this help\n");
}

/* scdoc reads _underlined_ and *bold*: these characters are escaped when they are meant as themselves. */
static void scdoc_words(const char *s, text *out) {
    for (; *s; s++) {
        if (strchr("_*\\<>#~[]", *s)) text_char(out, '\\');
        text_char(out, *s);
    }
}

void options_scdoc(const command *c, text *out) {
    for (const option *o = c->options; o && o->name; o++) {
        if (o->letter) text_printf(out, "*-%c*, ", o->letter);
        text_printf(out, "*--%s*", o->name);
        if (o->kind != OPTION_FLAG) {
            text_add(out, " _");
            text argument = {0};
            argument_text(o, &argument);
            scdoc_words(text_str(&argument), out);
            text_free(&argument);
            text_add(out, "_");
        }
        text_add(out, "\n\t");
        text_char(out, (char)toupper((unsigned char)o->help[0]));
        scdoc_words(o->help + 1, out);
        text_char(out, '.');
        if (o->standard) {
            text_add(out, " Default: ");
            scdoc_words(o->standard, out);
            text_char(out, '.');
        }
        if (o->more) {
            text_char(out, ' ');
            scdoc_words(o->more, out);
        }
        text_add(out, "\n\n");
    }
}
