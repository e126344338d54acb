/* plumb objects, engines, formats: what there is. */
#include "cli/commands.h"
#include "engine/engine.h"
#include "format/format.h"
#include "object/set_spec.h"

#include <string.h>

typedef struct list_settings {
    bool names;
} list_settings;

#define ROW(...) OPTION_ROW(list_settings, __VA_ARGS__)

static const option options[] = {ROW(names, "names", FLAG, .help = "names only, one a line"), {0}};

static void methods(const object_type *t, text *out) {
    text_add(out, "    methods:");
    for (unsigned m = 0; m < t->method_count; m++) {
        text_printf(out, " %s", t->methods[m].name);
        if (t->methods[m].aliases) text_printf(out, " (%s)", t->methods[m].aliases);
    }
    text_char(out, '\n');
}

static void parameters(const object_type *t, text *out) {
    for (unsigned p = 0; p < OBJECT_PARAMETERS && t->parameters[p].name; p++)
        text_printf(out, "    %s(%s=N): %s\n", t->name, t->parameters[p].name, t->parameters[p].summary);
}

static void own_criterion(const object_type *t, text *out) {
    const set_spec *spec = t->together;
    if (!spec) return;
    text_printf(out, "    criteria: linearizable set-linearizable interval-linearizable; its own: %s\n",
                criterion_type_of(spec->natural)->name);
}

static int run_objects(void *settings, char **operand, unsigned operands) {
    const list_settings *s = settings;
    text out = {0};
    const object_type *t;
    (void)operand;
    (void)operands;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        text_printf(&out, "%s", t->name);
        if (s->names) {
            text_char(&out, '\n');
            continue;
        }
        text_pad(&out, 15);
        text_printf(&out, " %s\n", t->summary);
        methods(t, &out);
        if (t->aliases) text_printf(&out, "    also called: %s\n", t->aliases);
        parameters(t, &out);
        own_criterion(t, &out);
    }
    if (!s->names)
        text_add(&out, "./spec.so       your own, written in C: see <plumbline/object.h>\n"
                       "spec.thy        your own, as axioms: see plumb-theory(1)\n");
    return print_text(&out);
}

static void needs(const engine *g, text *out) {
    if (g->needs & NEEDS_COMPLETE) text_add(out, "; complete histories");
    if (g->needs & NEEDS_DISTINCT) text_add(out, "; every value added once");
}

static void criteria(const engine *g, text *out) {
    if (!g->criteria) return;
    text_add(out, "; criteria:");
    for (unsigned k = 0; k < CRITERIA; k++)
        if (g->criteria & CRITERION_BIT(k)) text_printf(out, " %s", criterion_type_of((criterion_kind)k)->name);
}

static void settings_of(const engine *g, text *out) {
    for (unsigned i = 0; i < ENGINE_SETTINGS && g->settings[i].name; i++) {
        const engine_setting *q = &g->settings[i];
        text_printf(out, "    %s: %s (", q->name, q->summary);
        if (q->words) text_printf(out, "%s; standard: the %lld.)\n", q->words, (long long)q->standard + 1);
        else text_printf(out, "standard: %lld)\n", (long long)q->standard);
    }
}

static int run_engines(void *settings, char **operand, unsigned operands) {
    const list_settings *s = settings;
    text out = {0};
    const engine *g;
    (void)operand;
    (void)operands;
    if (!s->names)
        text_add(&out, "auto           the cheapest engine that accepts the history, falling through to the next\n");
    for (unsigned i = 0; (g = engine_at(i)); i++) {
        text_printf(&out, "%s", g->name);
        if (s->names) {
            text_char(&out, '\n');
            continue;
        }
        text_pad(&out, 14);
        text_printf(&out, " %s\n    objects: %s", g->summary, g->objects ? g->objects : "all");
        needs(g, &out);
        criteria(g, &out);
        text_printf(&out, "; time: %s%s\n", g->growth ? g->growth : "not stated",
                    g->by_name_only ? "; only when asked for by name" : "");
        settings_of(g, &out);
    }
    return print_text(&out);
}

static int run_formats(void *settings, char **operand, unsigned operands) {
    const list_settings *s = settings;
    text out = {0};
    const format *f;
    (void)operand;
    (void)operands;
    for (unsigned i = 0; (f = format_at(i)); i++) {
        text_printf(&out, "%s", f->name);
        if (s->names) {
            text_char(&out, '\n');
            continue;
        }
        text_pad(&out, 15);
        text_printf(&out, " %s\n    ", f->summary);
        text_add(&out, f->read && f->write ? "read and written" : f->read ? "read" : "written");
        if (f->suffixes && *f->suffixes) text_printf(&out, "; written to files named %s", f->suffixes);
        text_char(&out, '\n');
    }
    return print_text(&out);
}

#define LIST(word, about) \
    const command command_##word = {.name = #word, \
                                    .arguments = "[--names]", \
                                    .summary = about, \
                                    .options = options, \
                                    .settings_size = sizeof(list_settings), \
                                    .run = run_##word}

LIST(objects, "list the objects and their methods");
LIST(engines, "list the decision procedures");
LIST(formats, "list the formats of history files");
