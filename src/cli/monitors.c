/* plumb monitors: the monitors that can watch an execution, and their automata. plumb export-monitor: hands them to
 * other tools. */
#include "cli/commands.h"
#include "object/criterion.h"
#include "observe/export.h"
#include "observe/observer.h"
#include "observe/pattern_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct monitors_settings {
    bool dot, names, print;
    const char *object;
} monitors_settings;

#define MONITORS_ROW(...) OPTION_ROW(monitors_settings, __VA_ARGS__)

static const option monitors_options[] = {
    MONITORS_ROW(dot, "dot", FLAG, .help = "draw the automata of the bad patterns, for graphviz"),
    MONITORS_ROW(object, "object", TEXT, .letter = 'o', .argument = "O", .complete = "objects",
                 .standard = "all that have patterns", .help = "only those of this object"),
    MONITORS_ROW(print, "print", FLAG, .help = "write the bad patterns as a file, to begin with"),
    MONITORS_ROW(names, "names", FLAG, .help = "names only, one a line"),
    {0}};

static void draw(const pattern_set *s, text *out) {
    automaton *a = automata_of(s);
    for (unsigned i = 0; i < s->count; i++) automaton_dot(&a[i], out);
    free(a);
}

static void list(const pattern_set *s, text *out) {
    automaton *a = automata_of(s);
    for (unsigned i = 0; i < s->count; i++) {
        text_printf(out, "%s %s", s->object, s->at[i].name);
        text_pad(out, 18);
        text_printf(out, " %s (%u states)\n", s->at[i].sentence, a[i].states);
    }
    free(a);
}

static void list_kinds(bool names, text *out) {
    const observer_kind *k;
    for (unsigned i = 0; (k = observer_kind_at(i)); i++) {
        text_printf(out, "%s%s", k->name, names ? "\n" : k->takes_k ? ",k=N" : "");
        if (names) continue;
        text_pad(out, 10);
        text_printf(out, " %s\n", k->summary);
    }
}

/* The patterns of one object, or of a file. */
static bool show_patterns(const monitors_settings *s, const char *what, text *out, error *e) {
    pattern_set *p = pattern_set_open(what, e);
    if (!p) return false;
    if (s->dot) draw(p, out);
    else if (s->print) pattern_file_print(p, out);
    else list(p, out);
    pattern_set_free(p);
    return true;
}

/* Each object that has patterns; they stand together. */
static void show_all(const monitors_settings *s, text *out) {
    error none = {0};
    const pattern *p;
    for (unsigned i = 0; (p = pattern_at(i)); i++)
        if (!i || strcmp(p->object, pattern_at(i - 1)->object) != 0) show_patterns(s, p->object, out, &none);
}

static bool show(const monitors_settings *s, const char *file, text *out, error *e) {
    const char *what = file ? file : s->object;
    if (file && (s->object || s->names))
        return error_set(e, EXIT_USAGE, "%s and --%s; expected one of them", file, s->object ? "object" : "names");
    if (file && !pattern_file_named(file))
        return error_set(e, EXIT_USAGE, "%s; expected a file whose name ends in .pattern", file);
    if (s->print && !what)
        return error_set(e, EXIT_USAGE, "--print writes one file; expected --object O as well, or a file");
    const bool lists = !file && !s->dot && !s->print;
    if (lists) list_kinds(s->names, out);
    if (s->names) return true;
    if (lists) text_add(out, "\nbad patterns:\n");
    if (what) return show_patterns(s, what, out, e);
    show_all(s, out);
    return true;
}

static int run_monitors(void *settings, char **operand, unsigned operands) {
    text out = {0};
    error e = {0};
    if (show(settings, operands ? operand[0] : NULL, &out, &e)) return print_text(&out);
    text_free(&out);
    return complain(&e);
}

COMMAND(monitors, "[OPTION]... [FILE.pattern]",
        "list the monitors of `plumb explore`, draw their automata, or check a file of bad patterns", monitors_options,
        monitors_settings, .max_operands = 1);

/* ---- plumb export-monitor ---- */

typedef struct export_settings {
    const char *object, *criterion;
    int kind, to;
    uint64_t k;
} export_settings;

static const export_settings export_standard = {.object = "queue", .k = 2};

#define EXPORT_ROW(...) OPTION_ROW(export_settings, __VA_ARGS__)

static const option export_options[] = {
    EXPORT_ROW(object, "object", TEXT, .letter = 'o', .argument = "O", .standard = "queue",
               .help = "queue, stack, register, lock, set, or a file of bad patterns"),
    EXPORT_ROW(kind, "kind", CHOICE, .argument = "KIND", .choices = "pattern count points all", .standard = "pattern",
               .help = "what the monitor looks at"),
    EXPORT_ROW(to, "to", CHOICE, .argument = "LANGUAGE", .choices = "c promela", .standard = "c",
               .help = "what it is written in"),
    EXPORT_ROW(criterion, "criterion", TEXT, .argument = "C", .help = "linearizable; others are refused"),
    EXPORT_ROW(k, "intervals", COUNT, .letter = 'k', .argument = "K", .max = 8, .standard = "2",
               .help = "count: intervals that are kept apart"),
    {0},
};

static int run_export(void *settings, char **operand, unsigned operands) {
    static const char *const kinds[] = {"pattern", "count", "points", "all"}, *const languages[] = {"c", "promela"};
    const export_settings *s = settings;
    text out = {0};
    error e = {0};
    (void)operand;
    (void)operands;
    criterion asked = {0};
    bool good = !s->criterion || criterion_parse(s->criterion, &asked, &e);
    if (good && asked.kind != CRITERION_LINEARIZABLE)
        good = error_set(&e, EXIT_USAGE,
                         "criterion %s cannot be exported: automata and counters are of linearizability; expected "
                         "linearizable",
                         s->criterion);
    if (good && monitor_export(s->object, kinds[s->kind], (unsigned)s->k, languages[s->to], &out, &e))
        return print_text(&out);
    text_free(&out);
    return complain(&e);
}

const command command_export_monitor = {
    .name = "export-monitor",
    .arguments = "[OPTION]...",
    .summary = "write a monitor for other tools: a C header, or Promela for Spin",
    .about =
        "The C header needs nothing but assert(): for unit tests and bounded model checkers. See docs/REACHABILITY.md.",
    .options = export_options,
    .settings_size = sizeof(export_settings),
    .standard_settings = &export_standard,
    .run = run_export,
};
