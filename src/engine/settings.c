/* What the user wrote for an engine: its name, and its settings in parentheses. */
#include "engine/engine.h"
#include "engine/self_check.h"

#include "base/nearest.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(const char *word, const char *s, size_t n) { return strlen(word) == n && memcmp(word, s, n) == 0; }

static bool parse_word(const engine_setting *q, const char *s, size_t length, int64_t *out) {
    int number = words_find(q->words, s, length);
    if (number >= 0) *out = number;
    return number >= 0;
}

static bool parse_number(const engine_setting *q, const char *s, size_t length, int64_t *out) {
    char digits[24], *end;
    if (length == 0 || length >= sizeof digits) return false;
    memcpy(digits, s, length);
    digits[length] = 0;
    *out = strtoll(digits, &end, 10);
    return !*end && *out >= q->min && *out <= q->max;
}

static bool set(const engine *g, unsigned i, const char *s, size_t length, int64_t *setting, error *e) {
    const engine_setting *q = &g->settings[i];
    if (q->words ? parse_word(q, s, length, &setting[i]) : parse_number(q, s, length, &setting[i])) return true;
    if (q->words)
        return error_set(e, EXIT_USAGE, "engine %s: %s is '%.*s'; expected one of: %s", g->name, q->name, (int)length,
                         s, q->words);
    return error_set(e, EXIT_USAGE, "engine %s: %s is '%.*s'; expected %lld to %lld", g->name, q->name, (int)length, s,
                     (long long)q->min, (long long)q->max);
}

/* name=value or, for the n-th, just value */
static bool parse_one(const engine *g, unsigned place, const char *s, size_t length, int64_t *setting, error *e) {
    const char *equals = memchr(s, '=', length);
    size_t name = equals ? (size_t)(equals - s) : 0;
    for (unsigned i = 0; i < ENGINE_SETTINGS && g->settings[i].name; i++) {
        if (equals && is_word(g->settings[i].name, s, name))
            return set(g, i, equals + 1, length - name - 1, setting, e);
        if (!equals && i == place) return set(g, i, s, length, setting, e);
    }
    return error_set(e, EXIT_USAGE, "engine %s has no setting '%.*s'", g->name, (int)(equals ? name : length), s);
}

static bool parse_all(const engine *g, const char *s, int64_t *setting, error *e) {
    size_t length = strlen(s);
    if (!length) return true;
    if (s[0] != '(' || s[length - 1] != ')')
        return error_set(e, EXIT_USAGE, "engine '%s%s': expected name(setting=value)", g->name, s);
    const char *at = s + 1, *end = s + length - 1;
    for (unsigned place = 0; at < end; place++) {
        size_t n = strcspn(at, ",)");
        if (!parse_one(g, place, at, n, setting, e)) return false;
        at += n + 1;
        at += strspn(at, " ");
    }
    return true;
}

static bool unknown_engine(const char *what, size_t length, error *e) {
    text names = {0};
    const engine *g;
    for (unsigned i = 0; (g = engine_at(i)); i++) text_printf(&names, "%s ", g->name);
    unknown_name("engine", what, length, text_str(&names), e);
    text_free(&names);
    return false;
}

bool engine_parse(const char *what, const engine **out, int64_t setting[ENGINE_SETTINGS], error *e) {
    const engine *g;
    size_t length = strcspn(what, "(");
    for (unsigned i = 0; (g = engine_at(i)) && !is_word(g->name, what, length); i++) continue;
    if (!g) return unknown_engine(what, length, e);
    for (unsigned i = 0; i < ENGINE_SETTINGS; i++) setting[i] = g->settings[i].standard;
    assert(length == strlen(g->name));
    *out = g;
    return parse_all(g, what + length, setting, e);
}

int engine_setting_named(const engine *g, const char *name) {
    for (int i = 0; i < ENGINE_SETTINGS && g->settings[i].name; i++)
        if (!strcmp(g->settings[i].name, name)) return i;
    return -1;
}

int64_t engine_setting_of(const engine *g, const problem *p, unsigned i) {
    assert(i < ENGINE_SETTINGS && g->settings[i].name);
    return p->setting ? p->setting[i] : g->settings[i].standard;
}
