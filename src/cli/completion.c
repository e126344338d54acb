/* The tables as completion scripts of shells. What a shell offers for an argument: the words of a choice, files, or the
 * names that a command lists (`plumb objects --names`). */
#include "cli/option.h"

#include <assert.h>
#include <string.h>

/* ---- bash ---- */

static void bash_argument(const command *c, const option *o, text *out) {
    if (o->kind == OPTION_FLAG || (!o->complete && !option_offers_choices(o))) return;
    text_printf(out, "        %s:--%s", c->name, o->name);
    if (o->letter) text_printf(out, "|%s:-%c", c->name, o->letter);
    text_add(out, ") ");
    if (option_offers_choices(o)) {
        text_add(out, "COMPREPLY=($(compgen -W \"");
        option_choices(o, " ", out);
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

/* ---- zsh ---- */

/* Inside single quotes; of a specification of _arguments, brackets and colons have a meaning. */
static void zsh_words(const char *s, text *out) {
    for (; *s; s++) {
        if (*s == '\'') text_add(out, "'\\''");
        else {
            if (strchr("[]:\\", *s)) text_char(out, '\\');
            text_char(out, *s);
        }
    }
}

static void zsh_argument(const option *o, text *out) {
    if (o->kind == OPTION_FLAG) return;
    text_char(out, ':');
    zsh_words(o->argument ? o->argument : o->name, out);
    text_char(out, ':');
    if (option_offers_choices(o)) {
        text_char(out, '(');
        option_choices(o, " ", out);
        text_char(out, ')');
    } else if (o->complete) {
        if (!strcmp(o->complete, "file")) text_add(out, "_files");
        else text_printf(out, " _plumb_names %s", o->complete); /* the blank: without options of compadd */
    } else {
        text_char(out, ' ');
    }
}

static void zsh_option(const option *o, text *out) {
    bool again = o->kind == OPTION_LIST; /* it may be given several times */
    text_add(out, " \\\n            ");
    if (o->letter && !again) text_printf(out, "'(-%c --%s)'", o->letter, o->name);
    if (o->letter) text_printf(out, "{%s-%c,%s--%s}'[", again ? "\\*" : "", o->letter, again ? "\\*" : "", o->name);
    else text_printf(out, "'%s--%s[", again ? "*" : "", o->name);
    zsh_words(o->help, out);
    text_char(out, ']');
    zsh_argument(o, out);
    text_char(out, '\'');
}

static void zsh_command(const command *c, text *out) {
    text_printf(out, "        %s) _arguments -s", c->name);
    for (const option *o = c->options; o && o->name; o++) zsh_option(o, out);
    text_add(out, " \\\n            '(-h --help)'{-h,--help}'[print this help]'");
    text_printf(out, " '*:file:%s' ;;\n", strcmp(c->name, "help") ? "_files" : "_plumb_commands");
}

void options_zsh(const command *const *commands, text *out) {
    text_add(out, "#compdef plumb\n# made from its option tables by `plumb --dump-options zsh`\n\n"
                  "_plumb_names() { local -a names; names=(${(f)\"$(plumb $1 --names 2>/dev/null)\"}); "
                  "compadd -a names }\n\n_plumb_commands() {\n    local -a commands\n    commands=(\n");
    for (const command *const *c = commands; *c; c++) {
        text_printf(out, "        '%s:", (*c)->name);
        zsh_words((*c)->summary, out);
        text_add(out, "'\n");
    }
    text_add(out, "    )\n    _describe command commands\n}\n\n_plumb() {\n"
                  "    if (( CURRENT == 2 )); then _plumb_commands; return; fi\n"
                  "    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n");
    for (const command *const *c = commands; *c; c++) zsh_command(*c, out);
    text_add(out,
             "    esac\n}\n\nif [ \"$funcstack[1]\" = _plumb ]; then _plumb \"$@\"; else compdef _plumb plumb; fi\n");
}

/* ---- fish ---- */

static void fish_words(const char *s, text *out) {
    text_char(out, '\'');
    for (; *s; s++) {
        if (strchr("'\\", *s)) text_char(out, '\\');
        text_char(out, *s);
    }
    text_char(out, '\'');
}

static void fish_argument(const option *o, text *out) {
    if (o->kind == OPTION_FLAG) return;
    if (option_offers_choices(o)) {
        text_add(out, " -x -a '");
        option_choices(o, " ", out);
        text_char(out, '\'');
    } else if (!o->complete) {
        text_add(out, " -x");
    } else if (!strcmp(o->complete, "file")) {
        text_add(out, " -r -F");
    } else {
        text_printf(out, " -x -a '(plumb %s --names 2>/dev/null)'", o->complete);
    }
}

static void fish_option(const command *c, const option *o, text *out) {
    text_printf(out, "complete -c plumb -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter) text_printf(out, " -s %c", o->letter);
    fish_argument(o, out);
    text_add(out, " -d ");
    fish_words(o->help, out);
    text_char(out, '\n');
}

void options_fish(const command *const *commands, text *out) {
    text_add(out, "# made from its option tables by `plumb --dump-options fish`\n");
    for (const command *const *c = commands; *c; c++) {
        text_printf(out, "complete -c plumb -f -n __fish_use_subcommand -a %s -d ", (*c)->name);
        fish_words((*c)->summary, out);
        text_printf(out, "\ncomplete -c plumb -f -n '__fish_seen_subcommand_from help' -a %s\n", (*c)->name);
        for (const option *o = (*c)->options; o && o->name; o++) fish_option(*c, o, out);
        text_printf(out, "complete -c plumb -n '__fish_seen_subcommand_from %s' -l help -s h -d 'print this help'\n",
                    (*c)->name);
    }
}
