/* From the command line to settings, by the tables. */
#include "cli/option.h"
#include "base/nearest.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const char *s, double *out, const char **rest) {
    char *end;
    errno = 0;
    double d = strtod(s, &end);
    if (end == s || errno || !isfinite(d) || d < 0 || strchr(s, 'x') || strchr(s, 'X')) return false;
    *out = d;
    *rest = end;
    return true;
}

bool parse_seconds(const char *s, double *out) {
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
    const char *unit;
    double d;
    if (!parse_number(s, &d, &unit)) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].unit)) {
            *out = d * units[i].seconds;
            return *out > 0;
        }
    return false;
}

bool parse_bytes(const char *s, uint64_t *out) {
    const char *unit;
    double d;
    if (!parse_number(s, &d, &unit)) return false;
    int shift = 0;
    if (*unit == 'K' || *unit == 'k') shift = 10;
    else if (*unit == 'M' || *unit == 'm') shift = 20;
    else if (*unit == 'G' || *unit == 'g') shift = 30;
    else if (*unit == 'T' || *unit == 't') shift = 40;
    if (shift) unit++;
    if (shift && *unit == 'i') unit++;
    if (*unit == 'B') unit++;
    d = ldexp(d, shift);
    if (*unit || d < 1 || d > 0x1p62) return false;
    *out = (uint64_t)d;
    return true;
}

static bool parse_count(const option *o, const char *s, uint64_t *out) {
    char *end;
    errno = 0;
    if (*s < '0' || *s > '9') return false;
    unsigned long long n = strtoull(s, &end, 10);
    if (errno || *end || n < o->min || (o->max && n > o->max)) return false;
    *out = n;
    return true;
}

static int parse_choice(const char *choices, const char *s) { return words_find(choices, s, strlen(s)); }

static bool refuse(const option *o, const char *given, const char *expected, error *e) {
    return error_set(e, EXIT_USAGE, "--%s %s: expected %s", o->name, given, expected);
}

static bool refuse_count(const option *o, const char *given, error *e) {
    if (!o->max)
        return error_set(e, EXIT_USAGE, "--%s %s: expected an integer of at least %llu", o->name, given,
                         (unsigned long long)o->min);
    return error_set(e, EXIT_USAGE, "--%s %s: expected an integer from %llu to %llu", o->name, given,
                     (unsigned long long)o->min, (unsigned long long)o->max);
}

static bool refuse_choice(const option *o, const char *given, error *e) {
    text list = {0};
    assert(o->choices);
    for (const char *w = o->choices; *w;) {
        size_t n = strcspn(w, " ");
        const char *next = w + n + strspn(w + n, " ");
        text_printf(&list, "%s%.*s", w == o->choices ? "" : *next ? ", " : " or ", (int)n, w);
        w = next;
    }
    refuse(o, given, text_str(&list), e);
    text_free(&list);
    return false;
}

static bool set_share(const option *o, const char *given, double *to, error *e) {
    const char *rest;
    if (!parse_number(given, to, &rest) || *rest || *to > 1) return refuse(o, given, "a share from 0 to 1", e);
    return true;
}

static bool set_choice(const option *o, const char *given, int *to, error *e) {
    *to = parse_choice(o->choices, given);
    return *to >= 0 || refuse_choice(o, given, e);
}

static bool set_word(const option *o, const char *given, const char **to, error *e) {
    *to = given;
    return parse_choice(o->choices, given) >= 0 || refuse_choice(o, given, e);
}

static void append(text *to, const char *given) {
    if (to->size) text_char(to, ' ');
    text_add(to, given);
}

static bool set_option(const option *o, void *settings, const char *given, error *e) {
    void *to = (char *)settings + o->offset;
    assert(given || o->kind == OPTION_FLAG);
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)to = true; return true;
    case OPTION_TEXT: *(const char **)to = given; return true;
    case OPTION_LIST: append(to, given); return true;
    case OPTION_CHOICE: return set_choice(o, given, to, e);
    case OPTION_WORD: return set_word(o, given, to, e);
    case OPTION_COUNT: return parse_count(o, given, to) || refuse_count(o, given, e);
    case OPTION_SHARE: return set_share(o, given, to, e);
    case OPTION_SECONDS:
        return parse_seconds(given, to) || refuse(o, given, "a time above 0 such as 10, 500ms, 2m or 1h", e);
    case OPTION_BYTES: return parse_bytes(given, to) || refuse(o, given, "an amount of memory such as 500M or 2G", e);
    }
    return false;
}

static const option *find_long(const command *c, const char *name, size_t length) {
    for (const option *o = c->options; o && o->name; o++)
        if (strlen(o->name) == length && !memcmp(o->name, name, length)) return o;
    return NULL;
}

static const option *find_short(const command *c, char letter) {
    for (const option *o = c->options; o && o->name; o++)
        if (o->letter == letter) return o;
    return NULL;
}

static bool unknown_option(const command *c, const char *given, size_t length, error *e) {
    text names = {0}, word = {0};
    for (const option *o = c->options; o && o->name; o++) text_printf(&names, "%s ", o->name);
    text_add(&names, "help");
    text_bytes(&word, given, length);
    size_t near_length;
    const char *near = nearest_name(text_str(&word), text_str(&names), &near_length);
    if (near)
        error_set(e, EXIT_USAGE, "unknown option --%s; did you mean --%.*s?", text_str(&word), (int)near_length, near);
    else error_set(e, EXIT_USAGE, "unknown option --%s; `plumb help %s` lists them", text_str(&word), c->name);
    text_free(&names);
    text_free(&word);
    return false;
}

static bool missing_argument(const option *o, error *e) {
    const char *what = o->choices ? o->choices : o->argument;
    assert(what); /* an option that is no flag says what it needs */
    return error_set(e, EXIT_USAGE, "--%s needs an argument: %s", o->name, what);
}

/* --name, --name=value, --name value */
static bool take_long(const command *c, void *settings, int argc, char **argv, int *i, error *e) {
    const char *name = argv[*i] + 2;
    size_t length = strcspn(name, "=");
    const option *o = find_long(c, name, length);
    if (!o) return unknown_option(c, name, length, e);
    if (name[length] && o->kind == OPTION_FLAG) return error_set(e, EXIT_USAGE, "--%s takes no argument", o->name);
    if (name[length]) return set_option(o, settings, name + length + 1, e);
    if (o->kind == OPTION_FLAG) return set_option(o, settings, NULL, e);
    if (*i + 1 >= argc) return missing_argument(o, e);
    return set_option(o, settings, argv[++*i], e);
}

/* -v, -qv, -j 4, -j4 */
static bool take_short(const command *c, void *settings, int argc, char **argv, int *i, error *e) {
    for (const char *p = argv[*i] + 1; *p; p++) {
        const option *o = find_short(c, *p);
        if (!o) return error_set(e, EXIT_USAGE, "unknown option -%c; `plumb help %s` lists them", *p, c->name);
        if (o->kind != OPTION_FLAG) {
            if (p[1]) return set_option(o, settings, p + 1, e);
            if (*i + 1 >= argc) return missing_argument(o, e);
            return set_option(o, settings, argv[++*i], e);
        }
        if (!set_option(o, settings, NULL, e)) return false;
    }
    return true;
}

static bool is_compiler_flag(const command *c, const char *a) {
    if (!c->compiler_flags) return false;
    for (const char *p = c->compiler_flags; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (!strncmp(a, p, n)) return true;
        p += n;
    }
    return false;
}

bool options_parse(const command *c, void *settings, int argc, char **argv, unsigned *operands, bool *help, error *e) {
    bool ended = false;
    assert(c->min_operands <= c->max_operands && !c->verbatim);
    *operands = 0;
    *help = false;
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        if (ended || a[0] != '-' || !a[1]) argv[(*operands)++] = argv[i];
        else if (!strcmp(a, "--")) {
            ended = true;
            if (c->compiler_flags) argv[(*operands)++] = argv[i];
        } else if (is_compiler_flag(c, a)) argv[(*operands)++] = argv[i];
        else if (!strcmp(a, "--help") || !strcmp(a, "-h")) *help = true;
        else if (!(a[1] == '-' ? take_long(c, settings, argc, argv, &i, e)
                               : take_short(c, settings, argc, argv, &i, e)))
            return false;
    }
    assert(*operands <= (unsigned)argc);
    if (*help) return true;
    if (*operands < c->min_operands) return error_set(e, EXIT_USAGE, "%s: expected %s", c->name, c->arguments);
    if (*operands > c->max_operands)
        return error_set(e, EXIT_USAGE, "%s: '%s' is one argument too many; `plumb %s --help` shows what is expected",
                         c->name, argv[c->max_operands], c->name);
    return true;
}
