/* The parts of the page that are there without scripts. Each appends HTML. */
#ifndef PLUMB_REPORT_HTML_PARTS_H
#define PLUMB_REPORT_HTML_PARTS_H

#include "evidence/replay.h"
#include "report/html.h"
#include "report/scene_svg.h"

/* The core, why it is a violation, how far an order gets. */
void html_violation(const picture *p, const char *heading, text *out);
void html_relaxation(const picture *p, text *out); /* of a picture that has one */
void html_witness(const picture *p, text *out);    /* the order, and the state after each operation */

void html_try(const picture *p, text *out); /* a link to where other answers can be tried */

/* Shared by them. */
void html_operation(const history *h, const object *o, uint32_t i, text *out); /* a link that the page highlights */
void html_state(const replay *r, size_t columns, text *out);                   /* as plain text, shortened */
/* As a table; what returns after `cut` is marked. */
void html_operation_table(const history *h, const object *o, const uint32_t *op, uint32_t n, uint32_t cut,
                          const char *caption, text *out);

#endif
