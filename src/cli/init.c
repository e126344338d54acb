/* plumb init: a starter test for an object, with comments, and what a build needs to run it. */
#include "base/whole_file.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "object/object.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct init_settings {
    const char *output;
} init_settings;

#define ROW(...) OPTION_ROW(init_settings, __VA_ARGS__)

static const option options[] = {ROW(output, OUTPUT_OPTION, .letter = 'o', .standard = "OBJECT_test.c",
                                     .help = "where the test is written; - is standard output"),
                                 {0}};

/* What the body of an operation returns, with the code's answer in the place of a comment. */
static const char *result_example(result_kind k) {
    switch (k) {
    case RESULT_VOID: return "return plumb_none();";
    case RESULT_REMOVED: return "return plumb_empty(); /* nothing there; else plumb_int(v) */";
    case RESULT_BOOL:
    case RESULT_MAYBE_BOOL: return "return plumb_bool(true); /* what it returned */";
    default: return "return plumb_int(0); /* what it returned */";
    }
}

static unsigned arguments_of(const object_type *t, const method *m) {
    unsigned n = m->min_args + t->keyed;
    return n < 3 ? n : 3;
}

static void write_operation(const object_type *t, const method *m, text *out) {
    static const char *const name[] = {"key", "a", "b", "c"};
    const char *const *argument = t->keyed ? name : name + 1;
    unsigned n = arguments_of(t, m);
    text_printf(out, "PLUMB_OP(%s", m->name);
    for (unsigned i = 0; i < n; i++) text_printf(out, ", %s", argument[i]);
    text_add(out, ") {\n");
    for (unsigned i = 0; i < n; i++) text_printf(out, "    (void)%s;\n", argument[i]);
    text_printf(out, "    /* call your code here */\n    %s\n}\n", result_example(m->result));
}

/* A program that is worth its time: every operation, two threads. */
static void write_threads(const object_type *t, text *out) {
    text_add(out, "/* PLUMB_THREADS(\"");
    for (unsigned m = 0; m < t->method_count; m++) {
        text_printf(out, "%s%s", m ? " | " : "", t->methods[m].name);
        unsigned n = arguments_of(t, &t->methods[m]);
        for (unsigned i = 0; i < n; i++) text_printf(out, "%s%u", i ? ", " : "(", i + 1);
        if (n) text_char(out, ')');
    }
    text_add(out, "\") */\n");
}

static void write_test(const object *o, const char *file, text *out) {
    text_printf(out,
                "/* Explore it with:  plumb explore %s YOUR_CODE.c\n"
                " * Every execution starts from clean memory; calls and returns are recorded for you. */\n"
                "#include <plumbline/test.h>\n"
                "/* #include \"your_code.h\" */\n\n"
                "/* What the operations are checked against: %s. `plumb objects` lists all. */\n"
                "PLUMB_OBJECT(\"%s\")\n",
                file, o->type->summary, o->name);
    if (o->type->takes_init) text_add(out, "PLUMB_INITIAL(\"0\") /* what it holds before the first write */\n");
    text_add(out, "\n/* Before each execution, and after its threads have ended. */\n"
                  "PLUMB_SETUP {\n    /* make your object */\n}\n"
                  "PLUMB_TEARDOWN {\n    /* destroy it; --leaks finds what is left */\n}\n\n"
                  "/* The operations: names as the object knows them, up to three integers, what was returned. */\n");
    for (unsigned m = 0; m < o->type->method_count; m++) write_operation(o->type, &o->type->methods[m], out);
    text_add(out, "\n/* Without PLUMB_THREADS small programs of these operations are made up, smallest first. "
                  "Operations before a colon come\n"
                  " * first, bars separate threads: */\n");
    write_threads(o->type, out);
    text_printf(out,
                "\n/* Contracts, where your code has them: only one thread at a time uses this operation. */\n/* "
                "PLUMB_ONE_THREAD(%s) */\n",
                o->type->methods[0].name);
    for (unsigned m = 0; m < o->type->method_count; m++) {
        if (!(o->type->methods[m].role & ROLE_REMOVES)) continue;
        text_printf(out, "/* It waits while there is nothing to take out. */\n/* PLUMB_WAITS(%s) */\n",
                    o->type->methods[m].name);
        break;
    }
}

static void write_snippets(const char *file, text *out) {
    text_printf(out, "wrote %s. Put in the calls of your code, then: plumb explore %s YOUR_CODE.c\n\n", file, file);
    text_printf(out, "make:\n    check-linearizable:\n\tplumb explore --time 60 %s YOUR_CODE.c\n\n", file);
    text_printf(out,
                "CMake:\n    find_package(Plumbline REQUIRED)\n    enable_testing()\n    plumb_add_test(linearizable "
                "%s YOUR_CODE.c TIME 60)\n",
                file);
}

static bool write_new(const char *path, text *t, error *e) {
    struct stat s;
    if (lstat(path, &s) == 0) return error_set(e, EXIT_CANNOT_OPEN, "cannot write %s: %s", path, strerror(EEXIST));
    return whole_file_write(path, t->at, t->size, e);
}

static int run_init(void *settings, char **operand, unsigned operands) {
    const init_settings *s = settings;
    error e = {0};
    text test = {0}, file = {0}, out = {0};
    object *o = object_open(operands ? operand[0] : "queue", NULL, &e);
    if (!o) return complain(&e);
    bool standard_output = s->output && !strcmp(s->output, "-");
    if (s->output && !standard_output) text_add(&file, s->output);
    else text_printf(&file, "%s_test.c", o->type->name);
    for (char *p = file.at; *p && !s->output; p++)
        if (*p == '-') *p = '_';
    write_test(o, text_str(&file), &test);
    if (standard_output) text_bytes(&out, test.at, test.size);
    else if (write_new(text_str(&file), &test, &e)) write_snippets(text_str(&file), &out);
    text_free(&test);
    text_free(&file);
    object_close(o);
    int code = print_text(&out);
    return e.code ? complain(&e) : code;
}

COMMAND(init, "[OPTION]... [OBJECT]", "write a starter test for plumb explore", options, init_settings,
        .about =
            "Writes a test for OBJECT (queue when none is named) with a comment at every place that wants your code, "
            "and prints what\n"
            "make and CMake need to run it. An existing file is left alone.",
        .max_operands = 1);
