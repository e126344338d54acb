/* Escapes untrusted text (values and names of a history) for HTML, XML and JSON. */
#ifndef PLUMB_REPORT_ESCAPE_H
#define PLUMB_REPORT_ESCAPE_H

#include "base/text.h"

/* For XML and HTML, in text and in quoted attributes; what neither can say (control characters, bytes that are not
 * UTF-8) becomes a question mark. */
void escape_xml(text *out, const char *p, size_t n);
void escape_xml_string(text *out, const char *s);
/* A JSON string that may stand inside a script element: no character in it can end the element or begin a comment. */
void escape_json(text *out, const char *s);

#endif
