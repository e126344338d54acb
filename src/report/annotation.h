/* What SARIF 2.1.0 and GitHub's workflow commands have in common between `plumb check` and `plumb explore`. */
#ifndef PLUMB_REPORT_ANNOTATION_H
#define PLUMB_REPORT_ANNOTATION_H

#include "base/text.h"

#include <stdint.h>

/* A whole SARIF file is sarif_begin with the rules ({"id":"a"},...), the results, sarif_end. */
void sarif_begin(const char *rules, text *out);
void sarif_end(text *out);
/* "physicalLocation":{...}; line 0: not known, the first is named. */
void sarif_location(const char *file, uint32_t line, text *out);

/* One workflow command; `level` is error or warning. Nothing of a message or a name ends it early. */
void github_annotation(const char *level, const char *title, const char *file, uint32_t line, const char *message,
                       text *out);

#endif
