/* plumb explore: run real code through every interleaving that matters, and explain the bad one. */
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/explore_run.h"
#include "report/exploration.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(explore_settings, field)

static const explore_settings standard_settings = {.seconds = 60, .preemptions = 2, .depth = 3, .seed = 1, .steps = 2000};

static const option options[] = {
    {.name = "object", .letter = 'o', .argument = "O", .kind = OPTION_TEXT, .offset = AT(object), .complete = "objects",
     .standard = "what the test says", .help = "the object the operations are operations of", .more = "`none`: check assertions only."},
    {.name = "serial", .kind = OPTION_FLAG, .offset = AT(serial), .help = "no object: compare with the same operations run one at a time",
     .more = "Phase 1 collects what they return in every order that the threads allow, kept in TEST.serial; phase 2 explores. With --quasi the runs must be the object's."},
    {.name = "golden", .argument = "CODE", .kind = OPTION_TEXT, .offset = AT(golden), .standard = "the code under test",
     .help = "take the runs of --serial from this code", .more = "\"lock_queue.c\", or flags alone, \"-DK=0\": the same sources with them."},
    {.name = "criterion", .argument = "C", .kind = OPTION_TEXT, .offset = AT(criterion), .standard = "linearizable",
     .help = "what histories are to be", .more = "linearizable, quasi(K), quasi(ahead=D,overtaken=M), out-of-order(D,L)"},
    {.name = "quasi", .letter = 'k', .argument = "K", .kind = OPTION_TEXT, .offset = AT(quasi), .help = "short for --criterion 'quasi(K)'"},
    {.name = "measure", .kind = OPTION_FLAG, .offset = AT(measure), .help = "find the smallest K for which all explored histories are quasi(K)"},
    {.name = "init", .argument = "V", .kind = OPTION_TEXT, .offset = AT(init), .standard = "what the test says", .help = "the initial value of a register"},
    {.name = "strategy", .letter = 's', .argument = "S", .kind = OPTION_CHOICE, .offset = AT(strategy), .choices = EXPLORE_STRATEGIES, .standard = "auto",
     .help = "which interleavings", .more = "auto: those with 0, 1, 2 preemptions, then all, one execution for each trace (dpor)."},
    {.name = "preemptions", .letter = 'p', .argument = "N", .kind = OPTION_COUNT, .offset = AT(preemptions), .max = 100, .standard = "2",
     .help = "bounded: at most so many; auto: so many before dpor"},
    {.name = "monitor", .letter = 'm', .argument = "KIND", .kind = OPTION_TEXT, .offset = AT(monitor), .complete = "monitors", .standard = "none: whole traces are checked",
     .help = "check histories with a monitor: all, points, pattern, count,k=N", .more = "`plumb monitors` lists them. Interleavings that a monitor cannot answer for are not claimed as covered."},
    {.name = "time", .letter = 't', .argument = "T", .kind = OPTION_SECONDS, .offset = AT(seconds), .standard = "60s", .help = "time for everything (also 500ms, 2m)"},
    {.name = "executions", .argument = "N", .kind = OPTION_COUNT, .offset = AT(executions), .standard = "no limit", .help = "at most so many of each test program"},
    {.name = "operations", .argument = "OPS", .kind = OPTION_TEXT, .offset = AT(operations), .standard = "all that are declared",
     .help = "make test programs from these: \"enq(1..3) deq\"", .more = "Used when the test declares no PLUMB_THREADS, or when given."},
    {.name = "threads", .argument = "N-M", .kind = OPTION_TEXT, .offset = AT(threads), .standard = "2-3", .help = "threads of the programs that are made"},
    {.name = "length", .argument = "N-M", .kind = OPTION_TEXT, .offset = AT(length), .standard = "1-3", .help = "operations of a thread of these programs"},
    {.name = "program", .argument = "THREADS", .kind = OPTION_TEXT, .offset = AT(program), .help = "explore just this: \"enq(1) : deq | deq\""},
    {.name = "reuse", .argument = "HOW", .kind = OPTION_CHOICE, .offset = AT(reuse), .choices = "newest oldest choose never", .standard = "newest",
     .help = "which freed memory malloc hands out again", .more = "choose explores every possibility."},
    {.name = "races", .kind = OPTION_FLAG, .offset = AT(races), .help = "a data race on plain accesses is a failure", .more = "Without it races are listed."},
    {.name = "leaks", .kind = OPTION_FLAG, .offset = AT(leaks), .help = "memory that is not freed at the end is a failure"},
    {.name = "freed-reads", .kind = OPTION_FLAG, .offset = AT(freed_reads), .help = "reading freed memory is no failure, only writing and freeing it",
     .more = "For code that notices afterwards (a tagged pointer), and to see what a stale pointer leads to."},
    {.name = "progress", .argument = "CLAIM", .kind = OPTION_CHOICE, .offset = AT(progress), .choices = EXPLORE_PROGRESS, .standard = "none",
     .help = "what the code claims: operations that contradict it are a failure",
     .more = "An operation that waits for another thread contradicts all three; one that repeats a loop because others interfere contradicts wait-free."},
    {.name = "assume-nothing", .kind = OPTION_FLAG, .offset = AT(assume_nothing),
     .help = "no symmetry, no skipped iterations of loops that were proved pure"},
    {.name = "seed", .argument = "N", .kind = OPTION_COUNT, .offset = AT(seed), .standard = "1", .help = "of random and pct"},
    {.name = "depth", .argument = "N", .kind = OPTION_COUNT, .offset = AT(depth), .min = 1, .max = 64, .standard = "3", .help = "pct: how many ordered events a bug needs"},
    {.name = "steps", .argument = "N", .kind = OPTION_COUNT, .offset = AT(steps), .min = 10, .max = 1000000, .standard = "2000",
     .help = "an execution with more is cut off, and the report says so"},
    {.name = "jobs", .letter = 'j', .argument = "N", .kind = OPTION_COUNT, .offset = AT(jobs), .min = 1, .max = 256, .standard = "the number of cores", .help = "processes"},
    {.name = "flags", .argument = "FLAGS", .kind = OPTION_LIST, .offset = AT(flags), .help = "for the compiler: \"-I. -DSMALL\""},
    {.name = "schedule", .argument = "FILE", .kind = OPTION_TEXT, .offset = AT(schedule), .complete = "file", .standard = "TEST.schedule",
     .help = "where a failing schedule is kept, and tried first next time"},
    {.name = "full", .kind = OPTION_FLAG, .offset = AT(full), .help = "show every step of the interleaving"},
    {.name = "json", .kind = OPTION_FLAG, .offset = AT(json), .help = "print one JSON object"},
    {.name = "junit", .argument = "FILE", .kind = OPTION_TEXT, .offset = AT(junit), .complete = "file", .help = "write a JUnit report to FILE as well"},
    {.name = "sarif", .argument = "FILE", .kind = OPTION_TEXT, .offset = AT(sarif), .complete = "file", .help = "write a SARIF report to FILE as well"},
    {.name = "html", .argument = "FILE", .kind = OPTION_TEXT, .offset = AT(html), .complete = "file",
     .help = "write a page that shows what was found, step by step, to FILE", .more = "See *plumb-view*(1)."},
    {.name = "github", .kind = OPTION_FLAG, .offset = AT(github), .help = "print an annotation for GitHub workflows"},
    {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = AT(quiet), .help = "results only: no progress"},
    {.name = "color", .argument = "WHEN", .kind = OPTION_CHOICE, .offset = AT(color), .choices = "auto always never", .standard = "auto", .help = "colour the report"},
    {0}};

static int run_explore(void *settings, char **operand, unsigned operands) {
    explore_settings *s = settings;
    error e = {0};
    int code = explore_run(s, operand, operands, &e);
    text_free(&s->flags);
    return e.code ? complain(&e) : code;
}

const command command_explore = {
    .name = "explore",
    .arguments = "[OPTION]... TEST.c [SOURCE]... [-Dx] [-Idir] [-lx] | PROGRAM",
    .summary = "run code under every interleaving that matters, and explain the bad one",
    .about = "TEST.c and further sources (C, C++, assembly, objects) are compiled with `plumb cc`, which is given its own options and flags that\n"
             "begin with -D -U -I -L -l -O -W -w -f -g -std= -pedantic -pthread -march= -mtune= -mcx16 as they are (others with --flags); a PROGRAM\n"
             "was compiled with it before. See plumbline/test.h for how a test is written. Exit: 0 no violation and the stated coverage,\n"
             "1 violation or failure, 2 undecided, 64 usage, 65 bad input, 130 interrupted.",
    .options = options,
    .settings_size = sizeof(explore_settings),
    .standard_settings = &standard_settings,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .compiler_flags = "-D -U -I -L -l -O -W -w -f -g -std= -pedantic -pthread -march= -mtune= -mcx16 --foreign= --asm-unknown=",
    .run = run_explore,
};

/* ---- plumb replay ---------------------------------------------------------------------------------------------------------------- */

#define REPLAY_AT(field) offsetof(replay_settings, field)

static const option replay_options[] = {
    {.name = "gdb", .kind = OPTION_FLAG, .offset = REPLAY_AT(gdb), .help = "stop in gdb at the decisive steps",
     .more = "`next-step` goes on to the next step of any thread; backtraces work in every thread."},
    {.name = "full", .kind = OPTION_FLAG, .offset = REPLAY_AT(full), .help = "show every step"},
    {.name = "html", .argument = "FILE", .kind = OPTION_TEXT, .offset = REPLAY_AT(html), .complete = "file",
     .help = "write a page that shows what was found, step by step, to FILE", .more = "See *plumb-view*(1)."},
    {.name = "color", .argument = "WHEN", .kind = OPTION_CHOICE, .offset = REPLAY_AT(color), .choices = "auto always never", .standard = "auto", .help = "colour the report"},
    {0}};

static int run_replay(void *settings, char **operand, unsigned operands) {
    error e = {0};
    (void)operands;
    int code = replay_run(settings, operand[0], &e);
    return e.code ? complain(&e) : code;
}

const command command_replay = {
    .name = "replay",
    .arguments = "[OPTION]... SCHEDULE",
    .summary = "repeat one interleaving that `plumb explore` saved",
    .about = "The test is compiled again from the sources that SCHEDULE names. Exit: as `plumb explore`; when the program has changed so\n"
             "that the schedule no longer fits, the place is named.",
    .options = replay_options,
    .settings_size = sizeof(replay_settings),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_replay,
};
