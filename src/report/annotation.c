#include "report/annotation.h"

#include <ctype.h>
#include <string.h>

/* A reference of RFC 3986: what may not stand in one is escaped. */
static void sarif_uri(const char *path, text *out) {
    text_char(out, '"');
    for (const unsigned char *p = (const unsigned char *)path; *p; p++)
        if (isalnum(*p) || strchr("-._~/", *p)) text_char(out, (char)*p);
        else text_printf(out, "%%%02X", *p);
    text_char(out, '"');
}

void sarif_location(const char *file, uint32_t line, text *out) {
    text_add(out, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    sarif_uri(file, out);
    text_printf(out, "},\"region\":{\"startLine\":%u}}", line ? line : 1);
}

void sarif_begin(const char *rules, text *out) {
    text_printf(out,
                "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"plumb\","
                "\"version\":\"" PLUMB_VERSION "\",\"rules\":[%s]}},\"results\":[",
                rules);
}

void sarif_end(text *out) { text_add(out, "]}]}\n"); }

/* In a value of a property, commas and colons are escaped as well. */
static void github_words(const char *s, const char *escaped, text *out) {
    for (; *s; s++)
        if (strchr(escaped, *s)) text_printf(out, "%%%02X", (unsigned char)*s);
        else text_char(out, *s);
}

void github_annotation(const char *level, const char *title, const char *file, uint32_t line, const char *message,
                       text *out) {
    text_printf(out, "::%s file=", level);
    github_words(file, "%\r\n:,", out);
    text_printf(out, ",line=%u,title=%s::", line ? line : 1, title);
    github_words(message, "%\r\n", out);
    text_char(out, '\n');
}
