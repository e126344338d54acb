#include "explore/wire.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

void wire_begin(text *out, const char *tag) { text_add(out, tag); }

void wire_text(text *out, const char *field) {
    text_char(out, '\t');
    for (; *field; field++) {
        switch (*field) {
        case '\t': text_add(out, "\\t"); break;
        case '\n': text_add(out, "\\n"); break;
        case '\\': text_add(out, "\\\\"); break;
        default: text_char(out, *field);
        }
    }
}

void wire_int(text *out, int64_t field) { text_printf(out, "\t%" PRId64, field); }
void wire_hex(text *out, uint64_t field) { text_printf(out, "\t%" PRIx64, field); }
void wire_real(text *out, double field) { text_printf(out, "\t%.9g", field); }
void wire_end(text *out) { text_char(out, '\n'); }

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

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

bool wire_split(char *line, wire_line *out) {
    out->n = 0;
    for (char *p = line; p;) {
        char *tab = strchr(p, '\t');
        if (tab) *tab = 0;
        if (out->n == WIRE_FIELDS) return false;
        out->field[out->n++] = field_unescape(p);
        p = tab ? tab + 1 : NULL;
    }
    return true;
}

const char *wire_get(const wire_line *l, unsigned i) { return i < l->n ? l->field[i] : ""; }
int64_t wire_get_int(const wire_line *l, unsigned i) { return strtoll(wire_get(l, i), NULL, 10); }
uint64_t wire_get_hex(const wire_line *l, unsigned i) { return strtoull(wire_get(l, i), NULL, 16); }
double wire_get_real(const wire_line *l, unsigned i) { return strtod(wire_get(l, i), NULL); }

const char *wire_key(const wire_line *l, const char *key) {
    size_t n = strlen(key);
    for (unsigned i = 1; i < l->n; i++)
        if (!strncmp(l->field[i], key, n) && l->field[i][n] == '=') return l->field[i] + n + 1;
    return NULL;
}

void wire_reader_init(wire_reader *r, int fd) { *r = (wire_reader){.fd = fd}; }
void wire_reader_free(wire_reader *r) { free(r->buffer); }

/* Moves what is left to the front and reads more behind it. */
static ssize_t reader_fill(wire_reader *r) {
    if (r->start) memmove(r->buffer, r->buffer + r->start, r->end - r->start);
    r->end -= r->start;
    r->start = 0;
    if (r->room - r->end < 4096) {
        r->room = r->room ? 2 * r->room : 65536;
        r->buffer = MEM_GROW(r->buffer, char, r->room);
    }
    ssize_t n = read(r->fd, r->buffer + r->end, r->room - r->end);
    if (n > 0) r->end += (size_t)n;
    return n;
}

wire_event wire_next(wire_reader *r, int milliseconds, wire_line *out) {
    for (;;) {
        char *newline = r->end > r->start ? memchr(r->buffer + r->start, '\n', r->end - r->start) : NULL;
        if (newline) {
            char *line = r->buffer + r->start;
            *newline = 0;
            r->start = (size_t)(newline - r->buffer) + 1;
            return wire_split(line, out) ? WIRE_LINE : WIRE_CLOSED;
        }
        struct pollfd p = {.fd = r->fd, .events = POLLIN};
        int ready = poll(&p, 1, milliseconds);
        if (ready <= 0) return WIRE_TIMEOUT;
        ssize_t n = reader_fill(r);
        if (n < 0 && errno == EINTR) return WIRE_TIMEOUT;
        if (n <= 0) return WIRE_CLOSED;
    }
}
