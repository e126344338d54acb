#include "cli/initial_option.h"

#include "format/token.h"

#include <string.h>
#include <sys/stat.h>

/* As object/initial.h reads it. */
static void add_string(const char *p, size_t n, text *out) {
    text_char(out, '"');
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\n' || p[i] == '\t') {
            text_add(out, p[i] == '\n' ? "\\n" : "\\t");
            continue;
        }
        if (p[i] == '"' || p[i] == '\\') text_char(out, '\\');
        text_char(out, p[i]);
    }
    text_char(out, '"');
}

static bool add_value(const token *k, text *out) {
    switch (k->kind) {
    case TOKEN_STRING: add_string(k->at, k->size, out); return !memchr(k->at, 0, k->size);
    case TOKEN_INT: text_printf(out, "%lld", (long long)k->integer); return true;
    case TOKEN_NUMBER: text_bytes(out, k->at, k->size); return true;
    case TOKEN_NIL: text_add(out, "none"); return true;
    case TOKEN_TRUE: text_add(out, "true"); return true;
    case TOKEN_FALSE: text_add(out, "false"); return true;
    default: return false;
    }
}

static bool is_integer(const char *p, size_t n) {
    size_t sign = n > 1 && *p == '-';
    for (size_t i = sign; i < n; i++)
        if (p[i] < '0' || p[i] > '9') return false;
    return n > sign && n < 19;
}

/* JSON has strings as keys only: one that reads as an integer is that integer too. */
static bool add_pair(tokens *t, const token *key, text *out) {
    token v;
    text line = {0}, word = {0};
    bool integer = is_integer(key->at, key->size), good = !memchr(key->at, 0, key->size);
    if (integer) text_bytes(&word, key->at, key->size);
    add_string(key->at, key->size, &line);
    tokens_next(t, &v);
    text_char(&line, ' ');
    size_t at = line.size;
    good = add_value(&v, &line) && good;
    text_printf(out, " %s\n", text_str(&line));
    if (integer) text_printf(out, "%s %s\n", text_str(&word), text_str(&line) + at);
    text_free(&line);
    text_free(&word);
    return good;
}

static bool add_map(const char *p, size_t n, const char *from, text *out, error *e) {
    tokens t = {0};
    token k;
    bool good = true;
    tokens_init_line(&t, DIALECT_JSON, p, n, 1);
    tokens_next(&t, &k); /* the brace */
    while (good && tokens_next(&t, &k) == TOKEN_STRING) good = add_pair(&t, &k, out);
    if (!good || k.kind != TOKEN_CLOSE || tokens_next(&t, &k) != TOKEN_END)
        good =
            error_set(e, EXIT_USAGE, "%s:%u: expected a JSON object of keys with numbers, strings, true, false or null",
                      from, tokens_line(&t));
    if (!out->size) text_char(out, '\n'); /* by key, with none */
    tokens_free(&t);
    return good;
}

static bool add_file(const char *path, text *out, error *e) {
    input *in = input_open(path, e);
    const char *p;
    text all = {0};
    for (size_t n; in && (n = input_block(in, &p));) text_bytes(&all, p, n);
    bool good = in && !input_failed(in);
    const char *first = text_str(&all) + strspn(text_str(&all), " \t\r\n");
    if (good && *first == '{') {
        good = add_map(text_str(&all), all.size, path, out, e);
    } else if (good) {
        if (strlen(text_str(&all)) != all.size) good = error_set(e, EXIT_BAD_INPUT, "%s: has a NUL byte", path);
        text_printf(out, " %s\n", text_str(&all)); /* does not begin with a quote: it is no string */
    }
    text_free(&all);
    input_close(in);
    return good;
}

static bool is_value(const char *s) { return !*s || strchr("\"-+0123456789", *s) != NULL; }

static bool names_file(const char *s) {
    struct stat about;
    return !is_value(s) && stat(s, &about) == 0 && !S_ISDIR(about.st_mode);
}

bool initial_option(const char *given, text *own, const char **init, error *e) {
    bool good = true;
    *init = given;
    if (!given) return true;
    if (*given == '@') good = add_file(given + 1, own, e);
    else if (*given == '{') good = add_map(given, strlen(given), "--init", own, e);
    else if (names_file(given)) good = add_file(given, own, e);
    if (own->size) *init = text_str(own);
    return good;
}
