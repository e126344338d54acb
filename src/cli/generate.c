/* plumb generate: a history made to order. */
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/initial_option.h"
#include "format/format.h"
#include "generate/generate.h"
#include "generate/segments.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct generate_settings {
    const char *object, *init, *to, *mutate, *output, *relax;
    bool list_mutations;
    uint64_t operations, threads, occupancy, keys, seed;
    double overlap, pending, empties, duplicates, at;
} generate_settings;

#define ROW(...) OPTION_ROW(generate_settings, __VA_ARGS__)
#define NOT_GIVEN UINT64_MAX

static const generate_settings standard_settings = {
    .operations = NOT_GIVEN,
    .threads = NOT_GIVEN,
    .occupancy = NOT_GIVEN,
    .keys = NOT_GIVEN,
    .seed = NOT_GIVEN,
    .overlap = NAN,
    .pending = NAN,
    .empties = NAN,
    .duplicates = NAN,
    .at = NAN,
};

static const option options[] = {
    ROW(object, "object", TEXT, .letter = 'o', .argument = "O", .complete = "objects",
        .help = "the object to simulate (needed)"),
    ROW(init, INIT_OPTION),
    ROW(operations, "ops", COUNT, .letter = 'n', .argument = "N", .max = UINT32_MAX - 1, .standard = "1000",
        .help = "number of operations"),
    ROW(threads, "threads", COUNT, .letter = 'j', .argument = "N", .min = 1, .max = GENERATE_MAX_CLIENTS,
        .standard = "4", .help = "number of clients"),
    ROW(seed, "seed", COUNT, .letter = 's', .argument = "S", .standard = "1",
        .help = "the same seed and options give the same history"),
    ROW(overlap, "overlap", SHARE, .argument = "X", .standard = "0.5",
        .help = "0: one operation after another; 1: every client always has one open"),
    ROW(occupancy, "occupancy", COUNT, .argument = "N", .max = UINT32_MAX - 1, .standard = "32",
        .help = "values inside a container to aim for"),
    ROW(pending, "pending", SHARE, .argument = "X", .standard = "0", .help = "share of operations that never return"),
    ROW(empties, "empties", SHARE, .argument = "X", .standard = "as it comes",
        .help = "share of operations that find the container empty"),
    ROW(duplicates, "duplicates", SHARE, .argument = "X", .standard = "0",
        .help = "share of values that occurred before"),
    ROW(keys, "keys", COUNT, .letter = 'k', .argument = "N", .min = 1, .max = UINT32_MAX - 1,
        .standard = "1; kv and set: 64", .help = "number of keys"),
    ROW(relax, "relax", TEXT, .argument = "C", .standard = "none",
        .help = "let elements come out of order, within this criterion",
        .more =
            "A number K: a k-FIFO queue or k-stack with segments of K+1 elements, a priority queue that is quasi(K). "
            "Or a criterion that `plumb check` knows: whatever it allows, with equal chance."),
    ROW(mutate, "mutate", TEXT, .argument = "KIND", .standard = "none", .help = "plant a violation of this kind",
        .more = "--mutations lists the kinds."),
    ROW(at, "at", SHARE, .argument = "X", .standard = "0.9",
        .help = "where the violation is planted: 0 the beginning, 1 the end"),
    ROW(list_mutations, "mutations", FLAG,
        .help = "list the kinds of violations, of this object if one is given, and stop"),
    ROW(to, TO_OPTION, .standard = "by the name of the output, else plumb-jsonl"),
    ROW(output, OUTPUT_OPTION, .letter = 'O', .standard = "standard output", .help = "where to write"),
    {0}};

static int list_mutations(const object *o) { /* of this object; NULL: all */
    text out = {0};
    const mutation *m;
    for (unsigned i = 0; (m = mutation_at(i)); i++) {
        if (o && !mutation_applies(m, o->type)) continue;
        text_printf(&out, "%s", m->name);
        text_pad(&out, 18);
        text_printf(&out, " %s\n", m->summary);
        if (!o) text_printf(&out, "    objects: %s\n", m->objects);
    }
    return print_text(&out);
}

static void count_given(uint64_t given, uint32_t *to) {
    if (given == NOT_GIVEN) return;
    assert(given <= UINT32_MAX); /* the option's limit */
    *to = (uint32_t)given;
}

static void share_given(double given, double *to) {
    if (isnan(given)) return;
    assert(given >= 0 && given <= 1);
    *to = given;
}

static bool options_of(const generate_settings *s, const object *o, generate_options *g, error *e) {
    generate_standard(o, g);
    count_given(s->operations, &g->operations);
    count_given(s->threads, &g->clients);
    count_given(s->occupancy, &g->occupancy);
    count_given(s->keys, &g->keys);
    if (s->seed != NOT_GIVEN) g->seed = s->seed;
    share_given(s->overlap, &g->overlap);
    share_given(s->pending, &g->pending);
    share_given(s->empties, &g->empties);
    share_given(s->duplicates, &g->duplicates);
    share_given(s->at, &g->at);
    if (!s->mutate) return true;
    g->mutation = mutation_find(s->mutate);
    return g->mutation ||
           error_set(e, EXIT_USAGE, "unknown mutation '%s'; `plumb generate --mutations` lists them", s->mutate);
}

static bool format_to_write(const generate_settings *s, const format **f, error *e) {
    *f = s->output ? format_for_path(s->output) : NULL;
    if (s->to && !format_named(s->to, f, e)) return false;
    if (!*f) *f = format_find("plumb-jsonl");
    if (!*f || !(*f)->write)
        return error_set(e, EXIT_USAGE, "format %s cannot be written", *f ? (*f)->name : "plumb-jsonl");
    return true;
}

static bool generate_history(const generate_settings *s, object *o, error *e) {
    generate_options g;
    const format *f;
    if (!format_to_write(s, &f, e) || !options_of(s, o, &g, e)) return false;
    history *h = generate(o, &g, e);
    if (!h) return false;
    bool good = format_write(s->output ? s->output : "-", f, h, o, e);
    history_free(h);
    return good;
}

/* A number: a relaxed container as it is built. A criterion: whatever it allows happens with equal chance. */
static bool relax(const generate_settings *s, object *o, error *e) {
    criterion c;
    if (!s->relax) return true;
    if (s->mutate)
        return error_set(e, EXIT_USAGE, "--mutate plants violations of linearizability; expected it without --relax");
    bool number = s->relax[0] >= '0' && s->relax[0] <= '9';
    if (!(number ? criterion_parse_limits(CRITERION_QUASI, s->relax, &c, e) : criterion_parse(s->relax, &c, e)))
        return false;
    if (c.kind == CRITERION_SPURIOUS || criterion_is_of_reads(&c))
        return error_set(e, EXIT_USAGE,
                         "--relax %s: what it excuses is found in whole histories, so none is made by it; expected a "
                         "criterion that each step can be asked about",
                         s->relax);
    return number ? segments_relax(o, c.limit[0], e) : object_relax(o, &c, e);
}

static int run_generate(void *settings, char **operand, unsigned operands) {
    const generate_settings *s = settings;
    error e = {0};
    (void)operand;
    (void)operands;
    if (s->list_mutations && !s->object) return list_mutations(NULL);
    if (!s->object) return complain(&(error){EXIT_USAGE, "generate: expected --object O; `plumb objects` lists them"});
    const char *init;
    text initial = {0};
    object *o = initial_option(s->init, &initial, &init, &e) ? specification_open(s->object, init, &e) : NULL;
    bool good = o && (s->list_mutations || (relax(s, o, &e) && generate_history(s, o, &e)));
    int code = !good ? complain(&e) : s->list_mutations ? list_mutations(o) : 0;
    object_close(o);
    text_free(&initial);
    return code;
}

COMMAND(generate, "--object O [OPTION]...", "make a random history, linearizable or with a planted violation", options,
        generate_settings, .standard_settings = &standard_settings);
