/* What `plumb explore` found out, as a page: the violation if there is one, and how the execution came about, step by
 * step. */
#ifndef PLUMB_REPORT_EXPLORATION_PAGE_H
#define PLUMB_REPORT_EXPLORATION_PAGE_H

#include "explore/outside/failure.h"
#include "report/exploration.h"

/* `saved` NULL: there is nothing to repeat. `binary` is what ran, `code` what the command exits with. */
bool exploration_page(const char *path, const exploration *r, const saved_schedule *saved, const char *binary, int code,
                      error *e);

#endif
