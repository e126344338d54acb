/* plumb theory: theories printed, checked, compared with sequential objects. */
#include "theory/theory.h"

#include "cli/commands.h"
#include "theory/compare.h"
#include "theory/theory_object.h"

#include <string.h>

typedef struct theory_settings {
    const char *against, *print;
    uint64_t values, clients, length, histories;
    double timeout;
    bool axioms, common;
} theory_settings;

#define ROW(...) OPTION_ROW(theory_settings, __VA_ARGS__)

static const option options[] = {
    ROW(against, "against", TEXT, .letter = 'a', .argument = "O", .complete = "objects",
        .help = "compare with this object on all short sequential histories",
        .more = "Exit code 0: no difference; 1: there is one, and the smallest is printed; 2: time ran out first."),
    ROW(print, "print", TEXT, .letter = 'p', .argument = "T", .help = "print the file of a shipped theory"),
    ROW(axioms, "axioms", FLAG, .help = "print the axioms with definitions written out, variables by number"),
    ROW(common, "common", FLAG, .help = "with --against: compare the methods that both have, and name the others",
        .more = "Without it, a method that only one of them has is a difference by itself."),
    ROW(values, "values", COUNT, .argument = "N", .min = 1, .max = 64, .standard = "2",
        .help = "different values in arguments"),
    ROW(clients, "clients", COUNT, .argument = "N", .min = 1, .max = 16, .standard = "2",
        .help = "clients, where the theory speaks of them"),
    ROW(length, "length", COUNT, .letter = 'n', .argument = "N", .min = 1, .max = 12,
        .standard = "as long as --histories allow", .help = "operations in the longest histories"),
    ROW(histories, "histories", COUNT, .argument = "N", .min = 1, .standard = "100000",
        .help = "how many histories, about"),
    ROW(timeout, "timeout", SECONDS, .letter = 'T', .argument = "T", .standard = "none",
        .help = "give up after this time"),
    {0}};

/* ---- lists ---- */

static int list_theories(void) {
    text out = {0};
    const theory_file *f;
    for (unsigned i = 0; (f = theory_file_at(i)); i++) {
        for (const char *line = f->source; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
            if (strncmp(line, "theory ", 7) != 0) continue;
            char name[80] = "";
            size_t n = strcspn(line + 7, " \n");
            memcpy(name, line + 7, n < 79 ? n : 79);
            error e = {0};
            theory *t = theory_open(name, &e);
            if (!t) return complain(&e);
            size_t start = out.size;
            text_add(&out, name);
            text_pad(&out, 18);
            text_printf(&out, " %s", *t->summary ? t->summary : "a base of others");
            if (*t->objects) text_printf(&out, " (object %s)", t->objects);
            if (out.size > start) text_char(&out, '\n');
            theory_free(t);
        }
    }
    return print_text(&out);
}

static int print_source(const char *name) {
    const char *source = theory_source(name);
    error e = {0};
    if (!source) {
        error_set(&e, EXIT_USAGE, "unknown theory '%s'; `plumb theory` lists the shipped ones", name);
        return complain(&e);
    }
    text out = {0};
    text_add(&out, source);
    return print_text(&out);
}

/* ---- one theory ---- */

static void print_method(const method *m, text *out) {
    static const char *const results[] = {[RESULT_VALUE] = " -> value",
                                          [RESULT_REMOVED] = " -> removed",
                                          [RESULT_BOOL] = " -> bool",
                                          [RESULT_INT] = " -> int"};
    text_printf(out, " %s(", m->name);
    for (unsigned a = 0; a < m->max_args; a++)
        text_printf(out, "%s%s%s", a ? ", " : "", m->arg == ARG_INT ? "int" : "value", a < m->min_args ? "" : "?");
    text_printf(out, ")%s", m->result == RESULT_VOID ? "" : results[m->result]);
}

static int describe(const theory *t, bool axioms) {
    text out = {0};
    text_printf(&out, "theory %s: %u axioms, b is %s\n  methods:", t->name, t->axioms,
                theory_is_total(t) ? "total" : "a partial order");
    for (unsigned m = 0; m < t->methods; m++) print_method(&t->method[m], &out);
    text_add(&out, "\n  axioms:");
    for (unsigned i = 0; i < t->axioms; i++) {
        text_printf(&out, axioms ? "\n    %s: " : " %s", t->axiom[i].name);
        if (axioms) formula_print(t, t->axiom[i].as_written, &out);
    }
    text_char(&out, '\n');
    if (axioms && t->match) {
        text_add(&out, "  match: ");
        formula_print(t, t->match, &out);
        text_char(&out, '\n');
    }
    return print_text(&out);
}

static void say_unshared(const theory *t, const object *o, const comparison *c, const char *begin, text *out) {
    if (c->only_theory.size) text_printf(out, "%s only theory %s has: %s\n", begin, t->name, text_str(&c->only_theory));
    if (c->only_object.size) text_printf(out, "%s only object %s has: %s\n", begin, o->name, text_str(&c->only_object));
}

static void say_equal(const theory *t, const object *o, const comparison *c, text *out) {
    text_printf(out,
                "%s: %s on all %llu sequential histories of up to %u operations (%u different ones, %llu histories "
                "legal%s)\n",
                t->name, o->name, (unsigned long long)c->histories, c->length, c->letters, (unsigned long long)c->legal,
                c->keys == 1 ? ", of one key"
                : c->keys    ? ", keys compared"
                             : "");
    say_unshared(t, o, c, "  not compared, since", out);
    if (!c->complete) text_printf(out, "time budget spent before the longer ones were done\n");
}

static void say_different(const theory *t, const object *o, const comparison *c, text *out) {
    if (!c->difference.size) {
        text_printf(out, "%s differs from %s\n", t->name, o->name);
        say_unshared(t, o, c, "  a method that", out);
        text_add(out, "  --common compares the methods that both have\n");
        return;
    }
    text_printf(out, "%s differs from %s: %s\n  only the %s accepts this", t->name, o->name, text_str(&c->difference),
                c->theory_accepts ? "theory" : "object");
    if (c->axiom.size) text_printf(out, "; axiom %s refuses it", text_str(&c->axiom));
    text_printf(out, "\n  no shorter history tells them apart (%llu compared)\n", (unsigned long long)c->histories);
    say_unshared(t, o, c, "  not compared, since", out);
}

static int say(const theory *t, const object *o, const comparison *c) {
    text out = {0};
    (c->equal ? say_equal : say_different)(t, o, c, &out);
    int code = print_text(&out);
    return code ? code : !c->equal ? EXIT_VIOLATION : c->complete ? EXIT_LINEARIZABLE : EXIT_UNDECIDED;
}

/* Some objects have more methods than those they are known by (a stack's peek): the theory's are looked for there, too. */
static bool widen_for(object *o, const theory *t, error *e) {
    const object_type *wider = o->type->wider;
    for (unsigned m = 0; wider && m < t->methods; m++)
        if (object_type_method(o->type, t->method[m].name) < 0 && object_type_method(wider, t->method[m].name) >= 0)
            return object_widen(o, wider, e);
    return true;
}

static int compare(const theory_settings *s, const theory *t) {
    error e = {0};
    object *o = specification_open(s->against, NULL, &e);
    if (!o) return complain(&e);
    if (!theory_is_total(t)) {
        error_set(&e, EXIT_USAGE,
                  "theory %s does not order all operations, so it has no sequential histories to compare", t->name);
        object_close(o);
        return complain(&e);
    }
    comparison_settings how = {.values = (uint32_t)s->values,
                               .clients = (uint32_t)s->clients,
                               .length = (uint32_t)s->length,
                               .histories = s->histories,
                               .common = s->common,
                               .own = o->type};
    if (!widen_for(o, t, &e)) {
        object_close(o);
        return complain(&e);
    }
    values *v = values_new();
    budget b;
    comparison c = {0};
    budget_init(&b, s->timeout, 0);
    object_use_values(o, v);
    int code = theory_compare(t, o, &how, &b, &c, &e) ? say(t, o, &c) : complain(&e);
    comparison_free(&c);
    object_close(o);
    values_free(v);
    return code;
}

static int run_theory(void *settings, char **operand, unsigned operands) {
    const theory_settings *s = settings;
    error e = {0};
    if (s->print) return print_source(s->print);
    if (operands == 0 && !s->against) return list_theories();
    if (operands == 0) return complain(&(error){EXIT_USAGE, "theory: expected a theory to compare"});
    theory *t = theory_open(operand[0], &e);
    if (!t) return complain(&e);
    int code = s->against ? compare(s, t) : describe(t, s->axioms);
    theory_free(t);
    return code;
}

COMMAND(theory, "[OPTION]... [THEORY]", "objects as axioms: list, print, check and compare theories", options,
        theory_settings,
        .about =
            "THEORY is a file (mine.thy) or the name of a shipped theory; without it, the shipped ones are listed.\n"
            "A theory file is an object, too: plumb check --object mine.thy history.jsonl",
        .max_operands = 1);
