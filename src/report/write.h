/* Reports in their outward forms. Each appends to a text; nothing is printed here. */
#ifndef PLUMB_REPORT_WRITE_H
#define PLUMB_REPORT_WRITE_H

#include "report/colour.h"
#include "report/report.h"

void report_line(const report *r, const colours *c, text *out); /* the verdict in one line, without the file's name */
/* the verdict, the evidence, who decided */
void report_full(const report *r, const colours *c, bool verbose, text *out);
/* a table of how many ended how */
void report_summary(const report *const *r, uint32_t n, const colours *c, text *out);
void report_json(const report *r, text *out);                     /* one line, documented in plumb-check(1) */
void report_junit(const report *const *r, uint32_t n, text *out); /* one testsuite, a testcase for each input */
/* the inputs that are not linearizable, as SARIF 2.1.0 */
void report_sarif(const report *const *r, uint32_t n, text *out);
void report_github(const report *r, text *out); /* an annotation of a workflow; nothing of what is linearizable */

#endif
