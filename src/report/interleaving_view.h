/* An execution of explored code, made ready for the page: every step with its source line, and what it did to which
 * memory. */
#ifndef PLUMB_REPORT_INTERLEAVING_VIEW_H
#define PLUMB_REPORT_INTERLEAVING_VIEW_H

#include "explore/outside/debug_info.h"
#include "explore/model/execution.h"
#include "report/html_interleaving.h"

typedef struct told_execution {
    interleaving view;
    interleaving_step *step; /* what the view shows, and the strings it points to */
    char **string;
    const char *thread[THREADS_MOST];
    uint32_t room, strings;
} told_execution;

/* `d` may be NULL; `binary` is what ran. */
void told_execution_make(told_execution *t, const execution *x, debug_info *d, const char *binary);
void told_execution_free(told_execution *t);

#endif
