/* The tables as text: --help, manual page, completion. */
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

static void choices_text(const option *o, const char *separator, text *out) {
    for (const char *w = o->choices; *w;) {
        size_t n = strcspn(w, " ");
        if (w != o->choices) text_add(out, separator);
        text_bytes(out, w, n);
        w += n + strspn(w + n, " ");
    }
}

static bool offers_choices(const option *o) { return o->kind == OPTION_CHOICE || o->kind == OPTION_WORD; }

static void argument_text(const option *o, text *out) {
    assert(o->kind != OPTION_FLAG);
    if (offers_choices(o)) {
        choices_text(o, "|", out);
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

static void bash_argument(const command *c, const option *o, text *out) {
    if (o->kind == OPTION_FLAG || (!o->complete && !offers_choices(o))) return;
    text_printf(out, "        %s:--%s", c->name, o->name);
    if (o->letter) text_printf(out, "|%s:-%c", c->name, o->letter);
    text_add(out, ") ");
    if (offers_choices(o)) {
        text_add(out, "COMPREPLY=($(compgen -W \"");
        choices_text(o, " ", out);
        text_add(out, "\" -- \"$word\")); return ;;\n");
    } else if (!strcmp(o->complete, "file")) {
        text_add(out, "COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
    } else {
        text_printf(out, "COMPREPLY=($(compgen -W \"$(\"$plumb\" %s --names 2>/dev/null)\" -- \"$word\")); return ;;\n",
                    o->complete);
    }
}

static void bash_options(const command *c, text *out) {
    text_printf(out, "        %s) words=\"", c->name);
    for (const option *o = c->options; o && o->name; o++) text_printf(out, "--%s ", o->name);
    text_add(out, "--help\" ;;\n");
}

void options_bash(const command *const *commands, text *out) {
    text_add(out, "# bash completion for plumb; made from its option tables by `plumb --dump-options bash`\n"
                  "_plumb() {\n"
                  "    local plumb=$1 word=$2 previous=$3 command=${COMP_WORDS[1]} words=\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        COMPREPLY=($(compgen -W \"");
    for (const command *const *c = commands; *c; c++) text_printf(out, "%s ", (*c)->name);
    text_add(out, "--help --version\" -- \"$word\"))\n        return\n    fi\n    case $command:$previous in\n");
    for (const command *const *c = commands; *c; c++)
        for (const option *o = (*c)->options; o && o->name; o++) bash_argument(*c, o, out);
    text_add(out, "        help:help) COMPREPLY=($(compgen -W \"");
    for (const command *const *c = commands; *c; c++) text_printf(out, "%s ", (*c)->name);
    text_add(out, "\" -- \"$word\")); return ;;\n    esac\n    case $command in\n");
    for (const command *const *c = commands; *c; c++) bash_options(*c, out);
    text_add(out, "    esac\n"
                  "    case $word in\n"
                  "        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
                  "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
                  "    esac\n"
                  "}\n"
                  "complete -o filenames -F _plumb plumb\n");
}
