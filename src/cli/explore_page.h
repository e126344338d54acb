/* What `plumb explore` found out, as a page: the violation if there is one, and how the execution came about, step by
 * step. */
#ifndef PLUMB_CLI_EXPLORE_PAGE_H
#define PLUMB_CLI_EXPLORE_PAGE_H

#include "evidence/judge.h"
#include "explore/outside/test_file.h"
#include "report/exploration.h"

/* The history of a failing execution, and what the engines say of it. */
typedef struct explained {
    history *h; /* NULL: there is none that can be shown */
    object *o;
    judgement j;
    bool judged;
} explained;

void explained_free(explained *w);
/* `saved` NULL: there is nothing to repeat. `binary` is what ran, `code` what the command exits with. */
bool explore_page(const char *path, const exploration *r, const explained *w, const saved_schedule *saved,
                  const char *binary, int code, error *e);

#endif
