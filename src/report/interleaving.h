/* An execution of explored code for people: one column for each thread, source lines, places by name, values, who won a
 * compare-and-swap. Steps that no other thread could notice are folded unless all are asked for. */
#ifndef PLUMB_REPORT_INTERLEAVING_H
#define PLUMB_REPORT_INTERLEAVING_H

#include "explore/outside/debug_info.h"
#include "explore/model/execution.h"
#include "report/colour.h"

typedef struct interleaving_wishes {
    bool full;      /* every step */
    unsigned lines; /* of steps, about so many at most, unless full */
    unsigned rows;  /* of everything that is said about a failure, if it can be done; 0: no limit */
    unsigned columns;
    const colours *colours;
} interleaving_wishes;

void interleaving_print(const execution *x, debug_info *d, const interleaving_wishes *w, text *out);

/* One step as a phrase: "cas q->head: node#1 -> node#2, ok". */
struct names;
void step_phrase(const execution *x, const struct names *n, uint32_t i, text *out);
void operation_words(const executed_operation *op, text *out); /* "enq(1)" */
/* "returns empty", of a result as value_to_talk writes it */
void result_words(const char *wire, text *out);
/* By step, in `shown` (of x->steps bytes): 1 for what another thread could notice. */
void interleaving_select(const execution *x, bool full, unsigned lines, uint8_t *shown);
/* A message of the machine, with every address that can be named by its name: source line or memory, as of the last
 * step. */
void message_words(const execution *x, debug_info *d, const char *message, text *out);
const char *file_name(const char *path); /* without its directories */

#endif
