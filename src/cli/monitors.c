/* plumb monitors: the monitors that can watch an execution, and their automata. plumb export-monitor: hands them to
 * other tools. */
#include "cli/commands.h"
#include "object/criterion.h"
#include "observe/export.h"
#include "observe/observer.h"
#include "observe/pattern.h"

#include <string.h>

typedef struct monitors_settings {
    bool dot, names;
    const char *object;
} monitors_settings;

#define MONITORS_ROW(...) OPTION_ROW(monitors_settings, __VA_ARGS__)

static const option monitors_options[] = {
    MONITORS_ROW(dot, "dot", FLAG, .help = "draw the automata of the bad patterns, for graphviz"),
    MONITORS_ROW(object, "object", TEXT, .letter = 'o', .argument = "O", .complete = "objects",
                 .standard = "all that have patterns", .help = "only those of this object"),
    MONITORS_ROW(names, "names", FLAG, .help = "names only, one a line"),
    {0}};

static bool is_meant(const monitors_settings *s, const pattern *p) {
    return !s->object || !strcmp(s->object, p->object);
}

static void draw(const monitors_settings *s, text *out) {
    static automaton a;
    for (unsigned i = 0; i < pattern_count(); i++) {
        if (!is_meant(s, pattern_at(i))) continue;
        automaton_derive(&a, pattern_at(i));
        automaton_dot(&a, out);
    }
}

static void list(const monitors_settings *s, text *out) {
    const observer_kind *k;
    static automaton a;
    for (unsigned i = 0; (k = observer_kind_at(i)); i++) {
        text_printf(out, "%s%s", k->name, s->names ? "\n" : k->takes_k ? ",k=N" : "");
        if (s->names) continue;
        text_pad(out, 10);
        text_printf(out, " %s\n", k->summary);
    }
    if (s->names) return;
    text_add(out, "\nbad patterns:\n");
    for (unsigned i = 0; i < pattern_count(); i++) {
        const pattern *p = pattern_at(i);
        if (!is_meant(s, p)) continue;
        automaton_derive(&a, p);
        text_printf(out, "%s %s", p->object, p->name);
        text_pad(out, 18);
        text_printf(out, " %s (%u states)\n", p->sentence, a.states);
    }
}

static bool any_meant(const monitors_settings *s) {
    for (unsigned i = 0; i < pattern_count(); i++)
        if (is_meant(s, pattern_at(i))) return true;
    return false;
}

static int run_monitors(void *settings, char **operand, unsigned operands) {
    const monitors_settings *s = settings;
    text out = {0};
    error e = {0};
    (void)operand;
    (void)operands;
    if (!any_meant(s)) {
        error_set(&e, EXIT_USAGE,
                  "there are no bad patterns for object %s; expected queue, stack, register, lock or set", s->object);
        return complain(&e);
    }
    if (s->dot) draw(s, &out);
    else list(s, &out);
    return print_text(&out);
}

COMMAND(monitors, "[OPTION]...", "list the monitors of `plumb explore`, or draw their automata", monitors_options,
        monitors_settings, .max_operands = 0);

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
               .help = "queue, stack, register, lock, set"),
    EXPORT_ROW(kind, "kind", CHOICE, .argument = "KIND", .choices = "pattern count points", .standard = "pattern",
               .help = "what the monitor looks at"),
    EXPORT_ROW(to, "to", CHOICE, .argument = "LANGUAGE", .choices = "c promela", .standard = "c",
               .help = "what it is written in"),
    EXPORT_ROW(criterion, "criterion", TEXT, .argument = "C", .help = "linearizable; others are refused"),
    EXPORT_ROW(k, "intervals", COUNT, .letter = 'k', .argument = "K", .max = 8, .standard = "2",
               .help = "count: intervals that are kept apart"),
    {0},
};

static int run_export(void *settings, char **operand, unsigned operands) {
    static const char *const kinds[] = {"pattern", "count", "points"}, *const languages[] = {"c", "promela"};
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
