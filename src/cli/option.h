/* Options are described once, in tables: the parser, --help, the manual pages' lists and the shell completion all come
 * from these descriptions. */
#ifndef PLUMB_CLI_OPTION_H
#define PLUMB_CLI_OPTION_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* text: every value given, one after another, separated by blanks */
    OPTION_CHOICE,  /* int: index into choices */
    OPTION_WORD,    /* const char *: one of choices */
    OPTION_COUNT,   /* uint64_t, from min to max */
    OPTION_SHARE,   /* double, from 0 to 1 */
    OPTION_SECONDS, /* double: 1.5, 500ms, 2m, 1h */
    OPTION_BYTES,   /* uint64_t: 100000, 64K, 512M, 2G */
} option_kind;

typedef struct option {
    const char *name;
    char letter;          /* short form; 0: none */
    const char *argument; /* what the argument is called; NULL for a flag */
    option_kind kind;
    size_t offset;        /* where the value goes in the command's settings */
    const char *standard; /* the default, as people read it; NULL: nothing to say */
    const char *help;     /* one line */
    const char *more;     /* further sentences for the manual page; may be NULL */
    const char *choices;  /* blank-separated, for OPTION_CHOICE and OPTION_WORD */
    /* what the shell may offer: "file", or a command that lists names ("objects"); may be NULL */
    const char *complete;
    uint64_t min, max; /* for OPTION_COUNT; max 0: no limit */
} option;

/* One row of a command's table: the field of its settings that the option writes, name, kind (TEXT for OPTION_TEXT),
 * then what else there is to say, as fields of the record. `#define ROW(...) OPTION_ROW(its_settings, __VA_ARGS__)`
 * makes rows of a command; common_options.h has what commands share. */
#define OPTION_ROW(settings, ...) OPTION_RECORD(settings, __VA_ARGS__)
#define OPTION_RECORD(settings, field, word, type, ...) \
    { .name = word, .kind = OPTION_##type, .offset = offsetof(settings, field), __VA_ARGS__ }

typedef struct command {
    const char *name;
    const char *arguments;         /* "[OPTION]... FILE..." */
    const char *summary;           /* one line */
    const char *about;             /* a paragraph for --help; may be NULL */
    const option *options;         /* ended by a NULL name; may be NULL */
    size_t settings_size;          /* of the structure the options write into */
    const void *standard_settings; /* its initial contents; NULL: zero */
    unsigned min_operands, max_operands;
    /* what they begin with, blank-separated: -D and the like are operands as well, and so is "--"; NULL: none */
    const char *compiler_flags;
    bool verbatim; /* every argument is an operand: another program's options */
    int (*run)(void *settings, char **operand, unsigned operands);
} command;

/* The record of command `word`: run_word() runs it, its options write into an object of type `settings`. */
#define COMMAND(word, usage, line, table, settings, ...) \
    const command command_##word = {.name = #word, \
                                    .arguments = usage, \
                                    .summary = line, \
                                    .options = table, \
                                    .settings_size = sizeof(settings), \
                                    .run = run_##word, \
                                    __VA_ARGS__}

/* Takes options off `argv` (in any place; "--" ends them) and gathers the operands in front of argv. False: usage
 * error. */
bool options_parse(const command *c, void *settings, int argc, char **argv, unsigned *operands, bool *help, error *e);

bool parse_seconds(const char *s, double *out);
bool parse_bytes(const char *s, uint64_t *out);

void options_help(const command *c, text *out);  /* the list in --help */
void options_scdoc(const command *c, text *out); /* the list in a manual page */
bool option_offers_choices(const option *o);
void option_choices(const option *o, const char *separator, text *out);

/* Completion scripts. */
void options_bash(const command *const *commands, text *out);
void options_zsh(const command *const *commands, text *out);
void options_fish(const command *const *commands, text *out);

#endif
