/* Jepsen's log lines, bare (history.txt) or behind either generation of log prefix, separated by tabs or blanks:
 *
 *     0	:invoke	:read	nil
 *     INFO  jepsen.util - 4	:info	:write	:timed-out
 *     INFO [2017-03-31 19:34:47,351] jepsen worker 4 - jepsen.util 4  :ok :cas  [4 4]
 *
 * An operation is PROCESS :TYPE :METHOD VALUE [ERROR], wherever it begins in the line. Other lines are skipped. The
 * value is EDN. What the events mean is in jepsen.h; the value of :info and :fail is an error and is not looked at. */
#include "format/expressible.h"
#include "format/format.h"
#include "format/jepsen.h"
#include "format/jepsen_write.h"
#include "format/output.h"
#include "format/token.h"

#include <string.h>

typedef struct line_word {
    const char *p;
    size_t n;
} line_word;

typedef struct log_columns {
    line_word process, type, f, rest;
} log_columns;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static line_word next_word(const char *p, const char *end) {
    while (p < end && is_blank(*p)) p++;
    const char *first = p;
    while (p < end && !is_blank(*p)) p++;
    return (line_word){.p = first, .n = (size_t)(p - first)};
}

static bool is_keyword(line_word w) { return w.n > 1 && w.p[0] == ':' && w.p[1] != ':'; }

static bool is_integer(line_word w) {
    size_t i = w.n > 1 && w.p[0] == '-';
    for (; i < w.n && w.p[i] >= '0' && w.p[i] <= '9'; i++) {}
    return w.n && i == w.n && i < 19;
}

/* Looks for a process, a type and a method that stand behind each other. */
static bool find_columns(const char *line, size_t n, log_columns *c) {
    const char *end = line + n;
    line_word before = {0};
    for (line_word w = next_word(line, end); w.n; before = w, w = next_word(w.p + w.n, end)) {
        if (!is_keyword(w) || jepsen_type_of(w.p + 1, w.n - 1) < 0) continue;
        if (!is_integer(before) && !is_keyword(before)) continue;
        *c = (log_columns){.process = before, .type = w, .f = next_word(w.p + w.n, end)};
        if (!is_keyword(c->f)) continue;
        c->rest.p = c->f.p + c->f.n;
        while (c->rest.p < end && is_blank(*c->rest.p)) c->rest.p++;
        c->rest.n = (size_t)(end - c->rest.p);
        return true;
    }
    return false;
}

/* ---- reading ---- */

typedef struct jepsen_log_reader {
    builder *b;
    values *values;
    jepsen *meaning;
    tokens tokens;
    uint32_t line;
    bool any;
} jepsen_log_reader;

/* The first EDN form of the rest of the line; what follows it is an error or another column. */
static bool read_content(jepsen_log_reader *r, line_word rest, value *content) {
    token first;
    *content = VALUE_NONE;
    if (!rest.n) return true;
    tokens_init_line(&r->tokens, DIALECT_EDN, rest.p, rest.n, r->line);
    return tokens_next(&r->tokens, &first) == TOKEN_END || tokens_value(&r->tokens, &first, r->values, true, content);
}

static value process_of(jepsen_log_reader *r, line_word w) {
    if (!is_integer(w)) return value_bytes(r->values, w.p + 1, w.n - 1);
    bool negative = w.p[0] == '-';
    int64_t i = 0;
    for (size_t k = negative; k < w.n; k++) i = i * 10 + (w.p[k] - '0');
    return value_int(r->values, negative ? -i : i);
}

static bool read_event(jepsen_log_reader *r, const log_columns *c) {
    jepsen_event event = {.line = r->line,
                          .type = (jepsen_type)jepsen_type_of(c->type.p + 1, c->type.n - 1),
                          .process = process_of(r, c->process),
                          .f = c->f.p + 1,
                          .f_length = c->f.n - 1,
                          .content = VALUE_NONE,
                          .key = VALUE_NONE,
                          .time = -1,
                          .until = -1};
    bool client = is_integer(c->process);
    if (client && event.type != JEPSEN_INVOKE && event.type != JEPSEN_OK) return jepsen_feed(r->meaning, &event);
    if (!read_content(r, c->rest, &event.content)) {
        if (client) return builder_error(r->b, r->line, "%s", tokens_what(&r->tokens));
        event.content = value_bytes(r->values, c->rest.p, c->rest.n); /* an annotation may say anything */
    }
    return jepsen_feed(r->meaning, &event);
}

static bool read_history(input *in, builder *b, const read_options *options) {
    jepsen_log_reader r = {.b = b, .values = builder_values(b), .meaning = jepsen_new(b, options)};
    bool good = true;
    size_t n;
    log_columns c;
    for (const char *line; good && (line = input_line(in, &n));) {
        r.line = input_line_number(in);
        if (find_columns(line, n, &c)) {
            r.any = true;
            good = read_event(&r, &c);
        }
    }
    if (good && !r.any && r.line && !input_failed(in))
        good = builder_error(b, r.line, "no operation in the file; expected lines PROCESS :invoke :METHOD VALUE");
    if (r.any) tokens_free(&r.tokens);
    jepsen_free(r.meaning);
    return good && !input_failed(in);
}

/* ---- sniffing ---- */

static int sniff(const char *p, size_t n) {
    log_columns c;
    for (const char *end = p + n; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t length = (size_t)((newline ? newline : end) - p);
        if (find_columns(p, length, &c)) return 85;
        p += length + 1;
    }
    return 0;
}

/* ---- writing ---- */

static bool write_content(const history *h, const jepsen_line *line, text *t) {
    bool keyed = line->key != VALUE_NONE;
    if (keyed) {
        text_char(t, '[');
        if (!edn_write(h->values, line->key, t)) return false;
        text_char(t, ' ');
    }
    if (!edn_write(h->values, line->content, t)) return false;
    if (keyed) text_char(t, ']');
    return true;
}

static bool write_line(const history *h, const jepsen_line *line, text *t, error *e) {
    static const char *const types[] = {
        [JEPSEN_INVOKE] = "invoke", [JEPSEN_OK] = "ok", [JEPSEN_FAIL] = "fail", [JEPSEN_INFO] = "info"};
    text_int(t, line->process);
    text_printf(t, "\t:%s\t:%s\t", types[line->type], line->f);
    if (!write_content(h, line, t))
        return error_set(e, EXIT_BAD_INPUT, "a value of operation %u cannot be written as jepsen-log; expected UTF-8",
                         history_number(h, line->operation));
    text_char(t, '\n');
    return true;
}

/* Keys are written as jepsen.independent does: [key value], to be read with --independent. Then all need one. */
static bool keys_are_good(const history *h, error *e) {
    for (uint32_t i = 0; h->key && i < h->n; i++)
        if (h->key[i] == VALUE_NONE)
            return error_set(e, EXIT_BAD_INPUT,
                             "operation %u has no key and others have one; jepsen-log can write all or none",
                             history_number(h, i));
    return true;
}

static bool write_history(const history *h, const object *o, output *out, error *e) {
    if (!methods_are_words(h, "jepsen-log", e) || !keys_are_good(h, e)) return false;
    if (!order_is_enough(h, o, "jepsen-log", e) || !says_no_initial_value(h, o, "jepsen-log", e)) return false;
    if (!says_it_is_whole(h, "jepsen-log", e)) return false;
    jepsen_lines lines;
    jepsen_line line;
    jepsen_lines_begin(&lines, h, "jepsen-log", e);
    while (jepsen_lines_next(&lines, &line) && write_line(h, &line, output_text(out), e) && output_flush(out)) {}
    jepsen_lines_end(&lines);
    return e->code == 0;
}

const format format_jepsen_log = {
    .name = "jepsen-log",
    .summary = "Jepsen's log lines and history.txt: 0 :invoke :read nil",
    .suffixes = ".jepsen-log .history.txt",
    .nameless = true,
    .sniff = sniff,
    .read = read_history,
    .write = write_history,
};
