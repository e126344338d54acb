#include "cli/commands.h"

#include <assert.h>
#include <string.h>

enum { NAME_INDENT = 2, NAME_GAP = 2 }; /* columns before and behind the names of commands */

static unsigned longest_name(void) {
    size_t longest = 0;
    for (const command *const *c = commands; *c; c++) {
        size_t n = strlen((*c)->name);
        if (n > longest) longest = n;
    }
    assert(longest > 0);
    return (unsigned)longest;
}

static void all_commands(text *out) {
    unsigned column = NAME_INDENT + longest_name() + NAME_GAP;
    for (const command *const *c = commands; *c; c++) {
        assert((*c)->name && (*c)->summary);
        text_printf(out, "%*s%s", NAME_INDENT, "", (*c)->name);
        text_pad(out, column);
        text_printf(out, "%s\n", (*c)->summary);
    }
}

int help_short(void) {
    text out = {0};
    text_add(&out, "plumb tells whether a recorded concurrent history is linearizable, and proves its answer.\n\n");
    all_commands(&out);
    text_add(&out, "\n  plumb check history.edn                      what is wrong with this history, and why\n"
                   "  plumb check --object queue --json runs/      a whole directory, one JSON object a line\n\n"
                   "`plumb help COMMAND` tells more; the manual is plumb(1).\n");
    return print_text(&out);
}

int command_help_print(const command *c) {
    text out = {0};
    text_printf(&out, "usage: plumb %s %s\n\n%s.\n", c->name, c->arguments, c->summary);
    if (c->about) text_printf(&out, "%s\n", c->about);
    text_add(&out, "\n");
    options_help(c, &out);
    return print_text(&out);
}

static int run_help(void *settings, char **operand, unsigned operands) {
    (void)settings;
    if (operands == 0) return help_short();
    const command *c = command_find(operand[0]);
    if (c) return command_help_print(c);
    error e = {0};
    error_set(&e, EXIT_USAGE, "help: no command is called '%s'; `plumb help` lists them", operand[0]);
    return complain(&e);
}

const command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "explain a command",
    .max_operands = 1,
    .run = run_help,
};

static int run_version(void *settings, char **operand, unsigned operands) {
    (void)settings;
    (void)operand;
    (void)operands;
    text out = {0};
    text_printf(&out, "plumb %s\n", PLUMB_VERSION);
    return print_text(&out);
}

const command command_version = {
    .name = "version",
    .arguments = "",
    .summary = "print the version",
    .run = run_version,
};
