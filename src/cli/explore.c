/* plumb explore: run real code through every interleaving that matters, and explain the bad one. */
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/explore_run.h"
#include "report/exploration.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const explore_settings standard_settings = {
#define SENT_OPTION(field, name, kind, where, standard, ...) .how.field = standard,
#define SENT_FIELD(field, kind, where, standard, ...) .how.field = standard,
#include "explore/model/explore_options.def"
};

/* The rows of the table as the parser, --help, the manual page and the completion read them. */
static const option options[] = {
#define SENT_OPTION(field, word, type, where, normal, words, ...) \
    {.name = word, .kind = OPTION_##type, .offset = offsetof(explore_settings, how.field), __VA_ARGS__},
#define HERE_OPTION(field, word, type, ...) \
    {.name = word, .kind = OPTION_##type, .offset = offsetof(explore_settings, field), __VA_ARGS__},
#include "explore/model/explore_options.def"
    {0}};

static int run_explore(void *settings, char **operand, unsigned operands) {
    explore_settings *s = settings;
    error e = {0};
    int code = explore_run(s, operand, operands, &e);
    text_free(&s->flags);
    return e.code ? complain(&e) : code;
}

COMMAND(explore, "[OPTION]... TEST.c [SOURCE]... [-Dx] [-Idir] [-lx] | PROGRAM [-- ARGUMENT...]",
        "run code under every interleaving that matters, and explain the bad one", options, explore_settings,
        .about =
            "TEST.c and further sources (C, C++, assembly, objects) are compiled with `plumb cc`, which is given its "
            "own options and flags that\n"
            "begin with -D -U -I -L -l -O -W -w -f -g -std= -pedantic -pthread -march= -mtune= -mcx16 as they are "
            "(others with --flags); a PROGRAM\n"
            "was compiled with it before. Words behind -- are arguments of a program's own main. See plumbline/test.h "
            "for how a test is written.\n"
            "Exit: 0 no violation and the stated coverage, 1 violation or failure, 2 undecided, 64 usage, 65 bad "
            "input, 130 interrupted.",
        .standard_settings = &standard_settings, .min_operands = 1, .max_operands = UINT32_MAX,
        .compiler_flags =
            "-D -U -I -L -l -O -W -w -f -g -std= -pedantic -pthread -march= -mtune= -mcx16 --foreign= --asm-unknown=");

/* ---- plumb replay ---- */

#define ROW(...) OPTION_ROW(replay_settings, __VA_ARGS__)

static const option replay_options[] = {
    ROW(gdb, "gdb", FLAG, .help = "stop in gdb at the decisive steps",
        .more = "`next-step` goes on to the next step of any thread; backtraces work in every thread."),
    ROW(full, "full", FLAG, .help = "show every step"),
    ROW(trust, "trust", FLAG, .help = "compile and run what the schedule names, though it was written elsewhere",
        .more =
            "Needed when `plumb explore` did not write it for this user in this folder. The refusal lists what would "
            "run."),
    ROW(html, HTML_OPTION, .help = "write a page that shows what was found, step by step, to FILE",
        .more = "See *plumb-view*(1)."),
    ROW(color, COLOR_OPTION),
    {0}};

static int run_replay(void *settings, char **operand, unsigned operands) {
    error e = {0};
    (void)operands;
    int code = replay_run(settings, operand[0], &e);
    return e.code ? complain(&e) : code;
}

COMMAND(replay, "[OPTION]... SCHEDULE", "repeat one interleaving that `plumb explore` saved", replay_options,
        replay_settings,
        .about = "The test is compiled again from the sources that SCHEDULE names. Exit: as `plumb explore`; when the "
                 "program has changed so\n"
                 "that the schedule no longer fits, the place is named.",
        .min_operands = 1, .max_operands = 1);
