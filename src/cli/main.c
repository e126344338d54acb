/* plumb: one word names the command, the tables do the rest. */
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/standard_output.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const command *const commands[] = {&command_check,
                                   &command_monitor,
                                   &command_drive,
                                   &command_convert,
                                   &command_generate,
                                   &command_certify,
                                   &command_view,
                                   &command_theory,
                                   &command_init,
                                   &command_explore,
                                   &command_replay,
                                   &command_cc,
                                   &command_cxx,
                                   &command_objects,
                                   &command_engines,
                                   &command_formats,
                                   &command_monitors,
                                   &command_export_monitor,
                                   &command_replica,
                                   &command_publish,
                                   &command_worker,
                                   &command_workers,
                                   &command_help,
                                   &command_version,
                                   NULL};

const command *command_find(const char *name) {
    for (const command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, name)) return *c;
    return NULL;
}

int complain(const error *e) {
    assert(e->code); /* an error has an exit code */
    fprintf(stderr, "plumb: %s\n", e->what);
    return e->code;
}

int print_text(text *t) {
    errno = 0;
    bool good = fwrite(text_str(t), 1, t->size, stdout) == t->size && fflush(stdout) == 0;
    if (!good) standard_output_failed(errno);
    text_free(t);
    return good ? 0 : EXIT_CANNOT_OPEN;
}

static int unknown_command(const char *name) {
    error e = {0};
    text names = {0};
    size_t length;
    for (const command *const *c = commands; *c; c++) text_printf(&names, "%s ", (*c)->name);
    const char *near = nearest_name(name, text_str(&names), &length);
    if (near) error_set(&e, EXIT_USAGE, "unknown command '%s'; did you mean '%.*s'?", name, (int)length, near);
    else error_set(&e, EXIT_USAGE, "unknown command '%s'; `plumb help` lists them", name);
    text_free(&names);
    return complain(&e);
}

/* Not for people: what the build makes manual pages and completion from. */
static int dump_options(int argc, char **argv) {
    text out = {0};
    const command *c = argc > 1 ? command_find(argv[1]) : NULL;
    if (argc == 1 && !strcmp(argv[0], "bash")) options_bash(commands, &out);
    else if (argc == 1 && !strcmp(argv[0], "zsh")) options_zsh(commands, &out);
    else if (argc == 1 && !strcmp(argv[0], "fish")) options_fish(commands, &out);
    else if (argc == 2 && !strcmp(argv[0], "man") && c) options_scdoc(c, &out);
    else return complain(&(error){EXIT_USAGE, "--dump-options: expected bash, zsh, fish, or man and a command"});
    return print_text(&out);
}

static int run(const command *c, int argc, char **argv) {
    error e = {0};
    unsigned operands;
    bool help;
    void *settings = mem_zero(1, c->settings_size + 1);
    if (c->standard_settings) memcpy(settings, c->standard_settings, c->settings_size);
    int code;
    assert(c->run && (c->options == NULL || c->settings_size));
    if (c->verbatim) code = c->run(settings, argv, (unsigned)argc);
    else if (!options_parse(c, settings, argc, argv, &operands, &help, &e)) code = complain(&e);
    else if (help) code = command_help_print(c);
    else code = c->run(settings, argv, operands);
    free(settings);
    return code;
}

static int run_command(int argc, char **argv) {
    if (argc < 2) return help_short();
    const char *word = argv[1];
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) word = "help";
    else if (!strcmp(word, "--version") || !strcmp(word, "-V")) word = "version";
    else if (!strcmp(word, "--dump-options") && argc > 2) return dump_options(argc - 2, argv + 2);
    const command *c = command_find(word);
    return c ? run(c, argc - 2, argv + 2) : unknown_command(word);
}

int main(int argc, char **argv) {
    mem_keep_freed();
    return standard_output_end(run_command(argc, argv));
}
