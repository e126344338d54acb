#include "explore/model/talk.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *field_unescape(char *field) {
    char *to = field;
    for (char *p = field; *p; p++) {
        if (*p == '\\' && p[1]) {
            p++;
            *to++ = *p == 't' ? '\t' : *p == 'n' ? '\n' : *p;
        } else {
            *to++ = *p;
        }
    }
    *to = 0;
    return field;
}

/* ---- writing ---- */

/* A line ends before the next one begins. */
void talk_begin(text *out, const char *tag) {
    assert(!out->size || out->at[out->size - 1] == '\n');
    assert(!strpbrk(tag, "\t\n\\"));
    text_add(out, tag);
}

/* What is escaped stays within its field and is read as it was. */
#ifdef PLUMB_SELF_CHECKS
static void check_escaped(const char *field, const char *escaped) {
    assert(!strpbrk(escaped, "\t\n"));
    char *copy = mem_string(escaped);
    assert(!strcmp(field_unescape(copy), field));
    free(copy);
}
#else
static void check_escaped(const char *field, const char *escaped) { (void)field, (void)escaped; }
#endif

void talk_text(text *out, const char *field) {
    const char *const whole = field;
    text_char(out, '\t');
    const size_t begun = out->size;
    for (; *field; field++) {
        switch (*field) {
        case '\t': text_add(out, "\\t"); break;
        case '\n': text_add(out, "\\n"); break;
        case '\\': text_add(out, "\\\\"); break;
        default: text_char(out, *field);
        }
    }
    check_escaped(whole, text_str(out) + begun);
}

void talk_int(text *out, int64_t field) { text_printf(out, "\t%" PRId64, field); }
void talk_hex(text *out, uint64_t field) { text_printf(out, "\t%" PRIx64, field); }
void talk_real(text *out, double field) { text_printf(out, "\t%.9g", field); }
void talk_end(text *out) { text_char(out, '\n'); }

/* ---- reading ---- */

bool talk_split(char *line, talk_line *out) {
    out->n = 0;
    for (char *p = line; p;) {
        char *tab = strchr(p, '\t');
        if (tab) *tab = 0;
        if (out->n == TALK_FIELDS) return false;
        out->field[out->n++] = field_unescape(p);
        p = tab ? tab + 1 : NULL;
    }
    assert(out->n > 0 && out->n <= TALK_FIELDS);
    return true;
}

const char *talk_get(const talk_line *l, unsigned i) { return i < l->n ? l->field[i] : ""; }
int64_t talk_get_int(const talk_line *l, unsigned i) { return strtoll(talk_get(l, i), NULL, 10); }
uint64_t talk_get_hex(const talk_line *l, unsigned i) { return strtoull(talk_get(l, i), NULL, 16); }
double talk_get_real(const talk_line *l, unsigned i) { return strtod(talk_get(l, i), NULL); }

const char *talk_key(const talk_line *l, const char *key) {
    size_t n = strlen(key);
    for (unsigned i = 1; i < l->n; i++)
        if (!strncmp(l->field[i], key, n) && l->field[i][n] == '=') return l->field[i] + n + 1;
    return NULL;
}

void talk_reader_init(talk_reader *r, int fd) { *r = (talk_reader){.fd = fd}; }
void talk_reader_free(talk_reader *r) { free(r->buffer); }

/* Moves what is left to the front and reads more behind it. */
static ssize_t reader_fill(talk_reader *r) {
    assert(r->start <= r->end && r->end <= r->room);
    if (r->start) memmove(r->buffer, r->buffer + r->start, r->end - r->start);
    r->end -= r->start;
    r->start = 0;
    if (r->room - r->end < 4096) {
        r->room = r->room ? 2 * r->room : 65536;
        r->buffer = MEM_GROW(r->buffer, char, r->room);
    }
    assert(r->end < r->room);
    ssize_t n = read(r->fd, r->buffer + r->end, r->room - r->end);
    if (n > 0) r->end += (size_t)n;
    assert(r->end <= r->room);
    return n;
}

talk_event talk_next(talk_reader *r, int milliseconds, talk_line *out) {
    for (;;) {
        char *newline = r->end > r->start ? memchr(r->buffer + r->start, '\n', r->end - r->start) : NULL;
        if (newline) {
            char *line = r->buffer + r->start;
            *newline = 0;
            r->start = (size_t)(newline - r->buffer) + 1;
            assert(r->start <= r->end);
            return talk_split(line, out) ? TALK_LINE : TALK_CLOSED;
        }
        struct pollfd p = {.fd = r->fd, .events = POLLIN};
        int ready = poll(&p, 1, milliseconds);
        if (ready <= 0) return TALK_TIMEOUT;
        ssize_t n = reader_fill(r);
        if (n < 0 && errno == EINTR) return TALK_TIMEOUT;
        if (n <= 0) return TALK_CLOSED;
    }
}
