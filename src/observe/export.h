/* Monitors for others: self-contained C for unit tests and bounded model checkers, Promela for Spin. The text is a
 * template of observe/templates/ with the automata filled in. */
#ifndef PLUMB_OBSERVE_EXPORT_H
#define PLUMB_OBSERVE_EXPORT_H

#include "base/error.h"
#include "base/text.h"

typedef struct template_file {
    const char *name, *words;
} template_file;
extern const template_file monitor_templates[]; /* ended by a NULL name */

/* `what`: an object, or a file of bad patterns; `kind`: "pattern", "points", "count" or "all"; `to`: "c" or
 * "promela". */
bool monitor_export(const char *what, const char *kind, unsigned k, const char *to, text *out, error *e);

#endif
