/* The list of formats, finding the right one, and reading and writing whole histories with it. */
#include "format/format.h"

#include "format/output.h"

#include "base/nearest.h"

#include <string.h>

#define FORMAT(name) extern const format format_##name;
#include "format/formats.def"
#undef FORMAT

static const format *const formats[] = {
#define FORMAT(name) &format_##name,
#include "format/formats.def"
#undef FORMAT
    NULL,
};

enum { SNIFF_BYTES = 64 << 10 };

const format *format_at(unsigned i) { return i < sizeof formats / sizeof *formats ? formats[i] : NULL; }

/* What stands behind the last dash of a format's name: "jsonl", "edn". NULL when none or several have it. */
static const format *short_name(const char *name) {
    const format *found = NULL, *f;
    for (unsigned i = 0; (f = format_at(i)); i++) {
        const char *dash = strrchr(f->name, '-');
        if (!dash || strcmp(dash + 1, name)) continue;
        if (found) return NULL;
        found = f;
    }
    return found;
}

const format *format_find(const char *name) {
    const format *f;
    for (unsigned i = 0; (f = format_at(i)); i++)
        if (!strcmp(f->name, name)) return f;
    return short_name(name);
}

bool format_named(const char *name, const format **out, error *e) {
    if ((*out = format_find(name))) return true;
    text names = {0};
    const format *f;
    for (unsigned i = 0; (f = format_at(i)); i++) text_printf(&names, "%s ", f->name);
    unknown_name("format", name, strlen(name), text_str(&names), e);
    text_free(&names);
    return false;
}

/* ---- by file name ---- */

static size_t without_suffix(const char *path, size_t n, const char *suffix) {
    size_t s = strlen(suffix);
    return n > s && memcmp(path + n - s, suffix, s) == 0 ? n - s : n;
}

/* The length of the longest of the blank-separated suffixes that the path ends in. */
static size_t longest_suffix(const char *suffixes, const char *path, size_t n) {
    size_t longest = 0;
    for (const char *s = suffixes; s && *s;) {
        size_t length = strcspn(s, " ");
        if (length > longest && length <= n && memcmp(path + n - length, s, length) == 0) longest = length;
        s += length + strspn(s + length, " ");
    }
    return longest;
}

const format *format_for_path(const char *path) {
    size_t n = strlen(path), best_length = 0;
    n = without_suffix(path, without_suffix(path, n, ".gz"), ".zst");
    const format *best = NULL, *f;
    for (unsigned i = 0; (f = format_at(i)); i++) {
        size_t length = longest_suffix(f->suffixes, path, n);
        if (length > best_length) {
            best = f;
            best_length = length;
        }
    }
    return best;
}

/* ---- reading ---- */

static bool only_blanks(const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!memchr(" \t\r\n", p[i], 4)) return false;
    return true;
}

static const format *best_fit(const char *p, size_t n) {
    const format *best = NULL, *f;
    int best_score = 0;
    for (unsigned i = 0; (f = format_at(i)); i++) {
        int score = f->sniff(p, n);
        if (score > best_score) {
            best = f;
            best_score = score;
        }
    }
    return best;
}

/* How the first line that says anything begins, as far as it can be printed. */
static void beginning(const char *p, size_t n, text *out) {
    enum { SHOWN = 24 };
    size_t k = 0;
    text_char(out, '\'');
    for (; k < n && k < SHOWN && p[k] >= ' ' && p[k] <= '~'; k++) text_char(out, p[k]);
    text_add(out, k < n && p[k] != '\n' && p[k] != '\r' ? "...'" : "'");
}

static const format *no_format(const input *in, const char *p, size_t n, error *e) {
    if (only_blanks(p, n)) {
        error_set(e, EXIT_BAD_INPUT, "%s:1: empty file; expected a history", input_name(in));
        return NULL;
    }
    if (n >= 2 && (!memcmp(p, "\xff\xfe", 2) || !memcmp(p, "\xfe\xff", 2))) {
        error_set(e, EXIT_BAD_INPUT, "%s:1: text in UTF-16; expected UTF-8", input_name(in));
        return NULL;
    }
    unsigned line = 1;
    text shown = {0};
    for (; memchr(" \t\r\n", *p, 4); p++, n--) line += *p == '\n';
    beginning(p, n, &shown);
    error_set(e, EXIT_BAD_INPUT,
              "%s:%u: unknown format, begins with %s; expected one that `plumb formats` lists (or say which it is)",
              input_name(in), line, text_str(&shown));
    text_free(&shown);
    return NULL;
}

static const format *sniff(input *in, error *e) {
    const char *p;
    size_t n = input_peek(in, &p, SNIFF_BYTES);
    if (input_failed(in)) return NULL;
    const format *best = best_fit(p, n);
    return best ? best : no_format(in, p, n, e);
}

const format *format_sniff_live(input *in, error *e) {
    const char *p;
    size_t n = input_peek_now(in, &p, false), before;
    do {
        if (input_failed(in)) return NULL;
        const format *best = memchr(p, '\n', n) ? best_fit(p, n) : NULL;
        if (best) return best;
        before = n;
        n = input_peek_now(in, &p, true);
    } while (n > before);
    const format *best = best_fit(p, n);
    return best ? best : no_format(in, p, n, e);
}

history *format_read_input(input *in, const read_options *options, const format **used, error *e) {
    static const read_options standard = {0};
    if (!options) options = &standard;
    input_watch(in, options->bytes, options->stop);
    const format *f = options->format ? options->format : sniff(in, e);
    if (used) *used = f;
    if (!f) return NULL;
    builder *b = builder_new(input_name(in), e);
    history *h = f->read(in, b, options) && !input_failed(in) ? builder_finish(b) : NULL;
    builder_free(b);
    return h;
}

history *format_read(const char *path, const read_options *options, const format **used, error *e) {
    input *in = input_open(path, e);
    if (!in) return NULL;
    history *h = format_read_input(in, options, used, e);
    input_close(in);
    return h;
}

/* ---- writing ---- */

bool format_write(const char *path, const format *f, const history *h, const object *o, error *e) {
    if (!f->write) return error_set(e, EXIT_USAGE, "format %s is read only; expected another to write", f->name);
    output *out = output_open(path, e);
    return out && output_end(out, f->write(h, o, out, e));
}

/* ---- what was understood ---- */

static void count(text *out, uint32_t n, const char *one, const char *many) {
    if (n) text_printf(out, ", %u %s", n, n == 1 ? one : many);
}

/* Clients are counted by name: one that goes on after a pending operation is still one. */
void format_understood(const char *path, const format *f, const history *h, text *out) {
    text_add(out, "read ");
    text_printable(out, strcmp(path, "-") ? path : "<stdin>");
    text_printf(out, ": %s", f->name);
    if (h->client) count(out, h->clients - h->reused, "client", "clients");
    text_printf(out, ", %u ok", h->n - h->pending);
    count(out, h->pending, "pending", "pending");
    count(out, h->failed, "failed dropped", "failed dropped");
    count(out, h->annotations, "annotation", "annotations");
}
