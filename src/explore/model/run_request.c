#include "explore/model/run_request.h"

#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const run_request run_request_standard = {
#define SENT_OPTION(field, name, kind, where, standard, ...) .field = standard,
#define SENT_FIELD(field, kind, where, standard, ...) .field = standard,
#include "explore/model/explore_options.def"
};

const run_option run_options[] = {
#define SENT_OPTION(field, name, kind, where, standard, words, ...) \
    {#field, name, RUN_##kind, RUN_##where, offsetof(run_request, field), words},
#define SENT_FIELD(field, kind, where, standard, words) \
    {#field, NULL, RUN_##kind, RUN_##where, offsetof(run_request, field), words},
#include "explore/model/explore_options.def"
};

enum { OPTIONS = sizeof run_options / sizeof *run_options };
const unsigned run_options_n = OPTIONS;

/* The tag of a message is a field, too. */
_Static_assert(OPTIONS + 1 <= TALK_FIELDS, "a request must fit into one message");

static void *field_of(const run_option *o, run_request *r) { return (char *)r + o->offset; }
static const void *value_of(const run_option *o, const run_request *r) { return (const char *)r + o->offset; }

/* ---- one value ---- */

static bool is_word(const run_option *o, const char *s) { return words_find(o->words, s, strlen(s)) >= 0; }

static const char *text_of(const run_option *o, const run_request *r) {
    const char *s = *(const char *const *)value_of(o, r);
    assert(!s || o->kind != RUN_WORD || is_word(o, s));
    return s || o->kind == RUN_WORD ? s : o->words;
}

bool run_option_write(const run_option *o, const run_request *r, text *out) {
    const void *at = value_of(o, r);
    switch (o->kind) {
    case RUN_FLAG: text_char(out, *(const bool *)at ? '1' : '0'); return true;
    case RUN_BYTES:
    case RUN_COUNT: text_printf(out, "%" PRIu64, *(const uint64_t *)at); return true;
    case RUN_SECONDS: text_printf(out, "%.9g", *(const double *)at); return true;
    case RUN_TEXT:
    case RUN_WORD: break;
    }
    const char *s = text_of(o, r);
    if (s) text_add(out, s);
    return s != NULL;
}

static bool read_count(const char *value, uint64_t *out) {
    char *end;
    if (*value < '0' || *value > '9') return false;
    errno = 0;
    *out = strtoull(value, &end, 10);
    return !errno && !*end;
}

static bool read_seconds(const char *value, double *out) {
    char *end;
    *out = strtod(value, &end);
    return end != value && !*end && isfinite(*out) && *out >= 0;
}

static bool read_flag(const char *value, bool *out) {
    *out = *value == '1';
    return !strcmp(value, "0") || !strcmp(value, "1");
}

bool run_option_read(const run_option *o, run_request *r, const char *value) {
    void *at = field_of(o, r);
    switch (o->kind) {
    case RUN_FLAG: return read_flag(value, at);
    case RUN_BYTES:
    case RUN_COUNT: return read_count(value, at);
    case RUN_SECONDS: return read_seconds(value, at);
    case RUN_TEXT: *(const char **)at = o->words && !strcmp(value, o->words) ? NULL : value; return true;
    case RUN_WORD: *(const char **)at = value; return is_word(o, value);
    }
    return false;
}

void run_option_json(const run_option *o, const run_request *r, text *out) {
    text value = {0};
    bool any = run_option_write(o, r, &value);
    if (!any) text_add(out, "null");
    else if (o->kind == RUN_FLAG) text_add(out, *(const bool *)value_of(o, r) ? "true" : "false");
    else if (o->kind == RUN_TEXT || o->kind == RUN_WORD) text_json(out, text_str(&value), value.size);
    else text_add(out, value.at);
    text_free(&value);
}

/* ---- messages ---- */

void run_request_send(const run_request *r, text *line) {
    for (const run_option *o = run_options; o < run_options + OPTIONS; o++) {
        text field = {0};
        text_printf(&field, "%s=", o->key);
        if (run_option_write(o, r, &field)) talk_text(line, field.at);
        text_free(&field);
    }
}

bool run_request_take(run_request *r, const talk_line *l, error *e) {
    *r = run_request_standard;
    for (const run_option *o = run_options; o < run_options + OPTIONS; o++) {
        const char *value = talk_key(l, o->key);
        if (value && !run_option_read(o, r, value))
            return error_set(e, EXIT_INTERNAL, "a message with %s=%s, which is no value of it", o->key, value);
    }
    return true;
}

/* ---- saved schedules ---- */

void run_request_keep(const run_request *r, text *out) {
    for (const run_option *o = run_options; o < run_options + OPTIONS; o++) {
        text value = {0};
        if (o->where == RUN_KEPT && run_option_write(o, r, &value)) {
            assert(!strchr(text_str(&value), ' ')); /* they are separated by blanks */
            text_printf(out, "%s%s=%s", out->size ? " " : "", o->key, value.at);
        }
        text_free(&value);
    }
}

static const run_option *kept_option(const char *word, size_t length) {
    for (const run_option *o = run_options; o < run_options + OPTIONS; o++)
        if (o->where == RUN_KEPT && strlen(o->key) == length && !memcmp(o->key, word, length)) return o;
    return NULL;
}

bool run_request_recall(run_request *r, char *kept, error *e) {
    char *rest = NULL;
    for (char *word = strtok_r(kept, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        size_t n = strcspn(word, "=");
        const run_option *o = kept_option(word, n);
        if (!o || !word[n])
            return error_set(e, EXIT_BAD_INPUT,
                             "options of a schedule: unknown %s; expected KEY=VALUE as they were saved", word);
        if (!run_option_read(o, r, word + n + 1))
            return error_set(e, EXIT_BAD_INPUT, "options of a schedule: %s is not a value of %s", word + n + 1, o->key);
    }
    return true;
}
