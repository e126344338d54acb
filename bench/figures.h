/* The figures of the papers, drawn again from the tables in bench/results, published numbers beside ours. */
#ifndef PLUMB_BENCH_FIGURES_H
#define PLUMB_BENCH_FIGURES_H

#include "base/text.h"

/* `lines`: a run of the table of that name, each line ended by a newline. Appends figures; false: there are none for
 * this table. */
bool figures_draw(const char *table, const char *lines, text *out);

#endif
