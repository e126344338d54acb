/* plumb convert: a history from one format to another. */
#include "cli/commands.h"
#include "cli/common_options.h"
#include "format/format.h"
#include "object/trust.h"
#include "theory/theory_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct convert_settings {
    const char *to, *from, *object;
    bool independent, quiet;
} convert_settings;

#define ROW(...) OPTION_ROW(convert_settings, __VA_ARGS__)

static const option options[] = {
    ROW(to, TO_OPTION, .standard = "by the name of OUT"),
    ROW(from, FORMAT_OPTION, .standard = "by the contents", .help = "the format of IN"),
    ROW(object, "object", TEXT, .letter = 'o', .argument = "O", .complete = "objects",
        .standard = "what the file says; without it, methods are written as they were read",
        .help = "check the history against this object and write its own names of methods"),
    ROW(independent, INDEPENDENT_OPTION),
    ROW(quiet, QUIET_OPTION, .help = "do not say what was understood"),
    {0}};

static bool named_format(const char *name, const format **out, error *e) { return !name || format_named(name, out, e); }

static bool target_format(const convert_settings *c, const char *out, const format **to, error *e) {
    if (!named_format(c->to, to, e)) return false;
    if (!*to) *to = format_for_path(out);
    return *to || error_set(e, EXIT_USAGE, "%s: its name does not say the format to write; expected --to FORMAT", out);
}

static void say_understood(const char *path, const format *f, const history *h) {
    text line = {0};
    format_understood(path, f, h, &line);
    if (line.size && line.at[line.size - 1] == '\n') line.at[--line.size] = 0;
    fprintf(stderr, "%s\n", text_str(&line));
    text_free(&line);
}

/* The object the user named, or the one the file names. */
static object *object_of(const convert_settings *c, const history *h, const char *in, error *e) {
    return specification_of_file(in, c->object, h->object_hint, history_init(h, c->object, NULL), NULL, e);
}

/* A file without operations says what it is only where it can name its object, or has a header of its own. */
static bool says_something(const history *h, const object *o, const format *to, error *e) {
    bool header = !strncmp(to->name, "plumb-binary", 12) || !strncmp(to->name, "plumb-log", 9);
    bool named = (o || h->object_hint) &&
                 (!strcmp(to->name, "violin") || !strcmp(to->name, "plumb-jsonl") || !strcmp(to->name, "plumb-events"));
    if (h->n || header || named) return true;
    return error_set(e, EXIT_BAD_INPUT, "a history without operations cannot be written as %s; expected plumb-binary",
                     to->name);
}

/* Where the object's name is lost, its methods must not tell another one, unless the user knows which it is. */
static bool stays_the_same(const convert_settings *c, const history *h, const object *o, const format *to, error *e) {
    error unknown = {0};
    if (c->object || !o || !to->nameless) return true;
    const object_type *t = object_infer(h, "", &unknown);
    if (!t || !strcmp(t->name, o->name)) return true;
    return error_set(e, EXIT_BAD_INPUT,
                     "%s does not say which object this is, and by its methods it would be read as %s; --object %s "
                     "writes it all the same",
                     to->name, t->name, o->name);
}

static bool convert(const convert_settings *c, const char *in, const char *out, error *e) {
    read_options how = {.independent = c->independent};
    const format *to = NULL, *used = NULL;
    if (!named_format(c->from, &how.format, e) || !target_format(c, out, &to, e)) return false;
    history *h = format_read(in, &how, &used, e);
    if (!h) return false;
    if (!c->quiet) say_understood(in, used, h);
    bool named = c->object || h->object_hint;
    object *o = named ? object_of(c, h, in, e) : NULL;
    bool good =
        (!named || (o && object_bind(o, h, in, e))) && says_something(h, o, to, e) && stays_the_same(c, h, o, to, e);
    good = good && format_write(out, to, h, o, e);
    history_free(h);
    object_close(o);
    return good;
}

static int run_convert(void *settings, char **operand, unsigned operands) {
    error e = {0};
    (void)operands;
    return convert(settings, operand[0], operand[1], &e) ? 0 : complain(&e);
}

COMMAND(convert, "[OPTION]... IN OUT", "write a history in another format", options, convert_settings,
        .about = "IN and OUT may be - for standard input and output. A name that ends in .gz or .zst is packed.",
        .min_operands = 2, .max_operands = 2);
